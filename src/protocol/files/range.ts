import { accept, type Outcome, refuse } from "../errors/outcome.ts"

/**
 * Where the bytes of a PUT begin: `Range: bytes=<start>-`; absent means 0.
 *
 * Fails:  as a value, code BAD_REQUEST.
 * Source: docs/protocol.md §10.
 */
export const parseUploadRange = (header: string | null | undefined): Outcome<number> => {
  if (header === null || header === undefined) return accept(0)
  const match = typeof header === "string" ? /^bytes=(\d{1,16})-$/i.exec(header.trim()) : null
  const start = match ? Number(match[1]) : Number.NaN
  return Number.isSafeInteger(start)
    ? accept(start)
    : refuse(
        "BAD_REQUEST",
        `The range ${typeof header === "string" ? JSON.stringify(header) : typeof header} is not of the form "bytes=<start>-".`,
      )
}

/** Writes what {@link parseUploadRange} reads. */
export const formatUploadRange = (start: number): string => `bytes=${start}-`

/** Bytes `start` to `end` of a file, both included. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/**
 * The single range a GET asks for, within a file of `size` bytes.
 *
 * Returns `undefined` when the whole file is to be sent (no header, several ranges, another unit, malformed: RFC 9110
 * §14.2 lets a server ignore those) and `"unsatisfiable"` when the answer is 416.
 */
export const parseByteRange = (
  header: string | null | undefined,
  size: number,
): ByteRange | "unsatisfiable" | undefined => {
  const match = typeof header === "string" ? /^bytes=(\d{0,16})-(\d{0,16})$/i.exec(header.trim()) : null
  if (match === null || (match[1] === "" && match[2] === "")) return undefined
  if (match[1] === "") {
    const length = Number(match[2])
    if (length === 0) return "unsatisfiable"
    // §14.1.2: the last bytes of an empty file are satisfiable, but there is no range a 206 could name.
    return size === 0 ? undefined : { start: Math.max(0, size - length), end: size - 1 }
  }
  const start = Number(match[1])
  const end = match[2] === "" ? size - 1 : Math.min(Number(match[2]), size - 1)
  if (match[2] !== "" && Number(match[2]) < start) return undefined
  return start >= size ? "unsatisfiable" : { start, end }
}
