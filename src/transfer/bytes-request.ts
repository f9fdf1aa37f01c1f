import type { UploadBody } from "./uploadable-file.ts"

/** One request with raw bytes. */
export interface BytesRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: UploadBody
  /** Bytes of the body. */
  readonly size: number
  /** Whether the body is a whole file of which nothing has been sent yet, and does as well without the headers. */
  readonly isPlain: boolean
  readonly signal: AbortSignal
  /** Bytes of this body handed to the network so far. */
  readonly onProgress: (loaded: number) => void
  /** Says that it goes on, and how many times as long as otherwise nothing more may be heard of it. */
  readonly touch: (times?: number) => void
}
