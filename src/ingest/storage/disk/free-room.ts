import type { StatsFs } from "node:fs"

/** Bytes without which a database cannot be opened: SQLite then reports that its disk fails, not that it is full. */
export const leastRoom = 1024 * 1024

/** Codes of a system call that found no room on its disk, or none that its user may take: Node has no name for EDQUOT. */
const fullCodes: ReadonlySet<string | undefined> = new Set(["ENOSPC", "EDQUOT", "Unknown system error -122"])

/** Whether a system call failed because there is no room. */
export const isOutOfRoom = (cause: unknown): boolean =>
  fullCodes.has((cause as { readonly code?: string } | null | undefined)?.code)

/**
 * Files that must fit into a file system beside those that are there, so that it counts as one with room: a database makes two
 * when it is opened, and every file above 64 KiB is one.
 */
const fewFiles = 16

/**
 * What is free of a file system, bytes: none where it has hardly room for another file (no inodes), whatever room for bytes it has.
 * Those that know no limit of files say that they have room for 0 in all.
 */
export const toFreeRoom = ({ bavail, bsize, files, ffree }: StatsFs): number =>
  files > 0 && ffree < fewFiles ? 0 : bavail * bsize
