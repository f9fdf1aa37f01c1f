import * as Effect from "effect/Effect"
import { readMessage } from "../http/read-body.ts"
import { Rejected, toRejected } from "../http/rejected.ts"
import { isKeyOf } from "../protocol/key.ts"
import { limits } from "../protocol/limits.ts"
import { type UploadGrant, verifyUploadUrl } from "../protocol/signed-url.ts"
import { createDecoder } from "../schema/decode.ts"
import { RenewRequestSchema } from "../schema/upload-request.ts"
import type { Call, NamedRoute } from "./app.ts"
import { runMiddleware } from "./run-middleware.ts"
import type { Credentials } from "../protocol/credentials.ts"
import { signUploads, toPresignedResponse } from "./sign-uploads.ts"

const decode = createDecoder(RenewRequestSchema)

const verifyGrant = Effect.fnUntraced(function* (
  credentials: Credentials,
  route: NamedRoute,
  url: string,
  now: number,
) {
  const { appId, encodedAppId, ingestUrl, signer } = credentials
  const verified = yield* Effect.promise(async () => verifyUploadUrl(url, signer, { now, grace: limits.renewWindow }))
  if (!verified.ok) return yield* toRejected(verified)
  const grant = verified.value
  const isOurs = url.startsWith(`${ingestUrl}/`) && grant.appId === appId && isKeyOf(grant.key, encodedAppId)
  if (!isOurs || grant.slug !== route.slug) {
    return yield* new Rejected({
      code: "INVALID_SIGNATURE",
      detail: `The URL of ${JSON.stringify(grant.name)} was not issued for route ${JSON.stringify(route.slug)}.`,
    })
  }
  return grant
})

/**
 * The renew action: the same keys signed anew, for uploads that take longer than their URLs live.
 *
 * The handler proves that it signed them for this route; the middleware runs again and may refuse. The registration
 * stands.
 *
 * Source: docs/protocol.md §5.
 */
export const renew = Effect.fnUntraced(function* (call: Call, route: NamedRoute) {
  const credentials = yield* call.app.credentials
  const body = yield* readMessage(call.request, limits.requestBody, decode)
  const now = Date.now()
  const granted: Array<UploadGrant> = []
  for (const url of body.urls) granted.push(yield* verifyGrant(credentials, route, url, now))
  const files = granted.map(({ name, size, type }) => ({ name, size, type }))
  yield* runMiddleware(call, route, files, body.input)
  const expires = now + route.definition.presignedUrlTtl
  const presigned = yield* signUploads(
    credentials,
    granted.map((grant) => ({ ...grant, expires })),
  )
  return toPresignedResponse(presigned)
})
