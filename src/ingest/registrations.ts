import * as Effect from "effect/Effect"
import type { Incoming } from "../http/incoming.ts"
import { formatByteSize } from "../protocol/byte-size.ts"
import { Rejected } from "../server-kit/rejected.ts"
import { isKeyOf } from "../protocol/files/key.ts"
import { limits } from "../protocol/limits.ts"
import type { UploadGrant } from "../protocol/signing/signed-url.ts"
import { RegistrationQuerySchema } from "../schema/registration.ts"
import { createDecoder } from "../schema/decode.ts"
import { attempt } from "./attempt.ts"
import type { App } from "./access/apps.ts"
import { authoriseApp } from "./access/authorise.ts"
import { countIn, performInTurn } from "./requests/perform-in-turn.ts"
import type { Service } from "./service.ts"
import { isSameUpload } from "./storage/relate-grant.ts"
import { foreignKey } from "./refusals.ts"

const decode = createDecoder(RegistrationQuerySchema)

/** Limit for the metadata of one answer, which is held whole in memory while it is read. */
const largestAnswer = 2 * 1024 * 1024

const find = Effect.fnUntraced(function* (service: Service, app: App, body: unknown) {
  const query = yield* Effect.mapError(decode(body), (detail) => new Rejected({ code: "BAD_REQUEST", detail }))
  if (!query.files.every(({ key }) => isKeyOf(key, app.encodedId))) {
    return yield* foreignKey()
  }
  /** Metadata as JSON text, by registration. */
  const found = new Map<number, string>()
  const ids: Array<number> = []
  let bytes = 0
  for (const { key, id } of query.files) {
    const registration = yield* attempt(() => service.catalog.findRegistration({ appId: app.id, key, id }))
    if (registration === null) {
      const hopeless = service.clocks.findHopeless(app.id, id)
      if (hopeless !== undefined) return yield* new Rejected({ code: "FORBIDDEN", ...hopeless })
      return yield* new Rejected({
        code: "NOT_FOUND",
        detail: `The upload of ${key} is over, or was never registered.`,
      })
    }
    if (!found.has(registration.id)) bytes += registration.metadata.length
    if (bytes > largestAnswer) {
      return yield* new Rejected({
        code: "BAD_REQUEST",
        status: 413,
        detail: `The metadata of these uploads is larger than ${formatByteSize(largestAnswer)}. Ask for fewer at once.`,
      })
    }
    found.set(registration.id, registration.metadata)
    ids.push(registration.id)
  }
  const places = new Map([...found.keys()].map((id, place) => [id, place]))
  const registrations = [...found.values()].map((metadata) => `{"metadata":${metadata}}`).join(",")
  const files = JSON.stringify(ids.map((id) => places.get(id)))
  const headers = { "content-type": "application/json", "cache-control": "no-store" }
  return { status: 200, headers, body: `{"registrations":[${registrations}],"files":${files}}` }
})

/**
 * `POST /route-registrations`: what the app registered for uploads that it is asked to renew. Each registration is
 * answered once, however many files it has.
 *
 * Shape:  200 with `FoundRegistrations`.
 * Fails:  UNAUTHORIZED, BAD_REQUEST, FORBIDDEN (a key of another app; refused because of its app's clock), NOT_FOUND
 *         (one of them cannot complete any more), RATE_LIMITED.
 * Source: docs/protocol.md §6.
 */
export const respondRegistrations = Effect.fnUntraced(function* (service: Service, request: Incoming) {
  const app = yield* authoriseApp(service, request)
  return yield* performInTurn(service, app, request, {
    // Beside the app's registrations, which are what a user waits for as well.
    line: `${app.id}\nrenewals`,
    maximum: limits.registrationBody,
    values: limits.requestValues,
    size: { ofBody: countIn("files") },
    perform: (body) => find(service, app, body),
  })
})

/**
 * Refuses a client-side URL that is older than an upload may wait for its registration and has none: its bytes would
 * be stored for nothing.
 *
 * Fails:  NOT_FOUND.
 * Source: docs/protocol.md §10.
 */
export const refuseOrphan = Effect.fnUntraced(function* ({ catalog, settings, now }: Service, grant: UploadGrant) {
  const { appId, key, slug, seal, issuedAt, registrationId: id } = grant
  if (
    slug === undefined ||
    seal !== undefined ||
    issuedAt === undefined ||
    now() - issuedAt <= settings.unregisteredTtl
  )
    return
  const [registration, upload] = yield* attempt(() =>
    Promise.all([catalog.findRegistration({ appId, key, id }), catalog.get(key)]),
  )
  // A failed upload gets the reason of its failure instead.
  const hasFailed = upload?.file.status === "Failed" && isSameUpload(upload.file, grant)
  if (registration !== null || hasFailed) return
  return yield* new Rejected({
    code: "NOT_FOUND",
    detail: `The app does not expect ${JSON.stringify(grant.name)} any more. Do not send it again; begin a new upload.`,
  })
})
