import * as Effect from "effect/Effect"
import type { Incoming } from "../http/incoming.ts"
import { formatByteSize } from "../protocol/byte-size.ts"
import { limits } from "../protocol/limits.ts"
import { appendBytes, nothingGathered, toBytes } from "./append-bytes.ts"
import { type BodyShare, noRoom } from "./body-memory.ts"
import { Rejected } from "./rejected.ts"

const tooLarge = (maximum: number) =>
  new Rejected({
    code: "BAD_REQUEST",
    status: 413,
    detail: `The request's body is larger than ${formatByteSize(maximum)}.`,
  })

const tooSlow = (timeout: number) =>
  new Rejected({
    code: "BAD_REQUEST",
    status: 408,
    detail: `The request's body was not complete within ${timeout / 1000} s. Send it again.`,
    headers: { connection: "close" },
  })

const tooMany = () =>
  new Rejected({
    code: "RATE_LIMITED",
    detail: noRoom,
    headers: { "retry-after": "1" },
  })

const readBounded = async (
  request: Incoming,
  maximum: number,
  timeout: number,
  share: BodyShare | undefined,
): Promise<Uint8Array> => {
  const hold = (size: number): void => {
    if (share?.hold(size) === false) throw tooMany()
  }
  if (Number(request.headers.get("content-length") ?? 0) > maximum) throw tooLarge(maximum)
  if (request.bodyUsed || request.body?.locked === true) {
    throw new Rejected({
      code: "INVALID_CONFIG",
      detail:
        "The request's body was read before it reached this handler, so its signature cannot be checked. Put the handler before the code that reads bodies, or let that read `request.clone()`.",
    })
  }
  const reader = request.body?.getReader()
  if (reader === undefined) return new Uint8Array()
  // Counted whatever the header says; arrayBuffer() would not be faster.
  const gather = async () => {
    let gathered = nothingGathered
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      if (gathered.length + read.value.length > maximum) throw tooLarge(maximum)
      gathered = appendBytes(gathered, read.value)
      // Of what has come: strangers would keep others out by what they only announce.
      hold(gathered.length)
    }
    return toBytes(gathered)
  }
  // Our own timer, because a runtime may wait for a client as long as it likes.
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    let granted = 0
    const look = () => {
      const waited = reader.waited?.() ?? 0
      if (waited <= granted) return reject(tooSlow(timeout))
      timer = setTimeout(look, waited - granted)
      granted = waited
    }
    timer = setTimeout(look, timeout)
  })
  try {
    return await Promise.race([gather(), late])
  } catch (cause) {
    reader.cancel().catch(() => {})
    throw cause
  } finally {
    clearTimeout(timer)
  }
}

/** A framework's own limit of bodies ends the stream with its error, which has the status in it, or in its cause. */
const isLimit = (cause: unknown, depth = 3): boolean => {
  if (typeof cause !== "object" || cause === null || depth === 0) return false
  const { status, statusCode, cause: inner } = cause as Record<string, unknown>
  return status === 413 || statusCode === 413 || isLimit(inner, depth - 1)
}

const toBroken = (cause: unknown): Rejected =>
  isLimit(cause)
    ? // Of the configuration: the caller can do nothing, and the log says it once an hour.
      new Rejected({
        code: "INVALID_CONFIG",
        status: 413,
        detail:
          "The app's own limit of bodies refused a request for the route handler: raise it, or leave the handler's path out of it (SvelteKit with adapter-node: BODY_SIZE_LIMIT). Files never pass through the app, but their names and sizes do, and so do callbacks.",
        cause,
      })
    : new Rejected({ code: "BAD_REQUEST", detail: "The request's body broke off. Send it again.", cause })

/**
 * The raw bytes of a request's body, at most `maximum`, all of which have to arrive within `timeout` ms. A large one holds
 * memory of `share` as it arrives, and gives nothing back.
 *
 * Fails: BAD_REQUEST, with status 413 or 408; INVALID_CONFIG; RATE_LIMITED where there is no room for a large one.
 */
export const readBytes = (
  request: Incoming,
  maximum: number,
  timeout: number,
  share?: BodyShare,
): Effect.Effect<Uint8Array, Rejected> =>
  Effect.tryPromise({
    try: () => readBounded(request, maximum, timeout, share),
    catch: (cause) => (cause instanceof Rejected ? cause : toBroken(cause)),
  })

const decoder = new TextDecoder("utf-8", { fatal: true })

/** What JSON may have besides bytes. */
interface JsonBounds {
  /** Levels of arrays and objects. */
  readonly depth: number
  /** Values, arrays and objects included. */
  readonly values: number
}

/**
 * What JSON has too much of, found before it is parsed. Code that walks through a value, such as `JSON.stringify`, needs a stack as
 * deep as the value; and to parse an object of 100,000 members and to look at them takes as long as thousands of requests.
 * Otherwise how many members its objects have.
 */
const scan = (json: Uint8Array, bounds: JsonBounds): string | number => {
  let members = 0
  let depth = 0
  let values = 1
  let isInString = false
  for (let i = 0; i < json.length; i++) {
    const character = json[i]
    if (character === 0x22) isInString = !isInString
    else if (isInString) i += character === 0x5c ? 1 : 0
    else if (character === 0x5b || character === 0x7b) {
      values++
      if (++depth > bounds.depth) return `is nested more than ${bounds.depth} levels deep`
    } else if (character === 0x5d || character === 0x7d) depth--
    else if (character === 0x3a) members++
    else if (character === 0x2c) values++
    if (values > bounds.values) return `has more than ${bounds.values.toLocaleString("en")} values`
  }
  return members
}

const toBad = (what: string) => new Rejected({ code: "BAD_REQUEST", detail: `The request's body ${what}.` })

/**
 * Parses bytes as UTF-8 JSON. With `count`, which counts the members of all objects in a value, no object may have a member twice:
 * parsers take one of them, and not all the same one. Fails: `Rejected`, code BAD_REQUEST.
 */
export const parseJson = (
  bytes: Uint8Array,
  {
    depth = limits.messageDepth,
    values = Infinity,
    count,
  }: Partial<JsonBounds> & { readonly count?: ((json: unknown) => number) | undefined } = {},
): Effect.Effect<unknown, Rejected> =>
  Effect.suspend(() => {
    const found = scan(bytes, { depth, values })
    if (typeof found === "string") return Effect.fail(toBad(found))
    let json: unknown
    try {
      json = JSON.parse(decoder.decode(bytes))
    } catch {
      return Effect.fail(toBad("is not JSON"))
    }
    return count !== undefined && count(json) !== found
      ? Effect.fail(toBad("has a member twice"))
      : Effect.succeed(json)
  })

/** What the body of a client may have. */
const requestBounds: JsonBounds = { depth: limits.requestDepth, values: limits.requestValues }

/**
 * The body of a client's request as a message, at most `maximum` bytes, complete within `timeout` ms.
 *
 * Fails: as {@link readBytes}; `Rejected`, code BAD_REQUEST, with the decoder's sentences.
 */
export const readMessage = <A>(
  request: Incoming,
  maximum: number,
  timeout: number,
  decode: (json: unknown) => Effect.Effect<A, string>,
  share?: BodyShare,
): Effect.Effect<A, Rejected> =>
  Effect.flatMap(readBytes(request, maximum, timeout, share), (bytes) =>
    Effect.flatMap(parseJson(bytes, requestBounds), (json) =>
      Effect.mapError(decode(json), (detail) => new Rejected({ code: "BAD_REQUEST", detail })),
    ),
  )
