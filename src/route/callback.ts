import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { toJsonAnswer } from "../http/answer.ts"
import { type PostFailed, postJson } from "../server-kit/post-json.ts"
import { parseJson, readBytes } from "../server-kit/read-body.ts"
import { Rejected } from "../server-kit/rejected.ts"
import { limits } from "../protocol/limits.ts"
import type { CallbackEvent, CallbackResult, ErrorEvent, Hook, OwnLabels } from "../protocol/messages.ts"
import { names } from "../protocol/names.ts"
import { hasSignature, verifyOneOf } from "../protocol/signing/signature-list.ts"
import { isProblemCode, toProblemDocument } from "../protocol/errors/problem.ts"
import { acceptsResult, signAnswer } from "../protocol/signing/signed-answer.ts"
import { parseTraceContext } from "../protocol/trace-context.ts"
import { UploadError } from "../protocol/errors/upload-error.ts"
import { CallbackEventSchema, ErrorEventSchema } from "../schema/callback.ts"
import { createDecoder } from "../schema/decode.ts"
import type { Call, NamedRoute } from "./app.ts"
import { answerCheck } from "./callback-url.ts"
import { encodeReturned } from "./encode-returned.ts"
import type { Delivery } from "./builder/user-code-arguments.ts"
import type { Credentials } from "../protocol/signing/credentials.ts"
import type { UserCode } from "./describe-thrown.ts"
import { callUserCode, toArguments } from "./user-code.ts"

const decodeCallback = createDecoder(CallbackEventSchema)
const decodeError = createDecoder(ErrorEventSchema)

/** An older ingest does not say what they are. */
const noLabels: OwnLabels = { owner: null, path: null }

const toBadRequest = (detail: string) => new Rejected({ code: "BAD_REQUEST", detail: `The callback's body: ${detail}` })

/** The raw bytes of a callback that this app's ingest signed. */
const authenticate = Effect.fnUntraced(function* ({ app, request, share }: Call, { signer }: Credentials) {
  const signatures = request.headers.get(names.header.signature) ?? ""
  // Where nothing can be the signature, the body is not even read.
  if (hasSignature(signatures)) {
    const bytes = yield* readBytes(request, limits.requestBody, app.settings.bodyTimeout, share)
    const isValid = yield* Effect.promise(() => verifyOneOf(bytes, signatures, signer))
    if (isValid) {
      if (app.sentToSelf.has(signatures)) app.sentToSelf.set(signatures, true)
      return bytes
    }
  }
  return yield* new Rejected({
    code: "INVALID_SIGNATURE",
    detail: "The callback was not signed with this app's key, or its body was changed on the way.",
  })
})

/** Refuses a body that was signed for another route of the app: any client can choose the slug in the query. */
const checkSlug = ({ slug }: NamedRoute, json: unknown): Effect.Effect<void, Rejected> =>
  (json as { slug?: unknown } | null)?.slug === slug
    ? Effect.void
    : Effect.fail(
        new Rejected({
          code: "INVALID_SIGNATURE",
          detail: `The callback was not signed for route ${JSON.stringify(slug)}.`,
        }),
      )

/** Refuses a replayed event, and one of another ingest, which would otherwise be sent our API key. */
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

/** A {@link CallbackResult} around the return value of `onUploadComplete`. Fails: as {@link encodeReturned} does. */
const encodeData = (
  fileKey: string,
  eventId: string,
  code: UserCode,
  returned: unknown,
): Effect.Effect<string, Rejected> =>
  Effect.map(
    encodeReturned(returned, {
      code,
      maximum: limits.callbackData,
      remedy: "Return an id or a URL.",
    }),
    (json) => `${encodeResult({ fileKey, eventId, callbackData: null }).slice(0, -5)}${json}}`,
  )

/** How long the ingest has to accept the result, ms. */
const resultTimeout = 10_000

/** Posts a {@link CallbackResult}, as JSON. */
export const postResult = (call: Call, { apiKey, ingestUrl }: Credentials, result: string) =>
  postJson({
    url: `${ingestUrl}/${names.path.callbackResult}`,
    headers: { [names.header.apiKey]: apiKey, ...parseTraceContext(call.request.headers) },
    body: result,
    timeout: resultTimeout,
    send: call.app.send,
  })

/** The event stays due: the ingest delivers it again when it gets an error as the answer. */
const toUndelivered = (failure: PostFailed) =>
  new Rejected({
    code: "INGEST_UNAVAILABLE",
    detail: "The result of the callback did not reach the ingest; deliver the event again.",
    cause: failure.message,
  })

const toDelivery = ({ id, attempt, sentAt }: Delivery): Delivery => ({ id, attempt, sentAt })

/**
 * How long the sender of a callback surely waits for the answer, ms. A result that comes later is posted: its
 * connection, or that of a proxy, may be gone.
 */
const surePatience = 5000

/** Whether the sender of a callback reads the result in the answer. */
const isReadInAnswer = ({ request }: Call): boolean => request.headers.get(names.header.accept) === acceptsResult

/** Answers with a {@link CallbackResult}, signed as the answer to this attempt. */
const answerWith = Effect.fnUntraced(function* (
  { signer }: Credentials,
  event: CallbackEvent | ErrorEvent,
  result: string,
  status = 200,
) {
  const signature = yield* Effect.promise(() => signAnswer(event, result, signer))
  const headers = {
    "content-type": "application/json",
    "cache-control": "no-store, no-transform",
    [names.header.signature]: signature,
  }
  return { status, headers, body: result }
})

/**
 * Tells the ingest what came of an event: in the answer where it reads it there, else by a request and an answer after
 * that. Where the app's code failed, the error is told instead and the answer is an error, so that the event is sent again.
 */
const report = Effect.fnUntraced(function* (
  call: Call,
  credentials: Credentials,
  event: CallbackEvent | ErrorEvent,
  { hook }: UserCode,
  result: Effect.Effect<string, Rejected>,
) {
  const { app } = call
  const toError = (refusal: Rejected | undefined) =>
    encodeResult({
      fileKey: event.status === "uploaded" ? event.file.key : event.fileKey,
      eventId: event.id,
      attempt: event.attempt,
      error: ((refusal && app.publish(refusal).detail) ?? `${hook} failed.`).slice(0, limits.callbackError),
    })
  const post = (text: string) => postResult(call, credentials, text)
  const postFirst = (text: string) => Effect.as(Effect.mapError(post(text), toUndelivered), toJsonAnswer({ ok: true }))
  if (isReadInAnswer(call)) {
    const begun = performance.now()
    const mayBeLost = (kept: string) => kept.length > limits.callbackAnswer || performance.now() - begun > surePatience
    return yield* Effect.matchEffect(result, {
      onSuccess: (kept) => (mayBeLost(kept) ? postFirst(kept) : answerWith(credentials, event, kept)),
      onFailure: (refusal) => {
        const { status } = toProblemDocument(refusal.code, refusal.detail, refusal)
        return Effect.andThen(app.logFault(refusal), answerWith(credentials, event, toError(refusal), status))
      },
    })
  }
  const kept = yield* Effect.tapCause(result, (cause) => {
    const refusal = cause.reasons.find(Cause.isFailReason)?.error
    return Effect.catch(post(toError(refusal)), () => Effect.void)
  })
  return yield* postFirst(kept)
})

/** Handles a file that has arrived: runs the route's `onUploadComplete` and reports its result. */
const complete = Effect.fnUntraced(function* (call: Call, credentials: Credentials, route: NamedRoute, json: unknown) {
  const event = yield* Effect.mapError(decodeCallback(json), toBadRequest)
  yield* checkEvent(call, credentials, event)
  const { file, metadata, labels = noLabels } = event
  const code = { hook: "onUploadComplete", slug: route.slug }
  const result = callUserCode(code, () =>
    route.definition.onUploadComplete(toArguments(call, { metadata, labels, file, delivery: toDelivery(event) })),
  ).pipe(Effect.flatMap((returned) => encodeData(file.key, event.id, code, returned)))
  return yield* report(call, credentials, event, code, result)
})

/** Handles an upload that failed for good: runs the route's `onUploadError`. */
const fail = Effect.fnUntraced(function* (call: Call, credentials: Credentials, route: NamedRoute, json: unknown) {
  const event = yield* Effect.mapError(decodeError(json), toBadRequest)
  yield* checkEvent(call, credentials, event)
  const { fileKey, metadata, labels = noLabels, file = null } = event
  const { onUploadError } = route.definition
  const code = { hook: "onUploadError", slug: route.slug }
  const { code: problem, message } = event.error
  const error = new UploadError({ code: isProblemCode(problem) ? problem : "INTERNAL_ERROR", message })
  const result = callUserCode(code, () =>
    onUploadError?.(toArguments(call, { metadata, labels, fileKey, file, error, delivery: toDelivery(event) })),
  ).pipe(Effect.map(() => encodeResult({ fileKey, eventId: event.id, callbackData: null })))
  return yield* report(call, credentials, event, code, result)
})

/**
 * Handles a callback of the ingest about one file.
 *
 * Order of work: signature over the raw bytes → the route it was signed for → decode → age and origin → the route's own
 * code → its result to the ingest, where it does not read it in the answer → answer.
 * Source: docs/protocol.md §8, §9.
 */
export const receiveCallback = Effect.fnUntraced(function* (call: Call, route: NamedRoute, hook: Hook | "check") {
  const credentials = yield* call.app.credentials
  const bytes = yield* authenticate(call, credentials)
  const json = yield* parseJson(bytes)
  yield* checkSlug(route, json)
  if (hook === "check") return yield* answerCheck(call, json, credentials.ingestUrl)
  return yield* hook === "callback" ? complete(call, credentials, route, json) : fail(call, credentials, route, json)
})
