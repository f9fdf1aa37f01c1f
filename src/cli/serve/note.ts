import { rename, rm, writeFile } from "node:fs/promises"
import { readRegularFile } from "../regular-file.ts"

/** Bytes of a longest path there is, and some. */
const longest = 8192

/** One line that was noted in a small file; nothing where there is no such file, or something else in its place. */
export const readNote = async (path: string): Promise<string> =>
  (await readRegularFile(path, { limit: longest }).catch(() => "")).trim()

/** Notes a line, for this user alone. A link in its place is replaced, and not followed. Fails: with the system's error. */
export const writeNote = async (path: string, line: string): Promise<void> => {
  const draft = `${path}.${process.pid}.part`
  await writeFile(draft, `${line}\n`, { mode: 0o600, flag: "wx" })
  try {
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
