import type { RetryOptions } from "../transfer/retry.ts"
import type { DurationInput } from "../protocol/duration.ts"
import type { UploadDetails } from "./upload-source.ts"
import type { ServerUploadProgress } from "./upload-progress.ts"

/** What an upload from the server is told; each file may say otherwise of its own `acl` and `contentDisposition`. */
export interface ServerUploadOptions extends Pick<UploadDetails, "acl" | "contentDisposition"> {
  /** Files on their way at the same time. Default 6. */
  readonly concurrency?: number | undefined
  /** Ends all that has not ended, with code ABORTED. */
  readonly signal?: AbortSignal | undefined
  /** Called whenever bytes of a file have left, and once when the ingest has confirmed it. */
  readonly onUploadProgress?: ((progress: ServerUploadProgress) => void) | undefined
  readonly retry?: RetryOptions | undefined
  /** How long a signed URL is valid, `"2 hours"` or seconds; one that expires on the way is signed anew. Default an hour. */
  readonly expiresIn?: DurationInput | undefined
}
