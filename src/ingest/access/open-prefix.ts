import * as Effect from "effect/Effect"
import { limits } from "../../protocol/limits.ts"
import { createSealer, type Sealer } from "../../protocol/signing/seal.ts"
import { createDecoder } from "../../schema/decode.ts"
import { PrefixGrantSchema } from "../../schema/prefix-grant.ts"
import { parseJson } from "../../server-kit/read-body.ts"
import { Rejected } from "../../server-kit/rejected.ts"
import type { Service } from "../service.ts"
import { clockSkew } from "../storage/tombstone.ts"
import { whenKnown } from "../when-known.ts"

const decode = createDecoder(PrefixGrantSchema)
const encoder = new TextEncoder()

/** What one ingest was asked for. */
export interface SealedPrefix {
  readonly appId: string
  /** The grant, as received. */
  readonly sealed: string
  /** The public base URL. */
  readonly origin: string
}

/** The sealer of no app: whether there is an app must not show in the time of the answer. */
let nobodysSealer: Sealer | undefined
const sealerOfNobody = (): Sealer => (nobodysSealer ??= createSealer(crypto.randomUUID()))

/** The answer to every grant that does not open. It does not reveal whether the app exists. */
const unusable = () =>
  new Rejected({
    code: "INVALID_SIGNATURE",
    detail:
      "The URL was not made with an active key of an app of this ingest for its public URL. Use the URL exactly as it was issued, with the path of a file after it; where its app's keys have changed, ask the app for a new one.",
  })

/** What is sealed in a grant, by any active key of its app; undefined where none opens it. */
const open = Effect.fnUntraced(function* (service: Service, { appId, sealed, origin }: SealedPrefix) {
  const app = yield* whenKnown(service.apps.byId(appId))
  const sealers = app === undefined || app.sealers.length === 0 ? [sealerOfNobody()] : app.sealers
  for (const sealer of sealers) {
    const text = yield* whenKnown(sealer.open(sealed, { appId, ingestUrl: origin }))
    if (text !== undefined) return text
  }
  return undefined
})

/**
 * What a signed prefix grants, once it is opened.
 *
 * Fails:  INVALID_SIGNATURE, EXPIRED_URL, FORBIDDEN (it is valid for longer than a grant may be).
 * Source: docs/protocol.md §10.
 */
export const openPrefix = Effect.fnUntraced(function* (service: Service, prefix: SealedPrefix) {
  const text = yield* open(service, prefix)
  if (text === undefined) return yield* unusable()
  const json = yield* Effect.mapError(parseJson(encoder.encode(text)), unusable)
  const grant = yield* Effect.mapError(decode(json), unusable)
  const now = service.now()
  if (grant.expires <= now) {
    return yield* new Rejected({ code: "EXPIRED_URL", detail: "The URL has expired. Ask the app for a new one." })
  }
  if (grant.expires > now + limits.readUrlTtl * 1000 + clockSkew) {
    return yield* new Rejected({
      code: "FORBIDDEN",
      detail: "The URL is valid for more than 7 days, by the clock of the ingest. Ask the app for a new one.",
    })
  }
  return grant
})
