import type { UploadResult } from "../protocol/messages.ts"
import { largestAppendHeader, rangeStartHeader, transportParameter } from "../protocol/names.ts"
import { formatUploadRange } from "../protocol/files/range.ts"
import type { TraceContext } from "../protocol/trace-context.ts"
import type { UploadError } from "../protocol/errors/upload-error.ts"
import type { Attempt } from "./attempt.ts"
import { isReadable } from "./is-readable.ts"
import { type Fetch, fetchReply, networkError, readReply, type Reply } from "./reply.ts"
import { retry, type RetryOptions, type RetryWait } from "./retry.ts"
import { sendBytes } from "./send-bytes.ts"
import type { UploadableFile } from "./uploadable-file.ts"

/** All bytes have been sent, and there is no answer yet: usually the app is being asked. */
interface AnswerWait {
  readonly reason: "app"
  readonly delay?: undefined
  readonly error?: undefined
  readonly retryNow?: undefined
}

/** From so many bytes on the ingest is asked first whether it takes a file. */
const large = 5e7

/** What cuts bodies into pieces and sends them past the ingest, once somebody on the way takes no large ones; few ever need it. */
let cutter: typeof import("./late.ts") | undefined

/** Where it cannot be loaded, bodies stay whole. */
const loadCutter = async () => (cutter ??= await import("./late.ts").catch(() => undefined))

/** Options for the transfer of one file. They are the transfer's own: while an attempt lasts, the signal is that of the attempt. */
export interface TransferOptions {
  readonly file: UploadableFile
  /** The current signed URL; it changes when it is renewed. */
  readonly url: () => string
  /** Replaces a URL that was refused. */
  readonly renew: (refused: string) => Promise<unknown>
  /** Whether bytes may already be stored: the ingest is then asked for the offset first. */
  readonly isStored: boolean
  readonly trace: TraceContext | undefined
  readonly fetch: Fetch
  readonly retry: RetryOptions
  readonly signal: AbortSignal
  /** Bytes are about to be sent, from an offset on: once per attempt. */
  readonly onStart: (offset: number) => void
  /** Bytes of the file that are stored or being sent. May go back after a lost connection. */
  readonly onProgress: (loaded: number) => void
  readonly onWait: (wait: RetryWait | AnswerWait) => void
}

/** Whether an answer is the result of the file that a URL is for. */
const isResult = (json: unknown, url: string): json is UploadResult => {
  const key: unknown = (json as UploadResult | null)?.key
  return typeof key === "string" && url.includes(`/${key}?`)
}

/**
 * Sends a file to its signed URL; after a failure resumes from what the ingest has stored. A URL that is refused as
 * expired is renewed, but only once until more bytes are stored.
 *
 * Shape:  `PUT url`, `Range: bytes=<offset>-`, raw bytes; before a retry `HEAD url` for the offset. From pages a small
 *         file first goes as `POST url`.
 * Fails:  rejects with an UploadError, SIZE_MISMATCH where the file was changed or removed since it was chosen; with the
 *         signal's reason or NETWORK_ERROR when aborted.
 * Source: docs/protocol.md §10.
 */
export const transfer = async (options: TransferOptions): Promise<UploadResult> => {
  const { file, trace, fetch, onProgress, signal: whole } = options
  /**
   * Whether it is read as any Blob is, which React Native's are not. Then it goes as it is: a slice of all of it would cost
   * a page as much as reading it.
   */
  const isBlob = (file as { readonly stream?: unknown }).stream && file.slice === Blob.prototype.slice
  // Before very many bytes go out, the ingest says whether it takes them: browsers read an answer once all are sent.
  let known = options.isStored || file.size > large ? -1 : 0
  let stored = 0
  let mayRenew = true
  /** Bodies in a row that left nothing behind, though the ingest can be asked where they end. */
  let silent = known
  let url: string
  /** Whether the bytes may go past the ingest. A POST to such a URL asks where. */
  let isDirect: boolean | undefined = options.url().includes(transportParameter)
  /** Refused by HEAD, which has no body that would say why; the renewal of the URL will. */
  let isRefused = false

  /** How much is stored; -1 where the answer does not say, or says more than there is. */
  const readOffset = (reply: Reply): number => {
    const header = reply.header(rangeStartHeader)!
    return /^\d+$/.test(header) && +header <= file.size ? +header : -1
  }

  /**
   * To what sends it, a file that cannot be read is a connection that breaks. Nothing is loaded where the file can be read:
   * then the network is down, and an app may answer a module that cannot be loaded by a reload of the page.
   */
  const lookAtFile = async (error: unknown): Promise<void> => {
    if (!isBlob || options.signal.aborted) return
    const look = () => isReadable(file as unknown as Blob)
    if (!(await look())) await (await loadCutter())?.explain(error, look)
  }

  const attempt = async (
    forget: (failures: number) => void,
    signal: AbortSignal,
    touch: (times?: number) => void,
  ): Promise<Attempt<UploadResult>> => {
    const live = Object.assign(options, { signal, touch, forget })
    const look = async (reply: Reply, start?: number, size?: number): Promise<Reply> => {
      const largest = reply.header(largestAppendHeader)
      // Not where the answer only says to wait: an app that is being deployed may lack the code.
      if (largest || file.size > large || /41|22|07/.test(`${reply.status}`)) await loadCutter()
      return cutter?.learn(reply, live, largest, start, size, silent, fetchReply, readOffset) ?? reply
    }
    url = options.url()
    // Where the body begins; -1 until the ingest has said it.
    let start = known
    const isFirst = !start
    known = -1
    if (start < 0) {
      const reply = await look(await fetchReply(fetch, url, { method: "HEAD", headers: { ...trace }, signal }))
      isRefused = reply.status === 403
      silent++
      if (reply.status !== 200) return readReply<never>(reply, () => undefined)
      start = readOffset(reply)
      // A network that wants a log-in answers anything; a proxy may remove the header.
      if (start < 0) throw networkError()
      signal.throwIfAborted()
    }
    if (start > stored) {
      stored = start
      silent = 0
      mayRenew = true
      forget(0)
    }
    options.onStart(start)
    if (isDirect && start < file.size) {
      onProgress(start)
      const past = await (await loadCutter())?.sendDirect(live, url, sendBytes, fetchReply, readReply, networkError)
      if (past && "error" in past) {
        await lookAtFile(past.error)
        return past
      }
      isDirect = past?.value
      if (isDirect) start = file.size
    }
    let timer: ReturnType<typeof setTimeout> | undefined
    const sent = (loaded: number) => {
      loaded += start
      touch(loaded < file.size ? 1 : 6)
      onProgress(loaded)
      // An answer that arrives within a second need not be announced.
      if (loaded >= file.size) timer ??= setTimeout(() => signal.aborted || options.onWait({ reason: "app" }), 1000)
    }
    sent(0)
    if (silent > 1) await loadCutter()
    const [body, size] = cutter
      ? await cutter.takePiece(url, options, start, silent)
      : [isBlob && start === 0 ? file : await file.slice(start), file.size - start]
    const reply = await look(
      await sendBytes(fetch, {
        url,
        // The signed URL says what the file is. Its own type would be taken for framing if it were multipart/form-data.
        headers: { ...trace, "content-type": "application/octet-stream", range: formatUploadRange(start) },
        body,
        size,
        isPlain: isFirst && !trace && !url.includes(transportParameter),
        signal,
        touch,
        onProgress: sent,
      })
        .catch(async (error: unknown) => {
          await lookAtFile(error)
          throw error
        })
        .finally(() => clearTimeout(timer)),
      start,
      size,
    )
    // Where it has made progress, it is about to fail all the same.
    if (reply.status === 409 && (known = readOffset(reply)) > stored) {
      forget(-1)
      // Of next to none there could be millions.
      if (known - stored < 2 ** 16) await new Promise((resolve) => setTimeout(resolve, 500))
    }
    const result = readReply(reply, (json) => (isResult(json, url) ? json : undefined))
    return known < 0 ? result : { ...result, wait: 0 }
  }

  for (;;) {
    try {
      return await retry(attempt, options.retry, whole, options.onWait)
    } catch (error) {
      const mayHelp = isRefused || (error as UploadError).code === "EXPIRED_URL"
      if (!mayHelp || !mayRenew || whole.aborted) throw error
    } finally {
      cutter?.release(options)
    }
    await options.renew(url!)
    isRefused = mayRenew = false
  }
}
