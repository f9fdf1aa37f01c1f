import type { UploadError } from "../protocol/upload-error.ts"
import type { UploadableFile } from "./uploadable-file.ts"

/**
 * Whether a file can still be read: browsers refuse to read one that was changed or removed since it was chosen. What is
 * no Blob says itself why it breaks off.
 */
const isReadable = async (file: UploadableFile): Promise<boolean> => {
  if (file.slice !== Blob.prototype.slice) return true
  const blob = file as unknown as Blob
  try {
    // One that was removed before anybody asked for its size has none, but reading it fails all the same.
    await (file.size > 0 ? blob.slice(0, 1) : blob).arrayBuffer()
    return true
  } catch {
    return false
  }
}

/**
 * Says so where a body could not be sent because its file cannot be read any more: to what sends it, that is a connection
 * that breaks. It changes the error, because this code is loaded later than its class.
 *
 * @param error with which the request has failed
 */
export const explainFailure = async (file: UploadableFile, error: unknown): Promise<void> => {
  if ((error as UploadError).code !== "NETWORK_ERROR" || (await isReadable(file))) return
  const message = "The file cannot be read: it was changed or removed since it was chosen. Choose it again."
  Object.assign(error as UploadError, { code: "SIZE_MISMATCH", status: 413, message })
}
