import * as Effect from "effect/Effect"
import { toJsonAnswer } from "../../http/answer.ts"
import type { Incoming } from "../../http/incoming.ts"
import { Rejected } from "../../server-kit/rejected.ts"
import { isKeyOf } from "../../protocol/files/key.ts"
import { limits } from "../../protocol/limits.ts"
import { names } from "../../protocol/names.ts"
import { acceptsSeal } from "../../protocol/signing/seal.ts"
import { parseTraceContext } from "../../protocol/trace-context.ts"
import { createDecoder } from "../../schema/decode.ts"
import { RegistrationSchema } from "../../schema/registration.ts"
import { attempt } from "../attempt.ts"
import { toBoundedJson } from "../requests/bounded-json.ts"
import type { App } from "../access/apps.ts"
import { authoriseApp } from "../access/authorise.ts"
import { checkDestination } from "../access/callback-destination.ts"
import { catalogOverQuota, foreignKey, tooManyExpected, unknownApiKey } from "../refusals.ts"
import { countIn, performInTurn } from "../requests/perform-in-turn.ts"
import { createEventId } from "../event-id.ts"
import type { Service } from "../service.ts"
import { sizeKey, sizeRegistration } from "../storage/quota.ts"
import { untoldUrlTtl } from "../storage/upload-rules.ts"

const decode = createDecoder(RegistrationSchema)

const toWarning = (warning: string | undefined): Record<string, string> =>
  warning === undefined ? {} : { [names.header.warning]: warning }

const register = Effect.fnUntraced(function* (service: Service, app: App, request: Incoming, body: unknown) {
  const registration = yield* Effect.mapError(decode(body), (detail) => new Rejected({ code: "BAD_REQUEST", detail }))
  const {
    id,
    sentAt,
    expires,
    fileKeys,
    callbackUrl,
    callbackSlug,
    awaitServerData = true,
    isDev = false,
  } = registration
  if (!fileKeys.every((key) => isKeyOf(key, app.encodedId))) {
    return yield* foreignKey()
  }
  if (!isDev) yield* checkDestination(service, app, callbackUrl)
  const now = service.now()
  const isExpired = expires !== undefined && expires <= now
  const behind = sentAt === undefined ? 0 : now - sentAt
  const clock = sentAt === undefined ? undefined : service.clocks.note({ appId: app.id, id, behind, isExpired })
  if (clock?.hopeless !== undefined) {
    return yield* new Rejected({ code: "FORBIDDEN", ...clock.hopeless })
  }
  // Before anything is kept: a refused app may register elsewhere.
  if (isDev) yield* attempt(async () => service.devStreams.checkRoom(app.id))
  const metadata = yield* toBoundedJson("The metadata", registration.metadata, limits.metadata)
  const { maxExpectedFiles: expectedFiles, maxExpectedBytes: expectedBytes } = service.settings
  const trace = service.trace ?? parseTraceContext(request.headers) ?? null
  const keysBytes = fileKeys.reduce((sum, key) => sum + sizeKey(key), 0)
  yield* attempt(async () =>
    service.space.admit(sizeRegistration({ metadata, callbackUrl, callbackSlug, trace }) + keysBytes),
  )
  const outcome = yield* attempt(() =>
    service.catalog.register({
      appId: app.id,
      id,
      expires: expires && Math.min(expires, now + untoldUrlTtl),
      fileKeys,
      metadata,
      callbackUrl,
      callbackSlug,
      awaitServerData,
      isDev,
      trace,
      now,
      createEventId,
      bounds: { quota: app.quota, expectedFiles, expectedBytes },
      appSince: app.since,
    }),
  )
  if (outcome === "unknownApp") return yield* unknownApiKey()
  if (outcome === "tooManyExpected") return yield* tooManyExpected(service.settings)
  if (outcome === "overQuota") return yield* catalogOverQuota("the registration")
  for (const key of fileKeys) service.changes.notify(key)
  if (!isDev) {
    service.dispatcher.wake()
    const { origin } = new URL(callbackUrl)
    const warning = clock?.text ?? service.refusedCallbacks.find(app.id, origin)
    // An app that seals hears of warnings late: it may once it is known to be called back.
    const maySeal = warning === undefined && service.refusedCallbacks.wasReached(app.id, origin)
    const accepts = maySeal ? { [names.header.accept]: acceptsSeal } : undefined
    return toJsonAnswer({ ok: true }, { ...accepts, ...toWarning(warning) })
  }
  const stream = yield* attempt(() => service.devStreams.open(app, callbackSlug, fileKeys))
  const headers = {
    "content-type": "application/x-ndjson",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
    ...toWarning(clock?.text),
  }
  return { status: 200, headers, body: stream }
})

/**
 * `POST /route-metadata`: the app says what should happen when its files are there.
 *
 * Shape:  200 `{ "ok": true }`; with `isDev` the development stream instead.
 * Fails:  UNAUTHORIZED, BAD_REQUEST, FORBIDDEN (a key of another app; an origin that callbacks may not go to; URLs that
 *         have expired by the clock of the ingest),
 *         RATE_LIMITED, QUOTA_EXCEEDED.
 * Source: docs/protocol.md §6.
 */
export const respondRegister = Effect.fnUntraced(function* (service: Service, request: Incoming) {
  const app = yield* authoriseApp(service, request)
  return yield* performInTurn(service, app, request, {
    // Users wait for it: not behind the calls with which their app tidies up.
    line: `${app.id}\nregistrations`,
    maximum: limits.registrationBody,
    values: limits.messageValues,
    size: { ofBody: countIn("fileKeys") },
    perform: (body) => register(service, app, request, body),
  })
})
