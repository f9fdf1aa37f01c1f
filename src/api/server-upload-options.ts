import type { RetryOptions } from "../transfer/retry.ts"
import type { DurationInput } from "../protocol/duration.ts"
import type { UploadDetails } from "./upload-source.ts"
import type { ServerUploadProgress } from "./upload-progress.ts"

/** Options of an upload from the server; each file may have its own `acl`, `cache`, `contentDisposition` and `labels` instead. */
export interface ServerUploadOptions extends Pick<UploadDetails, "acl" | "cache" | "contentDisposition" | "labels"> {
  /** How many files are uploaded at the same time. Default 6. */
  readonly concurrency?: number | undefined
  /** Aborts everything that has not ended, with code ABORTED. */
  readonly signal?: AbortSignal | undefined
  /** Called whenever bytes of a file have been sent, and once when the ingest has confirmed it. */
  readonly onUploadProgress?: ((progress: ServerUploadProgress) => void) | undefined
  readonly retry?: RetryOptions | undefined
  /** How long a signed URL is valid, `"2 hours"` or seconds; one that expires during the upload is signed anew. Default an hour. */
  readonly expiresIn?: DurationInput | undefined
}
