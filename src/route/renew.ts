import * as Effect from "effect/Effect"
import { readStart, readWhole } from "../http/read-answer.ts"
import { readMessage } from "../server-kit/read-body.ts"
import { postJson } from "../server-kit/post-json.ts"
import { Rejected, toRejected as refuse } from "../server-kit/rejected.ts"
import { isKeyOf } from "../protocol/files/key.ts"
import { limits } from "../protocol/limits.ts"
import type { FoundRegistrations, SealedRegistration } from "../protocol/messages.ts"
import { names } from "../protocol/names.ts"
import { type UploadGrant, verifyUploadUrl } from "../protocol/signing/signed-url.ts"
import { createDecoder } from "../schema/decode.ts"
import { RenewRequestSchema } from "../schema/upload-request.ts"
import { callbackUrlOf } from "./callback-url.ts"
import type { Call, NamedRoute } from "./app.ts"
import { attemptTimeout, register, toRejected } from "./register.ts"
import { runMiddleware } from "./run-middleware.ts"
import type { Credentials } from "../protocol/signing/credentials.ts"
import { signUploads, toPresignedAnswer } from "./sign-uploads.ts"

const decode = createDecoder(RenewRequestSchema)

const verifyGrant = Effect.fnUntraced(function* (
  credentials: Credentials,
  route: NamedRoute,
  url: string,
  now: number,
) {
  const { appId, encodedAppId, ingestUrl, signer } = credentials
  const verified = yield* Effect.promise(async () => verifyUploadUrl(url, signer, { now, grace: limits.renewWindow }))
  if (!verified.ok) return yield* refuse(verified)
  const grant = verified.value
  const isOurs = url.startsWith(`${ingestUrl}/`) && grant.appId === appId && isKeyOf(grant.key, encodedAppId)
  if (!isOurs || grant.slug !== route.slug) {
    return yield* new Rejected({
      code: "INVALID_SIGNATURE",
      detail: `The URL of ${JSON.stringify(grant.name)} was not issued for route ${JSON.stringify(route.slug)}.`,
    })
  }
  if (now >= renewableUntil(grant)) {
    return yield* new Rejected({
      code: "EXPIRED_URL",
      detail: `${JSON.stringify(grant.name)} began too long ago to be renewed. Begin a new upload.`,
    })
  }
  return grant
})

/** A URL that does not say when it was issued does not show how often it was renewed, so it cannot be renewed beyond its expiry. */
const renewableUntil = ({ issuedAt }: UploadGrant): number =>
  issuedAt === undefined ? 0 : issuedAt + limits.uploadLifetime

/** Bytes of what the ingest knows of as many files as are signed at a time, each announced by itself. */
const foundMaximum = limits.filesPerRequest * limits.metadata

/** What the ingest was first told about these uploads. Fails: NOT_FOUND where one of them cannot complete any more. */
const findRegistrations = Effect.fnUntraced(function* (
  { app }: Call,
  callbackUrl: string,
  { ingestUrl, apiKey }: Credentials,
  granted: ReadonlyArray<UploadGrant>,
) {
  const { body } = yield* postJson({
    url: `${ingestUrl}/${names.path.registrations}`,
    headers: { [names.header.apiKey]: apiKey },
    body: JSON.stringify({ files: granted.map(({ key, registrationId: id }) => ({ key, id })) }),
    timeout: attemptTimeout,
    send: app.send,
    read: (answer, patience) => (answer.status === 200 ? readWhole(answer, foundMaximum) : readStart(answer, patience)),
  }).pipe(
    Effect.mapError((failure) =>
      failure.status === 404
        ? new Rejected({
            code: "NOT_FOUND",
            detail: "The ingest does not expect this upload any more. Begin a new upload.",
            cause: failure,
          })
        : toRejected(ingestUrl, callbackUrl)(failure),
    ),
  )
  return JSON.parse(body) as FoundRegistrations
})

const nothingFound: FoundRegistrations = { registrations: [], files: [] }

/** What this app has sealed into a URL, which stays in it when it is renewed; undefined where it has registered by request. */
const openSeal = Effect.fnUntraced(function* ({ appId, sealer }: Credentials, { seal, slug }: UploadGrant) {
  if (seal === undefined || slug === undefined) return undefined
  const text = yield* Effect.promise(async () => sealer.open(seal, { appId, slug }))
  if (text !== undefined) return JSON.parse(text) as SealedRegistration
  return yield* new Rejected({
    code: "INVALID_SIGNATURE",
    detail: "What the URL says of its upload was sealed with another key. Begin a new upload.",
  })
})

/**
 * The renew action: signs the same keys anew, for uploads that take longer than their URLs are valid.
 *
 * Order of work: decode → signatures and bounds → what their seals say, or the ingest knows of them → input → middleware,
 * which may refuse → URLs → registration with the original metadata, which lasts as long as the URLs do; a seal stays.
 * Source: docs/protocol.md §5.
 */
export const renew = Effect.fnUntraced(function* (call: Call, route: NamedRoute) {
  const credentials = yield* call.app.credentials
  const callbackUrl = yield* callbackUrlOf(call)
  const body = yield* readMessage(call.request, limits.requestBody, call.app.settings.bodyTimeout, decode, call.share)
  const now = Date.now()
  const granted: Array<UploadGrant> = []
  for (const url of body.urls) granted.push(yield* verifyGrant(credentials, route, url, now))
  const opened = yield* Effect.forEach(granted, (grant) => openSeal(credentials, grant))
  const unsealed = granted.filter((_, i) => opened[i] === undefined)
  const found =
    unsealed.length === 0 ? nothingFound : yield* findRegistrations(call, callbackUrl, credentials, unsealed)
  const files = granted.map(({ name, size, type }) => ({ name, size, type }))
  /** Which registration was found for a grant; undefined where its URL holds its own. */
  const places = new Map(unsealed.map((grant, i) => [grant, found.files[i]!]))
  const renewal = granted.map((grant, i) => ({
    key: grant.key,
    ...(opened[i] === undefined ? found.registrations[places.get(grant)!]! : { metadata: opened[i].metadata }),
  }))
  yield* runMiddleware(call, route, files, body.input, renewal)
  const expires = now + route.definition.presignedUrlTtl
  const renewed = granted.map((grant) => ({ ...grant, expires: Math.min(expires, renewableUntil(grant)) }))
  const presigned = yield* signUploads(credentials, renewed)
  for (const [place, { metadata }] of found.registrations.entries()) {
    const own = renewed.filter((_, i) => places.get(granted[i]!) === place)
    yield* register(call, credentials, route, { grants: own, metadata: JSON.stringify(metadata), callbackUrl })
  }
  return toPresignedAnswer(presigned)
})
