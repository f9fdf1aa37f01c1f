import * as Effect from "effect/Effect"
import { Rejected, toRejected } from "../http/rejected.ts"
import { isKeyOf } from "../protocol/key.ts"
import { names } from "../protocol/names.ts"
import { parseUploadUrl, type UploadGrant, verifySignedUrl } from "../protocol/signed-url.ts"
import type { App } from "./app.ts"
import type { Service } from "./service.ts"

/** The app that makes this request with its API key. Fails: UNAUTHORIZED. */
export const authoriseApp = (service: Service, request: Request): Effect.Effect<App, Rejected> => {
  const app = service.apps.byApiKey(request.headers.get(names.header.apiKey) ?? "")
  return app === undefined
    ? Effect.fail(
        new Rejected({
          code: "UNAUTHORIZED",
          detail: `The header ${names.header.apiKey} is missing or holds no API key of this ingest.`,
        }),
      )
    : Effect.succeed(app)
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
  const app = service.apps.byId(grant.appId)
  if (app === undefined) {
    return yield* new Rejected({
      code: "INVALID_SIGNATURE",
      detail: "The URL was not signed by an app of this ingest.",
    })
  }
  const verdict = verifySignedUrl(url, app.signer)
  const signed = verdict instanceof Promise ? yield* Effect.promise(() => verdict) : verdict
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
  return grant
})
