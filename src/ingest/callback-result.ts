import * as Effect from "effect/Effect"
import { Rejected } from "../http/rejected.ts"
import { isKeyOf } from "../protocol/key.ts"
import { limits } from "../protocol/limits.ts"
import { CallbackResultSchema } from "../schema/callback.ts"
import { createDecoder } from "../schema/decode.ts"
import { attempt } from "./attempt.ts"
import { authoriseApp } from "./authorise.ts"
import type { ResultRecord } from "./storage/catalog.ts"
import { readPromptJson } from "./read-json.ts"
import { toBoundedJson } from "./register.ts"
import type { Service } from "./service.ts"

const decode = createDecoder(CallbackResultSchema)

/** Room for the key and the framing of the body, bytes. */
const framing = 4096

/**
 * `POST /callback-result`: what the app made of a finished file, for the client that waits.
 *
 * Fails:  UNAUTHORIZED, BAD_REQUEST, FORBIDDEN (a key of another app), NOT_FOUND.
 * Source: docs/protocol.md §9.
 */
export const respondCallbackResult = Effect.fnUntraced(function* (service: Service, request: Request) {
  const app = yield* authoriseApp(service, request)
  const body = yield* readPromptJson(request, limits.callbackData + framing, service.settings.bodyTimeout)
  const posted = yield* Effect.mapError(decode(body), (detail) => new Rejected({ code: "BAD_REQUEST", detail }))
  const key = posted.fileKey
  if (!isKeyOf(key, app.encodedId)) {
    return yield* new Rejected({ code: "FORBIDDEN", detail: "The file key belongs to another app." })
  }
  const result: ResultRecord =
    "error" in posted
      ? { error: posted.error }
      : { data: yield* toBoundedJson("The result", posted.callbackData, limits.callbackData) }
  const isKnown = yield* attempt(() => service.catalog.recordResult({ appId: app.id, key, result, now: service.now() }))
  if (!isKnown) return yield* new Rejected({ code: "NOT_FOUND", detail: `There is no file ${key}.` })
  service.devStreams.acknowledge(key)
  service.changes.notify(key)
  return Response.json({ ok: true })
})
