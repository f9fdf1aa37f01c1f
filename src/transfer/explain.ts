import type { UploadError } from "../protocol/upload-error.ts"

/**
 * Makes the error of a file that cannot be read say so. Browsers refuse to read a file that was changed or removed since it
 * was chosen, and report a broken connection. The error is changed, because this is loaded later than its class.
 */
export const explain = (error: unknown): void => {
  if ((error as UploadError).code !== "NETWORK_ERROR") return
  const message = "The file cannot be read: it was changed or removed since it was chosen. Choose it again."
  Object.assign(error as UploadError, { code: "SIZE_MISMATCH", status: 413, message })
}
