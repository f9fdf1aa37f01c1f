import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { discardBody, type PostFailed, postJson } from "../http/post-json.ts"
import { parseJson, readBytes } from "../http/read-body.ts"
import { Rejected } from "../http/rejected.ts"
import { limits } from "../protocol/limits.ts"
import type { CallbackEvent, CallbackResult, ErrorEvent, Hook } from "../protocol/messages.ts"
import { names } from "../protocol/names.ts"
import { verifyOneOf } from "../protocol/signature-list.ts"
import { isProblemCode } from "../protocol/problem.ts"
import { parseTraceContext } from "../protocol/trace-context.ts"
import { UploadError } from "../protocol/upload-error.ts"
import { CallbackEventSchema, ErrorEventSchema } from "../schema/callback.ts"
import { createDecoder } from "../schema/decode.ts"
import type { Call, NamedRoute } from "./app.ts"
import { encodeReturned } from "./encode-returned.ts"
import type { Delivery } from "./user-code-arguments.ts"
import type { Credentials } from "../protocol/credentials.ts"
import { callUserCode } from "./user-code.ts"

const decodeCallback = createDecoder(CallbackEventSchema)
const decodeError = createDecoder(ErrorEventSchema)

const toBadRequest = (detail: string) => new Rejected({ code: "BAD_REQUEST", detail: `The callback's body: ${detail}` })

/** The raw bytes of a callback that this app's ingest signed. */
const authenticate = Effect.fnUntraced(function* ({ request }: Call, { signer }: Credentials) {
  const signatures = request.headers.get(names.header.signature) ?? ""
  const bytes = yield* readBytes(request, limits.requestBody)
  const isValid = yield* Effect.promise(() => verifyOneOf(bytes, signatures, signer))
  if (isValid) return bytes
  return yield* new Rejected({
    code: "INVALID_SIGNATURE",
    detail: "The callback was not signed with this app's key, or its body was changed on the way.",
  })
})

/** Refuses a replayed event, and one of an ingest that is not ours: it would be sent our API key. */
const checkEvent = Effect.fnUntraced(function* (
  call: Call,
  { ingestUrl }: Credentials,
  { sentAt, origin }: CallbackEvent | ErrorEvent,
) {
  const { callbackTolerance } = call.app.settings
  const age = Date.now() - sentAt
  if (Math.abs(age) > callbackTolerance) {
    return yield* new Rejected({
      code: "FORBIDDEN",
      detail: `The callback was sent ${Math.round(age / 1000)} s ago; at most ${callbackTolerance / 1000} s are allowed. Check the clocks of app and ingest.`,
    })
  }
  if (origin !== ingestUrl) {
    return yield* new Rejected({
      code: "FORBIDDEN",
      detail: `The callback comes from ${origin}; this app's ingest is ${ingestUrl}. Give both the same URL.`,
    })
  }
})

const encodeResult = (result: CallbackResult): string => JSON.stringify(result)

/** A {@link CallbackResult} around what `onUploadComplete` returned. Fails: as {@link encodeReturned} does. */
const encodeData = (fileKey: string, returned: unknown): Effect.Effect<string, Rejected> =>
  Effect.map(
    encodeReturned(returned, {
      what: "What the route's onUploadComplete returned",
      maximum: limits.callbackData,
      remedy: "Return an id or a URL.",
    }),
    (json) => `{"fileKey":${JSON.stringify(fileKey)},"callbackData":${json}}`,
  )

/** ms the ingest has to take the result. */
const resultTimeout = 10_000

const postResult = (call: Call, { apiKey, ingestUrl }: Credentials, result: string) =>
  postJson({
    url: `${ingestUrl}/${names.path.callbackResult}`,
    headers: { [names.header.apiKey]: apiKey, ...parseTraceContext(call.request.headers) },
    body: result,
    timeout: resultTimeout,
    fetch: call.app.fetch,
  }).pipe(Effect.map(discardBody))

/** The event stays due: the ingest delivers it again when this is answered with an error. */
const toUndelivered = (failure: PostFailed) =>
  new Rejected({
    code: "INGEST_UNAVAILABLE",
    detail: "The result of the callback did not reach the ingest; deliver the event again.",
    cause: failure.message,
  })

const toDelivery = ({ id, attempt, sentAt }: Delivery): Delivery => ({ id, attempt, sentAt })

const received = () => Response.json({ ok: true })

/**
 * A file has arrived: run the route's `onUploadComplete`, post what it returned, then answer.
 *
 * Where it throws, the error is posted instead and the answer is an error, so that the event comes again.
 */
const complete = Effect.fnUntraced(function* (call: Call, credentials: Credentials, route: NamedRoute, json: unknown) {
  const event = yield* Effect.mapError(decodeCallback(json), toBadRequest)
  yield* checkEvent(call, credentials, event)
  const { file, metadata } = event
  const { request, native } = call
  const result = yield* callUserCode(() =>
    route.definition.onUploadComplete({ ...native, request, metadata, file, delivery: toDelivery(event) }),
  ).pipe(
    Effect.flatMap((returned) => encodeData(file.key, returned)),
    Effect.tapCause((cause) => {
      const refusal = cause.reasons.find(Cause.isFailReason)?.error.detail
      const error = encodeResult({ fileKey: file.key, error: refusal ?? "onUploadComplete threw an error." })
      return Effect.catch(postResult(call, credentials, error), () => Effect.void)
    }),
  )
  yield* Effect.mapError(postResult(call, credentials, result), toUndelivered)
  return received()
})

/** The upload of a file failed for good: run the route's `onUploadError`. */
const fail = Effect.fnUntraced(function* (call: Call, credentials: Credentials, route: NamedRoute, json: unknown) {
  const event = yield* Effect.mapError(decodeError(json), toBadRequest)
  yield* checkEvent(call, credentials, event)
  const { fileKey, metadata } = event
  const { request, native } = call
  const { onUploadError } = route.definition
  if (onUploadError !== undefined) {
    const { code, message } = event.error
    const error = new UploadError({ code: isProblemCode(code) ? code : "INTERNAL_ERROR", message })
    yield* callUserCode(() =>
      onUploadError({ ...native, request, metadata, fileKey, error, delivery: toDelivery(event) }),
    )
  }
  yield* Effect.mapError(postResult(call, credentials, encodeResult({ fileKey, callbackData: null })), toUndelivered)
  return received()
})

/**
 * The ingest calls back about one file.
 *
 * Order of work: signature over the raw bytes → decode → age and origin → the route's own code → its result to the
 * ingest → answer.
 * Source: docs/protocol.md §8, §9.
 */
export const receiveCallback = Effect.fnUntraced(function* (call: Call, route: NamedRoute, hook: Hook) {
  const credentials = yield* call.app.credentials
  const bytes = yield* authenticate(call, credentials)
  const json = yield* parseJson(bytes)
  return yield* hook === "callback" ? complete(call, credentials, route, json) : fail(call, credentials, route, json)
})
