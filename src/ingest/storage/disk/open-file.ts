import type { FileHandle } from "node:fs/promises"
import { BlobStoreError } from "../blob-store.ts"

/** What has the name of a blob and is none: a link would lead anywhere, and what is read from a pipe may never come. */
export const toNoFile = (path: string, cause?: unknown): BlobStoreError =>
  new BlobStoreError("io", `${path} is no regular file: somebody has put something in the place of a blob.`, cause)

/**
 * Opens a file of a blob. A link is not followed, and a pipe is not waited for; what else is no regular file fails when it is read
 * or written at a position.
 */
export const openFile = async (path: string, flag: "r" | "r+"): Promise<FileHandle> => {
  const { constants } = process.getBuiltinModule("node:fs")
  const { O_RDONLY, O_RDWR, O_NOFOLLOW, O_NONBLOCK } = constants
  // Windows has neither.
  const flags = O_NOFOLLOW === undefined ? flag : (flag === "r" ? O_RDONLY : O_RDWR) | O_NOFOLLOW | O_NONBLOCK
  try {
    return await process.getBuiltinModule("node:fs/promises").open(path, flags)
  } catch (cause) {
    throw (cause as { code?: string }).code === "ELOOP" ? toNoFile(path, cause) : cause
  }
}
