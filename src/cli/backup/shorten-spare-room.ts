import { lstatSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { spareRoomName } from "../deployment/data-folder.ts"

/** Some pages of a file system. */
const sliver = 64 * 1024

/** What is left for the catalog in any case, bytes: half of what it keeps. */
const least = 2 * 1024 * 1024

/**
 * Takes a little of the room that the catalog of a folder keeps for a full disk, as long as half of it is left for the catalog,
 * however often a backup is tried. Returns whether there was any: a folder whose disk is full is to be backed up all the more.
 */
export const shortenSpareRoom = (folder: string): boolean => {
  const file = join(folder, spareRoomName)
  try {
    const { size } = lstatSync(file)
    if (size - sliver < least) return false
    truncateSync(file, size - sliver)
    return true
  } catch {
    return false
  }
}
