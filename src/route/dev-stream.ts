import * as Effect from "effect/Effect"
import { logDebug, logError, logWarning } from "../http/logging.ts"
import { discardBody, type PostFailed, postJson } from "../http/post-json.ts"
import { jitter, pause } from "../http/retry.ts"
import { readJsonLines } from "../protocol/json-lines.ts"
import type { DevStreamEvent, Hook } from "../protocol/messages.ts"
import { names } from "../protocol/names.ts"
import { DevStreamEventSchema } from "../schema/callback.ts"
import { createDecoder } from "../schema/decode.ts"
import type { Call } from "./app.ts"
import type { Credentials } from "../protocol/credentials.ts"

interface DevStream {
  /** Posts the registration; its answer is the stream. */
  readonly open: Effect.Effect<Response, PostFailed>
  readonly callbackUrl: string
  readonly slug: string
  /** When the URLs expire, ms since the epoch: nothing can come after. */
  readonly expires: number
  readonly call: Call
  readonly credentials: Credentials
}

const decode = createDecoder(DevStreamEventSchema)

const isHook = (hook: string): hook is Hook => hook === "callback" || hook === "error"

/** ms the app's own handler has: `onUploadComplete` runs in it. */
const deliveryTimeout = 30_000

/** Posts one event to the app's own callback URL, as the ingest would have done. */
const deliver = (stream: DevStream, event: DevStreamEvent): Effect.Effect<void> => {
  const url = new URL(stream.callbackUrl)
  url.searchParams.set(names.action.slug, stream.slug)
  return postJson({
    url: url.href,
    headers: {
      [names.header.hook]: event.hook,
      [names.header.signature]: event.signature,
      ...(event.traceparent !== undefined && { traceparent: event.traceparent }),
    },
    body: event.payload,
    timeout: deliveryTimeout,
    fetch: stream.call.app.fetch,
  }).pipe(
    Effect.map(discardBody),
    Effect.catch((failure) =>
      logError(
        `The callback of a finished upload did not reach ${stream.callbackUrl}. It comes again with the next upload.`,
        failure.message,
      ),
    ),
  )
}

const dispatch = Effect.fnUntraced(function* (stream: DevStream, line: unknown) {
  const event = yield* Effect.catch(decode(line), (detail) =>
    Effect.as(logWarning("The ingest sent a line that is no event.", detail), undefined),
  )
  if (event === undefined) return
  if (!isHook(event.hook)) {
    return yield* logWarning(`The ingest sent an event of an unknown kind: ${event.hook}. Skipped.`)
  }
  yield* Effect.forkDetach(deliver(stream, event))
})

/** An ingest that restarts is nothing to report; what is not a stream of events at all is. */
const reportBroken = ({ credentials }: DevStream, cause: unknown): Effect.Effect<void> =>
  cause instanceof SyntaxError || cause instanceof RangeError
    ? logWarning(`What answers at ${credentials.ingestUrl} is no ingest, or a newer one.`, cause.message)
    : logDebug("The development stream broke off.", cause)

/** Reads one stream to its end: true when it ended in order, false when it broke off. */
const readStream = Effect.fnUntraced(
  function* (stream: DevStream, response: Response) {
    if (response.body === null) return true
    const lines = readJsonLines(response.body)
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
      : `The ingest at ${stream.credentials.ingestUrl} refused the registration.`,
    failure.message,
  )

/** ms before a stream that broke off is opened again, at first and at most. */
const reopenDelays = { first: 500, most: 5000 }

/**
 * Follows the development stream of one registration: every event is posted to the app's own callback URL. A stream
 * that breaks off (the ingest restarts) is opened again until the URLs have expired.
 *
 * Fails:  never; what goes wrong is logged.
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
      // Once an outage: what is tried every few seconds would bury all else in the terminal.
      if (!isReported) yield* reportUnopened(stream, opened.failure)
      if (!opened.failure.isRetryable) return
      isReported = true
    }
    if (Date.now() >= stream.expires) return
    yield* pause(jitter(delay))
    delay = Math.min(2 * delay, reopenDelays.most)
  }
})
