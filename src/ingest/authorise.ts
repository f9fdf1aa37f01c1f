import * as Effect from "effect/Effect"
import { Rejected, toRejected } from "../http/rejected.ts"
import { isKeyOf } from "../protocol/key.ts"
import { names } from "../protocol/names.ts"
import { type Outcome, refuse } from "../protocol/outcome.ts"
import type { MaybePromise } from "../protocol/signature.ts"
import { parseUploadUrl, type UploadGrant, verifySignedUrl } from "../protocol/signed-url.ts"
import type { App } from "./apps.ts"
import type { Service } from "./service.ts"

/** Most answers are there at once; only the others need a turn of the event loop. */
export const whenKnown = <A>(answer: MaybePromise<A>): Effect.Effect<A> =>
  answer instanceof Promise ? Effect.promise(() => answer) : Effect.succeed(answer)

/** The app that makes this request with its API key. Fails: UNAUTHORIZED. */
export const authoriseApp = Effect.fnUntraced(function* (service: Service, request: Request) {
  const app = yield* whenKnown(service.apps.byApiKey(request.headers.get(names.header.apiKey) ?? ""))
  return (
    app ??
    (yield* new Rejected({
      code: "UNAUTHORIZED",
      detail: `The header ${names.header.apiKey} is missing or holds no active API key of this ingest.`,
    }))
  )
})

/** Verifies a signed URL with any active key of its app; see {@link verifySignedUrl}. */
export const verifyUrlOf = Effect.fnUntraced(function* (app: App, url: string) {
  let verdict: Outcome<string> = refuse("INVALID_SIGNATURE", "The app that signed the URL has no active key any more.")
  for (const signer of app.signers) {
    verdict = yield* whenKnown(verifySignedUrl(url, signer))
    if (verdict.ok) break
  }
  return verdict
})

/** What a signed upload URL grants, and the app it is of. */
export interface Authorised {
  readonly app: App
  readonly grant: UploadGrant
}

/**
 * What a signed upload URL grants, proven.
 *
 * @param url the public base URL and the path and query as received
 *
 * Fails:  BAD_REQUEST, INVALID_SIGNATURE, EXPIRED_URL, FORBIDDEN (a key of another app).
 * Source: docs/protocol.md §4.
 */
export const authoriseUpload = Effect.fnUntraced(function* (service: Service, url: string) {
  const parsed = parseUploadUrl(url)
  if (!parsed.ok) return yield* toRejected(parsed)
  const grant: UploadGrant = parsed.value
  const app = yield* whenKnown(service.apps.byId(grant.appId))
  if (app === undefined) {
    return yield* new Rejected({
      code: "INVALID_SIGNATURE",
      detail: "The URL was not signed by an app of this ingest.",
    })
  }
  const signed = yield* verifyUrlOf(app, url)
  if (!signed.ok) return yield* toRejected(signed)
  if (grant.expires <= service.now()) {
    return yield* new Rejected({
      code: "EXPIRED_URL",
      detail: `The upload URL of ${JSON.stringify(grant.name)} has expired. Ask the app for a new one.`,
    })
  }
  if (!isKeyOf(grant.key, app.encodedId)) {
    return yield* new Rejected({ code: "FORBIDDEN", detail: "The file key belongs to another app." })
  }
  return { app, grant } satisfies Authorised
})
