const mebibyte = 1024 * 1024

/** S3 takes no more parts than this. */
const mostParts = 10_000

/** What a part has at least, bytes: S3 takes 5 MiB, and fewer requests cost less. */
const smallest = 8 * mebibyte

/**
 * Bytes of each part of a file but its last one. It follows from the signed size alone, so that part k has the same bytes
 * whoever sends it, numbers are consecutive, and 10,000 are enough.
 *
 * A file of one part is put as one object.
 */
export const toPartSize = (size: number): number =>
  Math.max(smallest, Math.ceil(size / mostParts / mebibyte) * mebibyte)
