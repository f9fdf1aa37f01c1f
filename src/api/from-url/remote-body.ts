import { UploadError } from "../../protocol/errors/upload-error.ts"
import { toByteStream } from "./byte-stream.ts"
import { readEncodings } from "./decode-body.ts"
import type { RemoteReply } from "./fetch-remote.ts"
import { type FileVersion, isSameVersion, mayBeSameVersion, readFileVersion } from "./file-version.ts"
import { describeUrl } from "./remote-url.ts"

/** The bytes of a file of known size, from any offset on. */
export interface RemoteBody {
  readonly read: (start: number) => Promise<ReadableStream<Uint8Array>>
  readonly close: () => void
}

/** After this many breaks in a row, each after fewer bytes than `steadyBytes`, the source is not asked again. */
const maxBreaks = 4
const steadyBytes = 1024 * 1024

const changed = (url: URL): UploadError =>
  new UploadError({
    code: "DIGEST_MISMATCH",
    message: `${describeUrl(url)} changed while it was being copied. Upload it again.`,
  })

/** How many bytes of a reply come before `start`. */
const bytesToDrop = (reply: RemoteReply, first: FileVersion, size: number, start: number): number => {
  const { url, status, headers } = reply
  const version = readFileVersion(headers)
  if (status === 429 || status >= 500) {
    const message = `${describeUrl(url)} answered ${status} when asked for the rest of the file. Try again later.`
    throw new UploadError({ code: "NETWORK_ERROR", message })
  }
  if (status !== 200 && status !== 206 && status !== 416) {
    const message = `${describeUrl(url)} answered ${status} when asked for the rest of the file. Upload it again.`
    throw new UploadError({ code: "BAD_REQUEST", message })
  }
  const isPlain = readEncodings(headers).length === 0
  if (status === 206 && isPlain && start > 0) {
    const [, from, total] = /^bytes (\d{1,15})-\d{1,15}\/(\d{1,15}|\*)$/.exec(headers.get("content-range") ?? "") ?? []
    const isTotal = total === "*" || Number(total) === size
    if (Number(from) === start && isTotal && mayBeSameVersion(first, version)) return 0
  }
  if (status === 200 && isPlain && Number(headers.get("content-length") ?? -1) === size) {
    if (start === 0 ? mayBeSameVersion(first, version) : isSameVersion(first, version)) return start
  }
  throw changed(url)
}

/**
 * The bytes of a file as its server sends them. Nothing is kept: to resume at an offset, or after the server broke
 * off, the rest is requested, and only the rest of the same file is accepted.
 *
 * Fails: the stream with NETWORK_ERROR where trying again may help; with DIGEST_MISMATCH when the file has changed,
 *        with RANGE_MISMATCH when nothing could prove that it has not.
 *
 * @param first the answer to the first request, not read yet
 * @param ask   makes the request again, with headers for a range
 */
export const createRemoteBody = (
  first: RemoteReply,
  size: number,
  ask: (headers: Readonly<Record<string, string>>) => Promise<RemoteReply>,
): RemoteBody => {
  const { url } = first
  const version = readFileVersion(first.headers)
  let unread: RemoteReply | undefined = first
  let current = first
  let breaks = 0
  let end: UploadError | undefined

  /** Counts a failure; `passed` bytes had come before it. */
  const fail = (cause: unknown, passed: number): never => {
    if (!UploadError.is(cause) || cause.code !== "NETWORK_ERROR") throw cause
    breaks = passed < steadyBytes ? breaks + 1 : 1
    if (breaks >= maxBreaks) end = cause
    throw cause
  }

  const resume = async (start: number) => {
    if (end !== undefined) throw end
    const { proof } = version
    if (start > 0 && proof === undefined) {
      const message = `The download of ${describeUrl(url)} broke off and cannot be resumed: its server sends neither a strong ETag nor a usable Last-Modified date, so the rest cannot be matched to the first part. Upload it again.`
      throw new UploadError({ code: "RANGE_MISMATCH", message })
    }
    const reply = await ask(start === 0 ? {} : { range: `bytes=${start}-`, "if-range": proof! })
    try {
      return { reply, drop: bytesToDrop(reply, version, size, start) }
    } catch (error) {
      reply.close()
      throw error
    }
  }

  async function* readExactly(reply: RemoteReply, drop: number, length: number): AsyncGenerator<Uint8Array, void> {
    let before = drop
    let passed = 0
    try {
      for await (const chunk of reply.body) {
        const rest = chunk.subarray(Math.min(before, chunk.byteLength))
        before -= chunk.byteLength - rest.byteLength
        passed += rest.byteLength
        if (passed > length) {
          const message = `${describeUrl(url)} gives more than the ${size} bytes it announced. Its server is at fault.`
          throw new UploadError({ code: "SIZE_MISMATCH", message })
        }
        if (rest.byteLength > 0) yield rest
      }
      if (passed < length) {
        const message = `The server of ${describeUrl(url)} broke off ${length - passed} bytes before the end. Try again.`
        throw new UploadError({ code: "NETWORK_ERROR", message })
      }
    } catch (cause) {
      fail(cause, passed)
    }
  }

  return {
    read: async (start) => {
      let next: { readonly reply: RemoteReply; readonly drop: number }
      if (start === 0 && unread !== undefined) next = { reply: unread, drop: 0 }
      else {
        current.close()
        next = await resume(start).catch((cause: unknown) => fail(cause, 0))
      }
      unread = undefined
      current = next.reply
      return toByteStream(readExactly(next.reply, next.drop, size - start), next.reply.close)
    },
    close: () => current.close(),
  }
}
