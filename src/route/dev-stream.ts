import * as Effect from "effect/Effect"
import type { FetchAnswer } from "../http/fetch-transport.ts"
import { logDebug, logError, logInfo, logWarning } from "../server-kit/logging.ts"
import { type PostAnswer, PostFailed, postJson } from "../server-kit/post-json.ts"
import { toProblemAnswer } from "../server-kit/problem-answer.ts"
import type { Rejected } from "../server-kit/rejected.ts"
import { jitter, pause } from "../server-kit/retry.ts"
import { readJsonLines } from "../protocol/json-lines.ts"
import type { CallbackResult, DevStreamEvent, Hook } from "../protocol/messages.ts"
import { names } from "../protocol/names.ts"
import { DevStreamEventSchema } from "../schema/callback.ts"
import { createDecoder } from "../schema/decode.ts"
import type { Credentials } from "../protocol/signing/credentials.ts"
import type { Call } from "./app.ts"
import { receiveCallback } from "./callback.ts"
import { toNoIngest } from "./no-ingest.ts"
import { explainCallback, isOfHandler } from "./explain-callback.ts"

interface DevStream {
  /** Posts the registration; its answer is the stream. */
  readonly open: Effect.Effect<FetchAnswer, PostFailed>
  /** Explains a refused registration. */
  readonly explain: (failure: PostFailed) => Rejected
  /** Posts a {@link CallbackResult}, as JSON. */
  readonly postResult: (result: string) => Effect.Effect<void, PostFailed>
  readonly callbackUrl: string
  readonly slug: string
  /** When the URLs expire, ms since the epoch: no events can come after that. */
  readonly expires: number
  readonly call: Call
  readonly credentials: Credentials
}

const decode = createDecoder(DevStreamEventSchema)

const isHook = (hook: string): hook is Hook => hook === "callback" || hook === "error"

/** How long the app's own handler has, ms: `onUploadComplete` runs in it. */
const deliveryTimeout = 30_000

/** Refuses an answer that is not the route handler's, such as a page that is served for every path. */
const checkAnswer = ({ status, body }: PostAnswer): Effect.Effect<void, PostFailed> =>
  /"ok":\s*true/.test(body) ? Effect.void : Effect.fail(new PostFailed({ reason: "status", status, body }))

/** Tells the ingest that an attempt has failed, where the route handler did not, so that clients need not wait any longer. */
const postFailure = ({ postResult }: DevStream, { payload }: DevStreamEvent, error: string) =>
  Effect.flatMap(decodeSent(payload), ({ id: eventId, attempt, file, fileKey = file?.key ?? "" }) =>
    postResult(JSON.stringify({ fileKey, eventId, attempt, error } satisfies CallbackResult)),
  ).pipe(Effect.catch((cause) => logDebug("The ingest could not be told of a failed callback.", cause)))

/** The fields of an event that its result names. */
const decodeSent = (payload: string) =>
  Effect.try({
    try: () =>
      JSON.parse(payload) as { id: string; attempt: number; file?: { readonly key: string }; fileKey?: string },
    catch: (cause) => cause,
  })

const owed = "The event is still owed: it is sent again with a later upload, or when the page tries again."

const reportFailed = (stream: DevStream, event: DevStreamEvent, failure: PostFailed): Effect.Effect<void> => {
  const why = explainCallback(failure, stream.callbackUrl, stream.call.adapter)
  // The route handler has logged, and posted, what its own code threw; a second report of the same attempt has no effect.
  const isLogged = isOfHandler(failure) && failure.status! >= 500
  return Effect.andThen(
    isLogged
      ? logInfo(owed)
      : logError(
          isOfHandler(failure)
            ? `The route handler refused the callback of a finished upload. ${why} ${owed}`
            : `The callback of a finished upload did not reach ${stream.callbackUrl}. ${why} ${owed}`,
        ),
    postFailure(stream, event, isOfHandler(failure) ? why : `The callback did not reach the route handler. ${why}`),
  )
}

/** What of an event is sent to the route handler, and where. */
const toPost = ({ callbackUrl, slug, call }: DevStream, event: DevStreamEvent) => {
  const url = new URL(callbackUrl)
  url.searchParams.set(names.action.slug, slug)
  return {
    url: url.href,
    headers: {
      [names.header.hook]: event.hook,
      [names.header.signature]: event.signature,
      ...(event.traceparent !== undefined && { traceparent: event.traceparent }),
    },
    body: event.payload,
    timeout: deliveryTimeout,
    send: call.app.send,
  }
}

/** Why the event is not sent over the network, once an hour, because it is no fault where only development is so. */
const tellHandedOver = ({ call, callbackUrl }: DevStream, { message }: PostFailed): Effect.Effect<void> =>
  Effect.suspend(() =>
    call.app.remind(`handed over ${callbackUrl}`) === undefined
      ? Effect.void
      : logInfo(
          `This server does not reach itself at ${callbackUrl}, so callbacks are handed to the route handler inside the process. ${message} Only development does that: in production the ingest has to reach the app at its URL.`,
        ),
  )

/**
 * Hands an event to the route handler inside the process, with the same checks as a request: a development server with a
 * certificate of its own, or behind a map of ports or a tunnel, need not reach itself.
 *
 * Fails: `PostFailed`, with what a request would have been answered.
 */
const handOver = (
  stream: DevStream,
  event: DevStreamEvent & { readonly hook: Hook },
): Effect.Effect<void, PostFailed> => {
  const { call, slug } = stream
  const { url, headers, body } = toPost(stream, event)
  const request = new Request(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  })
  return receiveCallback(
    { ...call, request, share: undefined, url: new URL(url) },
    call.app.routes.get(slug)!,
    event.hook,
  ).pipe(
    Effect.catch((rejected) => {
      const { status, body: problem } = toProblemAnswer(call.app.publish(rejected))
      const failure = new PostFailed({ reason: "status", status, body: problem as string })
      return Effect.andThen(call.app.logFault(rejected), Effect.fail(failure))
    }),
    Effect.asVoid,
  )
}

/** Posts one event to the app's own callback URL, as the ingest would have done; hands it over where nothing answers. */
const deliver = (stream: DevStream, event: DevStreamEvent & { readonly hook: Hook }): Effect.Effect<void> => {
  const { sentToSelf } = stream.call.app
  sentToSelf.set(event.signature, false)
  return postJson(toPost(stream, event)).pipe(
    Effect.flatMap(checkAnswer),
    Effect.catch((failure) =>
      // What has arrived, or may have, is at work still, or is done.
      failure.reason !== "network" || sentToSelf.get(event.signature) === true
        ? Effect.fail(failure)
        : Effect.andThen(tellHandedOver(stream, failure), handOver(stream, event)),
    ),
    Effect.catch((failure) => reportFailed(stream, event, failure)),
    Effect.ensuring(Effect.sync(() => sentToSelf.delete(event.signature))),
  )
}

const dispatch = Effect.fnUntraced(function* (stream: DevStream, line: unknown) {
  const event = yield* Effect.catch(decode(line), (detail) =>
    Effect.as(logWarning("The ingest sent a line that is not an event.", detail), undefined),
  )
  if (event === undefined) return
  const { hook } = event
  if (!isHook(hook)) return yield* logWarning(`The ingest sent an event of an unknown kind: ${hook}. Skipped.`)
  yield* Effect.forkDetach(deliver(stream, { ...event, hook }))
})

/** An ingest that restarts need not be reported, but an answer that is not a stream of events must be. */
const reportBroken = ({ credentials }: DevStream, cause: unknown): Effect.Effect<void> =>
  cause instanceof SyntaxError || cause instanceof RangeError
    ? logWarning(toNoIngest(credentials.ingestUrl), cause.message)
    : logDebug("The development stream broke off.", cause)

/** Reads one stream to its end: true when it ended properly, false when it broke off. */
const readStream = Effect.fnUntraced(
  function* (stream: DevStream, { body }: FetchAnswer) {
    if (body === null) return true
    const lines = readJsonLines(body)
    for (;;) {
      const next = yield* Effect.tryPromise({ try: () => lines.next(), catch: (cause) => cause })
      if (next.done) return true
      yield* dispatch(stream, next.value)
    }
  },
  (reading, stream) => Effect.catch(reading, (cause) => Effect.as(reportBroken(stream, cause), false)),
)

const reportUnopened = (stream: DevStream, failure: PostFailed): Effect.Effect<void> =>
  logError(
    failure.status === undefined
      ? `The ingest at ${stream.credentials.ingestUrl} cannot be reached, so no callback will come. Is it running? \`${names.word} ingest\` starts one.`
      : `The ingest at ${stream.credentials.ingestUrl} refused the registration. ${stream.explain(failure).detail}`,
    failure.message,
  )

/** How long to wait before a stream that broke off is opened again, ms, at first and at most. */
const reopenDelays = { first: 500, most: 5000 }

/**
 * Follows the development stream of one registration: every event is posted to the app's own callback URL. A stream
 * that breaks off (the ingest restarts) is opened again until the URLs have expired.
 *
 * Fails:  never; errors are logged.
 * Source: docs/protocol.md §7.
 */
export const followDevStream = Effect.fnUntraced(function* (stream: DevStream) {
  let delay = reopenDelays.first
  let isReported = false
  for (;;) {
    const opened = yield* Effect.result(stream.open)
    if (opened._tag === "Success") {
      if (yield* readStream(stream, opened.success)) return
      delay = reopenDelays.first
      isReported = false
    } else {
      // Once per outage: attempts are made every few seconds, and would bury everything else in the terminal.
      if (!isReported) yield* reportUnopened(stream, opened.failure)
      if (!opened.failure.isRetryable) return
      isReported = true
    }
    if (Date.now() >= stream.expires) return
    yield* pause(jitter(delay))
    delay = Math.min(2 * delay, reopenDelays.most)
  }
})
