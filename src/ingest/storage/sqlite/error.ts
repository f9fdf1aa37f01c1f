import { CatalogError } from "../catalog/catalog.ts"
import { isOutOfRoom } from "../disk/free-room.ts"

type Reason = readonly [reason: CatalogError["reason"], name: string, advice: string]

/**
 * Primary result codes of SQLite that mean that the disk or its file is at fault, not the statement. Source:
 * sqlite.org/rescode.html.
 */
const reasons: Readonly<Record<number, Reason>> = {
  3: ["io", "SQLITE_PERM", "Check the permissions of"],
  5: ["busy", "SQLITE_BUSY", "Another process holds"],
  6: ["busy", "SQLITE_LOCKED", "Another process holds"],
  8: ["io", "SQLITE_READONLY", "Check the permissions and the mount of"],
  7: ["io", "SQLITE_NOMEM", "Give the process more memory to read"],
  10: ["io", "SQLITE_IOERR", "Check the disk of"],
  11: ["io", "SQLITE_CORRUPT", "Check with `sluice doctor`, or restore from a backup,"],
  13: ["full", "SQLITE_FULL", "Free space on the disk of"],
  14: ["io", "SQLITE_CANTOPEN", "Check the permissions of"],
  15: ["busy", "SQLITE_PROTOCOL", "Another process holds"],
  26: ["io", "SQLITE_NOTADB", "Check with `sluice doctor`, or restore from a backup,"],
}

const systemReasons: Readonly<Record<string, Reason>> = {
  EIO: ["io", "EIO", "Check the disk of"],
  EROFS: ["io", "EROFS", "Check the mount of"],
  // Node's error for a closed database, or for a statement of one.
  ERR_INVALID_STATE: ["io", "closed", "This process has closed"],
}

/** The reason why a system call failed, if it is one: every error of a system call names the call. */
const systemReason = ({ code = "", syscall }: { readonly code?: string; readonly syscall?: string }) =>
  (isOutOfRoom({ code }) ? (["full", code, "Free space on the disk of"] satisfies Reason) : undefined) ??
  systemReasons[code] ??
  (syscall === undefined ? undefined : (["io", code, "Check the disk of"] satisfies Reason))

/** Whether the disk is full: SQLite says so, or the system. */
export const isFull = (cause: unknown): boolean => {
  const { errcode } = (cause ?? {}) as { readonly errcode?: number }
  return errcode === undefined ? isOutOfRoom(cause) : reasons[errcode & 0xff]?.[0] === "full"
}

/**
 * Turns an error of SQLite, or of a flush of its log, into a {@link CatalogError} where the disk or its file is at
 * fault; returns anything else unchanged.
 */
export const toCatalogError = (cause: unknown, file: string): unknown => {
  const thrown = (cause ?? {}) as { errcode?: number; code?: string; syscall?: string }
  // We flush the log ourselves, so a failing flush is a system error.
  const known = thrown.errcode === undefined ? systemReason(thrown) : reasons[thrown.errcode & 0xff]
  if (known === undefined) return cause
  const [reason, name, advice] = known
  return new CatalogError(reason, `The catalog could not be used (${name}). ${advice} ${file}.`, cause)
}
