import { fstatSync } from "node:fs"

/**
 * Whether standard output or standard error go to systemd's journal, which adds the time to each line itself.
 *
 * Source: systemd.exec(5), `$JOURNAL_STREAM`: device and inode of the stream. The variable alone proves nothing,
 *         because it is inherited by processes whose output goes elsewhere.
 */
export const isJournal = (): boolean => {
  const journal = process.env["JOURNAL_STREAM"]
  if (!journal) return false
  return [1, 2].some((stream) => {
    try {
      const { dev, ino } = fstatSync(stream)
      return journal === `${dev}:${ino}`
    } catch {
      return false
    }
  })
}
