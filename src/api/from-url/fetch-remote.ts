import { names } from "../../protocol/names.ts"
import { UploadError } from "../../protocol/errors/upload-error.ts"
import type { FromUrlSettings } from "./from-url-options.ts"
import { checkHost } from "./host-rules.ts"
import { type RemoteAnswer, toSourceError } from "./remote-answer.ts"
import { describeUrl, parseRemoteUrl } from "./remote-url.ts"
import { watchPace } from "./watch-pace.ts"

/** An answer that is not a redirect. Its body rejects only with an UploadError. */
export interface RemoteReply extends Omit<RemoteAnswer, "body"> {
  /** The URL that answered, after all redirects. */
  readonly url: URL
  readonly body: AsyncGenerator<Uint8Array, void>
  /** Closes the connection, whether or not the body was read. */
  readonly close: () => void
}

const maxRedirects = 5
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Bytes per second that a server must send at least, as the ingest demands of its own clients. */
const leastRate = 1024

/** Headers that the connection and ranges need. The caller's own values for these are ignored. */
const ownHeaders: ReadonlyArray<string> = [
  "connection",
  "content-length",
  "expect",
  "host",
  "if-range",
  "keep-alive",
  "range",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]

/**
 * The caller's headers, without those that it may not set.
 *
 * Fails: throws BAD_REQUEST.
 */
export const readHeaders = (headers: Readonly<Record<string, string>> | undefined, url: URL): Headers => {
  try {
    const read = new Headers(headers)
    for (const name of ownHeaders) read.delete(name)
    return read
  } catch (cause) {
    const message = `The \`headers\` for ${describeUrl(url)} contain a name or value that HTTP does not allow, see \`cause\`.`
    throw new UploadError({ code: "BAD_REQUEST", message, cause })
  }
}

const requestOnce = async (url: URL, headers: Headers, settings: FromUrlSettings): Promise<RemoteReply> => {
  checkHost(url, settings)
  const { transport, timeout } = settings
  const controller = new AbortController()
  const signal = AbortSignal.any([settings.signal, controller.signal])
  const seconds = timeout / 1000
  const expire = (what: string) => () => {
    const message = `The server of ${describeUrl(url)} ${what} in ${seconds} s. Try again, or raise \`timeout\`.`
    controller.abort(new UploadError({ code: "NETWORK_ERROR", message }))
  }
  const close = () => controller.abort()
  const timer = setTimeout(expire("gave no answer"), timeout)
  try {
    signal.throwIfAborted()
    const answer = await transport({ url, headers, rules: settings, signal })
    const least = Math.max(1, Math.floor(leastRate * seconds))
    const read = async function* (): AsyncGenerator<Uint8Array, void> {
      try {
        yield* watchPace(answer.body, { timeout, least, onStall: expire(`sent fewer than ${least} bytes`) })
      } catch (cause) {
        throw toSourceError(cause, url, signal)
      } finally {
        close()
      }
    }
    return { ...answer, url, body: read(), close }
  } catch (cause) {
    const error = toSourceError(cause, url, signal)
    close()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/**
 * GETs a URL. Redirects are followed, each checked as the first URL was, never from https to http.
 *
 * Fails: rejects with FORBIDDEN for a host or a redirect that is refused, BAD_REQUEST for an invalid URL or for more
 *        than five redirects, NETWORK_ERROR, ABORTED.
 *
 * @param secrets headers for the origin of `start` only
 * @param own     headers for every origin
 */
export const fetchRemote = async (
  start: URL,
  secrets: Headers,
  own: Readonly<Record<string, string>>,
  settings: FromUrlSettings,
): Promise<RemoteReply> => {
  let url = start
  let mayTell = true
  for (let left = maxRedirects; ; left--) {
    mayTell &&= url.origin === start.origin
    const headers = new Headers({ accept: "*/*", "user-agent": names.word })
    for (const [name, value] of mayTell ? secrets : []) headers.set(name, value)
    // With an encoding, the length would not be the file's, and no part of it could be requested.
    for (const [name, value] of Object.entries({ ...own, "accept-encoding": "identity" })) headers.set(name, value)
    const reply = await requestOnce(url, headers, settings)
    const location = reply.headers.get("location")
    if (location === null || !redirects.has(reply.status)) return reply
    reply.close()
    const next = parseRemoteUrl(location, url)
    if (url.protocol === "https:" && next.protocol === "http:") {
      const message = `${describeUrl(url)} redirects from https to ${describeUrl(next)}, where anybody could change the file. Ask for a URL that stays with https.`
      throw new UploadError({ code: "FORBIDDEN", message })
    }
    if (left === 0) {
      const message = `${describeUrl(start)} redirects more than ${maxRedirects} times. Give the URL it should end at.`
      throw new UploadError({ code: "BAD_REQUEST", message })
    }
    url = next
  }
}
