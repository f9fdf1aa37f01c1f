import type { StoredFile } from "../protocol/messages.ts"
import type { UploadError } from "../protocol/errors/upload-error.ts"

/** How the upload of one file ended: exactly one of the two is set. */
export type FileUploadResult =
  { readonly data: StoredFile; readonly error: null } | { readonly data: null; readonly error: UploadError }
