import type { UploadError } from "../protocol/errors/upload-error.ts"

/** ms until the file is read once more. */
const secondLook = 500

/**
 * Makes the error of a file that cannot be read say so. Browsers refuse to read a file that was changed or removed since it
 * was chosen, and report a broken connection. The error is changed, because this is loaded later than its class.
 *
 * In WebKit no file can be read in a page that is being left either, and the upload of a page that is reloaded is to be
 * resumed. So the file is read a second time, a moment later: a page that is left is gone by then.
 *
 * @param look whether the file can be read, which it could not once
 */
export const explain = async (error: unknown, look: () => Promise<boolean>): Promise<void> => {
  if ((error as UploadError).code !== "NETWORK_ERROR") return
  await new Promise((resolve) => setTimeout(resolve, secondLook))
  if (await look()) return
  const message = "The file cannot be read: it was changed or removed since it was chosen. Choose it again."
  Object.assign(error as UploadError, { code: "SIZE_MISMATCH", status: 413, message })
}
