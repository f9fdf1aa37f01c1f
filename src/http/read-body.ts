import * as Effect from "effect/Effect"
import { formatByteSize } from "../protocol/byte-size.ts"
import { Rejected } from "./rejected.ts"

const tooLarge = (maximum: number) =>
  new Rejected({
    code: "BAD_REQUEST",
    status: 413,
    detail: `The request's body is larger than ${formatByteSize(maximum)}.`,
  })

const readBounded = async (request: Request, maximum: number): Promise<Uint8Array> => {
  if (Number(request.headers.get("content-length") ?? 0) > maximum) throw tooLarge(maximum)
  if (request.bodyUsed || request.body?.locked === true) {
    throw new Rejected({
      code: "INTERNAL_ERROR",
      detail:
        "The request's body was read before it reached this handler, so its signature cannot be checked. Put the handler before the code that reads bodies, or let that read `request.clone()`.",
    })
  }
  // Counted whatever the header says; arrayBuffer() would be no faster.
  const chunks: Array<Uint8Array> = []
  let length = 0
  const reader = request.body?.getReader()
  for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
    length += read.value.length
    if (length > maximum) {
      reader?.cancel().catch(() => {})
      throw tooLarge(maximum)
    }
    chunks.push(read.value)
  }
  if (chunks.length === 1) return chunks[0]!
  const bytes = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.length
  }
  return bytes
}

/** The raw bytes of a request's body, at most `maximum` of them. */
export const readBytes = (request: Request, maximum: number): Effect.Effect<Uint8Array, Rejected> =>
  Effect.tryPromise({
    try: () => readBounded(request, maximum),
    catch: (cause) =>
      cause instanceof Rejected
        ? cause
        : new Rejected({ code: "BAD_REQUEST", detail: "The request's body broke off. Send it again.", cause }),
  })

const decoder = new TextDecoder("utf-8", { fatal: true })

/** Parses bytes as UTF-8 JSON. */
export const parseJson = (bytes: Uint8Array): Effect.Effect<unknown, Rejected> =>
  Effect.try({
    try: () => JSON.parse(decoder.decode(bytes)) as unknown,
    catch: () => new Rejected({ code: "BAD_REQUEST", detail: "The request's body is not JSON." }),
  })

/** The body of a request as JSON, at most `maximum` bytes. */
export const readJson = (request: Request, maximum: number): Effect.Effect<unknown, Rejected> =>
  Effect.flatMap(readBytes(request, maximum), parseJson)

/**
 * The body of a request as a message, at most `maximum` bytes.
 *
 * Fails: `Rejected`, code BAD_REQUEST, with the decoder's sentences.
 */
export const readMessage = <A>(
  request: Request,
  maximum: number,
  decode: (json: unknown) => Effect.Effect<A, string>,
): Effect.Effect<A, Rejected> =>
  Effect.flatMap(readJson(request, maximum), (json) =>
    Effect.mapError(decode(json), (detail) => new Rejected({ code: "BAD_REQUEST", detail })),
  )
