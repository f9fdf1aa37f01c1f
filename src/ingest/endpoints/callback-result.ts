import * as Effect from "effect/Effect"
import { toJsonAnswer } from "../../http/answer.ts"
import type { Incoming } from "../../http/incoming.ts"
import { Rejected } from "../../server-kit/rejected.ts"
import { isKeyOf } from "../../protocol/files/key.ts"
import { limits } from "../../protocol/limits.ts"
import { attempt } from "../attempt.ts"
import { authoriseApp } from "../access/authorise.ts"
import { decodeResult, toResultRecord } from "../delivery/result.ts"
import { judgeRetry } from "../delivery/retry-schedule.ts"
import { foreignKey } from "../refusals.ts"
import { readPromptJson } from "../requests/read-json.ts"
import type { Service } from "../service.ts"

/** Room for the key and for the structure of the body, bytes. */
const framing = 4096

/**
 * `POST /callback-result`: what the app returned for a finished file, for the client that waits.
 *
 * Fails:  UNAUTHORIZED, BAD_REQUEST, FORBIDDEN (a key of another app), NOT_FOUND, QUOTA_EXCEEDED, INGEST_UNAVAILABLE.
 * Source: docs/protocol.md §9.
 */
export const respondCallbackResult = Effect.fnUntraced(function* (service: Service, request: Incoming) {
  const app = yield* authoriseApp(service, request)
  const body = yield* readPromptJson(service, app, request, limits.callbackData + framing)
  const posted = yield* decodeResult(body)
  const key = posted.fileKey
  if (!isKeyOf(key, app.encodedId)) {
    return yield* foreignKey()
  }
  const result = yield* toResultRecord(service, app, posted)
  const { eventId, attempt: ofAttempt } = posted
  const now = service.now()
  const judge = (retry: number) => judgeRetry(retry, now, service.settings.callbackRetries)
  const record = { appId: app.id, key, eventId, attempt: ofAttempt, result, now, judge }
  const isKnown = yield* attempt(() => service.catalog.recordResult(record))
  if (!isKnown) return yield* new Rejected({ code: "NOT_FOUND", detail: `There is no file ${key}.` })
  if ("data" in result) service.devStreams.acknowledge(key)
  else service.devStreams.takeBack(key, ofAttempt)
  service.changes.notify(key)
  return toJsonAnswer({ ok: true })
})
