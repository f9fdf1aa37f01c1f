import * as Effect from "effect/Effect"
import { Rejected } from "../http/rejected.ts"
import { formatByteSize } from "../protocol/byte-size.ts"
import { isKeyOf } from "../protocol/key.ts"
import { limits } from "../protocol/limits.ts"
import { parseTraceContext } from "../protocol/trace-context.ts"
import { createDecoder } from "../schema/decode.ts"
import { RegistrationSchema } from "../schema/registration.ts"
import { isCallbackAllowed } from "./apps.ts"
import { attempt } from "./attempt.ts"
import { authoriseApp } from "./authorise.ts"
import { readPromptJson } from "./read-json.ts"
import { type Service, createEventId } from "./service.ts"

const decode = createDecoder(RegistrationSchema)

/** JSON text of a value, at most `maximum` bytes of it. Fails: BAD_REQUEST with status 413. */
export const toBoundedJson = (what: string, value: unknown, maximum: number): Effect.Effect<string, Rejected> => {
  const text = JSON.stringify(value)
  const isTooLarge =
    text.length > maximum || (text.length * 3 > maximum && new TextEncoder().encode(text).length > maximum)
  return isTooLarge
    ? Effect.fail(
        new Rejected({
          code: "BAD_REQUEST",
          status: 413,
          detail: `${what} is larger than ${formatByteSize(maximum)} as JSON.`,
        }),
      )
    : Effect.succeed(text)
}

/**
 * `POST /route-metadata`: the app says what should happen when its files are there.
 *
 * Shape:  200 `{ "ok": true }`; with `isDev` the development stream instead.
 * Fails:  UNAUTHORIZED, BAD_REQUEST, FORBIDDEN (a key of another app).
 * Source: docs/protocol.md §6.
 */
export const respondRegister = Effect.fnUntraced(function* (service: Service, request: Request) {
  const app = yield* authoriseApp(service, request)
  const body = yield* readPromptJson(request, limits.registrationBody, service.settings.bodyTimeout)
  const registration = yield* Effect.mapError(decode(body), (detail) => new Rejected({ code: "BAD_REQUEST", detail }))
  const { fileKeys, callbackUrl, callbackSlug, awaitServerData = true, isDev = false } = registration
  if (!fileKeys.every((key) => isKeyOf(key, app.encodedId))) {
    return yield* new Rejected({ code: "FORBIDDEN", detail: "A file key belongs to another app." })
  }
  if (!isDev && !isCallbackAllowed(app, new URL(callbackUrl))) {
    return yield* new Rejected({
      code: "FORBIDDEN",
      detail: `Callbacks of this app may not go to ${new URL(callbackUrl).origin}. The ingest's operator allows: ${[...app.callbackOrigins!].join(", ") || "none"}.`,
    })
  }
  const metadata = yield* toBoundedJson("The metadata", registration.metadata, limits.metadata)
  yield* attempt(() =>
    service.catalog.register({
      appId: app.id,
      fileKeys,
      metadata,
      callbackUrl,
      callbackSlug,
      awaitServerData,
      isDev,
      trace: service.trace ?? parseTraceContext(request.headers) ?? null,
      now: service.now(),
      createEventId,
    }),
  )
  for (const key of fileKeys) service.changes.notify(key)
  if (!isDev) {
    service.dispatcher.wake()
    return Response.json({ ok: true })
  }
  const stream = yield* attempt(() => service.devStreams.open(app, callbackSlug, fileKeys))
  return new Response(stream, {
    headers: { "content-type": "application/x-ndjson", "cache-control": "no-store", "x-accel-buffering": "no" },
  })
})
