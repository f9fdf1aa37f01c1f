import { rm, writeFile } from "node:fs/promises"
import { renameFile } from "../../ingest.ts"
import { readRegularFile } from "../regular-file.ts"

/** More bytes than the longest possible path. */
const longest = 8192

/** The line in a small file; empty where there is no such file, or it is not a regular file. */
export const readNote = async (path: string): Promise<string> =>
  (await readRegularFile(path, { limit: longest }).catch(() => "")).trim()

/**
 * Writes a line to a file for this user alone. A link in its place is replaced, and not followed. Fails: with the
 * system's error.
 */
export const writeNote = async (path: string, line: string): Promise<void> => {
  const draft = `${path}.${process.pid}.part`
  await writeFile(draft, `${line}\n`, { mode: 0o600, flag: "wx", flush: true })
  try {
    await renameFile(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
