import type { UploadError } from "../protocol/errors/upload-error.ts"

/** The result of one attempt. `wait`: ms until the next one, where the server said so; 0 means "at once, whatever the error". */
export type Attempt<A> = { readonly value: A } | { readonly error: UploadError; readonly wait?: number | undefined }
