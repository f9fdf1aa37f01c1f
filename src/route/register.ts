import * as Effect from "effect/Effect"
import { logServerFault } from "../http/fetch-handler.ts"
import { discardBody, type PostFailed, postJson } from "../http/post-json.ts"
import { Rejected } from "../http/rejected.ts"
import { retry } from "../http/retry.ts"
import { limits } from "../protocol/limits.ts"
import type { Registration } from "../protocol/messages.ts"
import { names } from "../protocol/names.ts"
import type { UploadGrant } from "../protocol/signed-url.ts"
import { parseTraceContext } from "../protocol/trace-context.ts"
import { type Call, type NamedRoute } from "./app.ts"
import { callbackUrlOf } from "./callback-url.ts"
import { encodeReturned } from "./encode-returned.ts"
import type { Credentials } from "../protocol/credentials.ts"

/** ms the ingest has for one attempt. */
const attemptTimeout = 10_000

/** Nothing of development is loaded in production. */
const loadDevStream = Effect.promise(() => import("./dev-stream.ts"))

/** ms before the second and the third attempt. */
const retryDelays = [200, 600]

/** The middleware's return value as JSON. Fails: as {@link encodeReturned} does. */
export const encodeMetadata = (metadata: unknown): Effect.Effect<string, Rejected> =>
  encodeReturned(metadata, {
    what: "What the route's middleware returned",
    maximum: limits.metadata,
    remedy: "Return an id and load the rest in onUploadComplete.",
  })

/** A {@link Registration} as JSON, around metadata that is JSON already. */
const encodeRegistration = (registration: Omit<Registration, "metadata">, metadata: string): string =>
  `${JSON.stringify(registration).slice(0, -1)},"metadata":${metadata}}`

const toRejected = (ingestUrl: string) => (failure: PostFailed) => {
  if (failure.status === 401 || failure.status === 403) {
    return new Rejected({
      code: "INVALID_TOKEN",
      detail: `The ingest does not accept the app's token. Check ${names.envPrefix}TOKEN on the server.`,
      cause: failure,
    })
  }
  return failure.isRetryable
    ? new Rejected({
        code: "INGEST_UNAVAILABLE",
        detail: "The ingest did not take the registration. Try again in a moment.",
        headers: { "retry-after": "5" },
        cause: `${ingestUrl}: ${failure.message}`,
      })
    : new Rejected({
        code: "INTERNAL_ERROR",
        detail: "The ingest refused the registration. The server's log says why.",
        cause: `${ingestUrl}: ${failure.message}`,
      })
}

/**
 * Tells the ingest which files to expect and whom to call back.
 *
 * In production this ends when the ingest has acknowledged (at once where the platform takes work along); in
 * development it never waits, and the acknowledgement is a stream of events that is followed in the background.
 *
 * Fails:  `Rejected`, codes INGEST_UNAVAILABLE (after three attempts), INVALID_TOKEN, INTERNAL_ERROR.
 * Source: docs/protocol.md §6, §7.
 */
export const register = Effect.fnUntraced(function* (
  call: Call,
  credentials: Credentials,
  route: NamedRoute,
  grants: ReadonlyArray<UploadGrant>,
  metadata: string,
) {
  const { settings, fetch } = call.app
  const callbackUrl = callbackUrlOf(call)
  const body = encodeRegistration(
    {
      fileKeys: grants.map(({ key }) => key),
      callbackUrl,
      callbackSlug: route.slug,
      awaitServerData: route.definition.awaitServerData,
      isDev: settings.isDev,
    },
    metadata,
  )
  const post = postJson({
    url: `${credentials.ingestUrl}/${names.path.register}`,
    headers: { [names.header.apiKey]: credentials.apiKey, ...parseTraceContext(call.request.headers) },
    body,
    timeout: attemptTimeout,
    fetch,
  })
  if (settings.isDev) {
    const expires = grants[0]?.expires ?? 0
    const stream = { open: post, callbackUrl, slug: route.slug, expires, call, credentials }
    return yield* runAside(
      call,
      Effect.flatMap(loadDevStream, ({ followDevStream }) => followDevStream(stream)),
    )
  }
  const acknowledged = retry(post, retryDelays).pipe(
    Effect.map(discardBody),
    Effect.mapError(toRejected(credentials.ingestUrl)),
  )
  return yield* call.waitUntil === undefined ? acknowledged : runAside(call, Effect.catch(acknowledged, logServerFault))
})

/** Starts work that outlives the answer, and tells the platform to wait for it where it wants to know. */
const runAside = (call: Call, work: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { waitUntil } = call
    if (waitUntil === undefined) return Effect.asVoid(Effect.forkDetach(work))
    const { promise, resolve } = Promise.withResolvers<void>()
    waitUntil(promise)
    return Effect.asVoid(Effect.forkDetach(Effect.ensuring(work, Effect.sync(resolve))))
  })
