import * as Effect from "effect/Effect"
import type { Incoming } from "../../http/incoming.ts"
import { Rejected, toRejected } from "../../server-kit/rejected.ts"
import type { FileLabels } from "../../protocol/files/file-labels.ts"
import { isLonger } from "../../protocol/is-longer.ts"
import { isKeyOf } from "../../protocol/files/key.ts"
import { limits } from "../../protocol/limits.ts"
import { names } from "../../protocol/names.ts"
import { createSigner, type Signer } from "../../protocol/signing/signature.ts"
import { parseUploadUrl, type UploadGrant, verifySignedUrl } from "../../protocol/signing/signed-url.ts"
import type { App } from "./apps.ts"
import { openLabels } from "./open-labels.ts"
import { openSeal } from "./open-seal.ts"
import type { Service } from "../service.ts"
import type { NewRegistration } from "../storage/catalog/catalog.ts"
import { clockSkew } from "../storage/tombstone.ts"
import { whenKnown } from "../when-known.ts"
import { foreignKey, invalidSignature, unknownApiKey } from "../refusals.ts"

/** The app that makes this request with its API key. Fails: UNAUTHORIZED. */
export const authoriseApp = Effect.fnUntraced(function* (service: Service, request: Incoming) {
  const app = yield* whenKnown(service.apps.byApiKey(request.headers.get(names.header.apiKey) ?? ""))
  return app ?? (yield* unknownApiKey())
})

/**
 * A signer that belongs to no app: a URL without a valid key is verified with it all the same, so that it takes as
 * long. It is made when it is first needed, because a worker that starts may not ask for random numbers.
 */
let nobodysSigner: Signer | undefined
const signerOfNobody = (): Signer => (nobodysSigner ??= createSigner(crypto.randomUUID()))

/**
 * Verifies a signed URL with any active key of its app; see {@link verifySignedUrl}. Without an app every signature is wrong.
 *
 * @returns the URL without its signature, and the place of the key; undefined where it is not signed with one
 */
export const verifyUrlOf = Effect.fnUntraced(function* (app: App | undefined, url: string) {
  const signers = app === undefined || app.signers.length === 0 ? [signerOfNobody()] : app.signers
  for (const [place, signer] of signers.entries()) {
    const verdict = yield* whenKnown(verifySignedUrl(url, signer))
    if (verdict.ok) return { signed: verdict.value, place }
  }
  return undefined
})

/** What part of a grant is longer than the wire, and so the catalog, allows; undefined when nothing is. */
const findTooLong = ({ name, type, slug = "", customId = "" }: UploadGrant): string | undefined => {
  const { query } = names
  const bounded = [
    [query.fileName, name, limits.fileName],
    [query.fileType, type, limits.mediaType],
    [query.slug, slug, limits.slug],
    [query.customId, customId, limits.customId],
  ] as const
  const found = bounded.find(([, value, most]) => isLonger(value, most))
  return found && `The ${found[0]} of the upload URL is longer than ${found[2]} bytes. Sign a shorter one.`
}

/** When a grant ends, ms since the epoch: when its URL says, but no later than the upload may last. */
const toExpiry = ({ expires, issuedAt = Infinity }: UploadGrant): number =>
  Math.min(expires, issuedAt + limits.uploadLifetime)

/** What a signed upload URL grants, and the app that it belongs to. */
export interface Authorised {
  readonly app: App
  readonly grant: UploadGrant
  /** What the app wants for the upload, where its URL says so. */
  readonly registration: NewRegistration | undefined
  /** What the app says of the file for itself; empty where its URL says nothing. */
  readonly labels: FileLabels
}

/**
 * What a signed upload URL grants, once it is verified.
 *
 * @param url    the public base URL and the path and query as received
 * @param isLate whether a URL that has expired is good as well: for what stores nothing
 *
 * Fails:  BAD_REQUEST, INVALID_SIGNATURE, EXPIRED_URL, FORBIDDEN (a key of another app; issued in the future).
 * Source: docs/protocol.md §4.
 */
export const authoriseUpload = Effect.fnUntraced(function* (service: Service, url: string, isLate = false) {
  const parsed = parseUploadUrl(url)
  if (!parsed.ok) return yield* toRejected(parsed)
  const app = yield* whenKnown(service.apps.byId(parsed.value.appId))
  const verified = yield* verifyUrlOf(app, url)
  if (app === undefined || verified === undefined) return yield* invalidSignature()
  const { issuedAt = -Infinity } = parsed.value
  const now = service.now()
  if (issuedAt > now + clockSkew) {
    return yield* new Rejected({
      code: "FORBIDDEN",
      detail: `The upload URL of ${JSON.stringify(parsed.value.name)} says that it was issued ${Math.round((issuedAt - now) / 1000)} s from now; at most ${clockSkew / 1000} s are allowed. The clock of the app is ahead of the ingest's: set both by NTP.`,
    })
  }
  const grant: UploadGrant = { ...parsed.value, expires: toExpiry(parsed.value) }
  if (grant.expires <= now && !isLate) {
    const hopeless = service.clocks.findHopeless(app.id, grant.registrationId)
    // Not EXPIRED_URL: a client would then ask for another URL, which would be no better.
    if (hopeless !== undefined) {
      return yield* new Rejected({
        code: "FORBIDDEN",
        detail: `The upload URL of ${JSON.stringify(grant.name)} cannot be used. ${hopeless.detail}`,
      })
    }
    return yield* new Rejected({
      code: "EXPIRED_URL",
      detail: `The upload URL of ${JSON.stringify(grant.name)} has expired. Ask the app for a new one.`,
    })
  }
  if (!isKeyOf(grant.key, app.encodedId)) {
    return yield* foreignKey()
  }
  const tooLong = findTooLong(grant)
  if (tooLong !== undefined) return yield* new Rejected({ code: "BAD_REQUEST", detail: tooLong })
  const sealer = app.sealers[verified.place]!
  const registration = yield* openSeal(service, app, sealer, grant)
  const labels = yield* openLabels(sealer, grant)
  return { app, grant, registration, labels } satisfies Authorised
})
