import { link, lstat, rm } from "node:fs/promises"
import { renameFile } from "../ingest.ts"
import { isSystemError } from "./command-failure.ts"

/**
 * Links a file to a name that nobody has; where the file system knows no links, it is renamed after a look.
 *
 * Fails: with the system's error, EEXIST where somebody has the name.
 */
export const giveName = async (from: string, to: string): Promise<void> => {
  try {
    await link(from, to)
    await rm(from)
  } catch (error) {
    if (isSystemError(error, "EEXIST") || isSystemError(error, "ENOENT")) throw error
    if ((await lstat(to).catch(() => undefined)) !== undefined)
      throw Object.assign(new Error("", { cause: error }), { code: "EEXIST" })
    await renameFile(from, to)
  }
}
