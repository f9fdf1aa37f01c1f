import { UploadError } from "../protocol/upload-error.ts"
import type { fileFromPath as fromPath } from "./file-from-path.ts"

/** The error for a path where paths cannot be read. */
export const noFileSystem = (): UploadError =>
  new UploadError({
    code: "INVALID_CONFIG",
    message: "This runtime has no file system to upload a path from. Give a Blob or a stream.",
  })

/** What browsers and edge runtimes have in place of {@link fromPath}. Fails: rejects with INVALID_CONFIG. */
export const fileFromPath: typeof fromPath = () => Promise.reject(noFileSystem())
