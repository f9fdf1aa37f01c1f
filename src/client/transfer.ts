import type { PresignedUpload, UploadResult } from "../protocol/messages.ts"
import { names } from "../protocol/names.ts"
import { formatUploadRange } from "../protocol/range.ts"
import type { TraceContext } from "../protocol/trace-context.ts"
import { UploadError } from "../protocol/upload-error.ts"
import { type Fetch, fetchReply, readReply, type Reply } from "./reply.ts"
import { retry, type RetryOptions } from "./retry.ts"
import { sendBytes } from "./send-bytes.ts"
import type { UploadableFile } from "./uploadable-file.ts"

/** What moving one file takes. */
export interface TransferOptions {
  readonly file: UploadableFile
  readonly url: PresignedUpload["url"]
  /** Whether bytes may be stored already: then the ingest is asked for the offset first. */
  readonly isResumed: boolean
  readonly trace: TraceContext | undefined
  readonly fetch: Fetch
  readonly retry: RetryOptions
  readonly signal: AbortSignal
  /** Bytes of the file that are stored or on their way. May go back after a lost connection. */
  readonly onProgress: (loaded: number) => void
}

const readOffset = (reply: Reply): number | undefined => {
  const header = reply.header(names.header.rangeStart)
  return header !== null && /^\d{1,15}$/.test(header) ? Number(header) : undefined
}

const isResult = (json: unknown): json is UploadResult => typeof (json as UploadResult | null)?.key === "string"

/**
 * PUTs a file to its signed URL; after a failure goes on from what the ingest has stored.
 *
 * Shape:  `PUT url`, `Range: bytes=<offset>-`, raw bytes; before a retry `HEAD url` for the offset.
 * Fails:  rejects with an UploadError; with the signal's reason or NETWORK_ERROR when aborted.
 * Source: docs/protocol.md §10.
 */
export const transfer = (options: TransferOptions): Promise<UploadResult> => {
  const { file, url, trace, fetch, signal, onProgress } = options
  let known = options.isResumed ? undefined : 0
  let stored = 0
  return retry(
    async (forget) => {
      let offset = known
      known = undefined
      if (offset === undefined) {
        const reply = await fetchReply(fetch, url, { method: "HEAD", headers: { ...trace }, signal })
        if (reply.status !== 200) return readReply<never>(reply, () => undefined)
        offset = readOffset(reply)
        if (offset === undefined) {
          const message = `The ingest named no offset. Does something on the way hide ${names.header.rangeStart}?`
          return { error: new UploadError({ code: "INTERNAL_ERROR", message }) }
        }
        signal.throwIfAborted()
      }
      if (offset > stored) {
        stored = offset
        forget()
      }
      const start = offset
      onProgress(start)
      const reply = await sendBytes(fetch, {
        url,
        // The signed URL says what the file is. Its own type, were it multipart/form-data, would be taken for framing.
        headers: { ...trace, "content-type": "application/octet-stream", range: formatUploadRange(start) },
        body: file.slice(start) as Blob,
        signal,
        onProgress: (loaded) => onProgress(start + loaded),
      })
      if (reply.status === 409) known = readOffset(reply)
      const attempt = readReply(reply, (json) => (isResult(json) ? json : undefined))
      return known === undefined ? attempt : { ...attempt, wait: 0 }
    },
    options.retry,
    signal,
  )
}
