import { lstatSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { spareRoomName } from "../deployment/data-folder.ts"

/** Some pages of a file system. */
const sliver = 64 * 1024

/**
 * Takes a little of the room that the catalog of a folder keeps for a full disk; the rest stays there for the catalog. Returns
 * whether there was any: a folder whose disk is full is to be backed up all the more.
 */
export const shortenSpareRoom = (folder: string): boolean => {
  const file = join(folder, spareRoomName)
  try {
    const { size } = lstatSync(file)
    if (size <= sliver) return false
    truncateSync(file, size - sliver)
    return true
  } catch {
    return false
  }
}
