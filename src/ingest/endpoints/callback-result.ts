import * as Effect from "effect/Effect"
import { toJsonAnswer } from "../../http/answer.ts"
import type { Incoming } from "../../http/incoming.ts"
import { Rejected } from "../../server-kit/rejected.ts"
import { isKeyOf } from "../../protocol/files/key.ts"
import { limits } from "../../protocol/limits.ts"
import type { App } from "../access/apps.ts"
import { attempt } from "../attempt.ts"
import { authoriseApp } from "../access/authorise.ts"
import { decodeResult, toResultRecord } from "../delivery/result.ts"
import { judgeRetry } from "../delivery/retry-schedule.ts"
import { foreignKey } from "../refusals.ts"
import { performInTurn } from "../requests/perform-in-turn.ts"
import type { Service } from "../service.ts"

/** Room for the key and for the structure of the body, bytes. */
const framing = 4096

/** Bytes of a result that take as long as a file of another call. */
const bytesOfFile = 1024

const record = Effect.fnUntraced(function* (service: Service, app: App, body: unknown) {
  const posted = yield* decodeResult(body)
  const key = posted.fileKey
  if (!isKeyOf(key, app.encodedId)) {
    return yield* foreignKey()
  }
  const result = yield* toResultRecord(service, app, posted)
  const { eventId, attempt: ofAttempt } = posted
  const now = service.now()
  const judge = (retry: number) => judgeRetry(retry, now, service.settings.callbackRetries)
  const given = { appId: app.id, key, eventId, attempt: ofAttempt, result, now, judge }
  const isKnown = yield* attempt(() => service.catalog.recordResult(given))
  if (!isKnown) return yield* new Rejected({ code: "NOT_FOUND", detail: `There is no file ${key}.` })
  if ("data" in result) service.devStreams.acknowledge(key)
  else service.devStreams.takeBack(key, ofAttempt)
  service.changes.notify(key)
  return toJsonAnswer({ ok: true })
})

/**
 * `POST /callback-result`: what the app returned for a finished file, for the client that waits.
 *
 * Fails:  UNAUTHORIZED, BAD_REQUEST, FORBIDDEN (a key of another app), NOT_FOUND, QUOTA_EXCEEDED, INGEST_UNAVAILABLE,
 *         RATE_LIMITED.
 * Source: docs/protocol.md §9.
 */
export const respondCallbackResult = Effect.fnUntraced(function* (service: Service, request: Incoming) {
  const app = yield* authoriseApp(service, request)
  return yield* performInTurn(service, app, request, {
    // Clients wait for it: not behind the calls with which their app tidies up.
    line: `${app.id}\nresults`,
    maximum: limits.callbackData + framing,
    // The app may return anything.
    values: Infinity,
    size: { ofBytes: (bytes) => bytes / bytesOfFile },
    perform: (body) => record(service, app, body),
  })
})
