import * as Effect from "effect/Effect"
import { logWarning } from "../server-kit/logging.ts"
import { openPost, type PostAnswer, type PostFailed, postJson } from "../server-kit/post-json.ts"
import { Rejected } from "../server-kit/rejected.ts"
import { retry } from "../server-kit/retry.ts"
import { limits } from "../protocol/limits.ts"
import type { Registration } from "../protocol/messages.ts"
import { envName, names } from "../protocol/names.ts"
import { acceptsSeal } from "../protocol/signing/seal.ts"
import { parseTraceContext } from "../protocol/trace-context.ts"
import { type Call, type NamedRoute } from "./app.ts"
import { toNoIngest } from "./no-ingest.ts"
import { postResult } from "./callback.ts"
import { encodeReturned } from "./encode-returned.ts"
import type { Credentials } from "../protocol/signing/credentials.ts"
import type { PageGrant } from "./sign-uploads.ts"

/** How long the ingest has for one attempt, ms. */
export const attemptTimeout = 10_000

/** Development code is not loaded in production. */
const loadDevStream = Effect.promise(() => import("./dev-stream.ts"))

/** How long to wait before the second and the third attempt, ms. */
const retryDelays = [200, 600]

/** The middleware's return value as JSON. Fails: as {@link encodeReturned} does. */
export const encodeMetadata = (slug: string, metadata: unknown): Effect.Effect<string, Rejected> =>
  encodeReturned(metadata, {
    code: { hook: "middleware", slug },
    maximum: limits.metadata,
    remedy: "Return an id and load the rest in onUploadComplete.",
  })

/** A {@link Registration} as JSON, around metadata that is already JSON. */
const encodeRegistration = (registration: Omit<Registration, "metadata">, metadata: string): string =>
  `${JSON.stringify(registration).slice(0, -1)},"metadata":${metadata}}`

/**
 * The ingest has accepted it; headers hold its warning for the app, and whether it opens seals. The warning is logged once
 * an hour, whatever its figures.
 */
const noteAnswer = (call: Call, { headers }: Pick<PostAnswer, "headers">): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { seals } = call.app
    seals.isOpened = headers.get(names.header.accept) === acceptsSeal
    seals.askedAt = performance.now()
    const warning = headers.get(names.header.warning)
    if (warning === null || call.app.remind(warning.replace(/\d+/g, "")) === undefined) return Effect.void
    return logWarning(`The ingest warns: ${warning}`)
  })

/**
 * An ingest that refuses a registration refuses sealed URLs for the same reason, but to browsers: from now on actions are
 * registered by requests, so that their callers hear it, until one is accepted. One that is away has refused nothing.
 */
const noteRefusal = ({ app: { seals } }: Call, { code }: Rejected): void => {
  if (code !== "INGEST_UNAVAILABLE") seals.isOpened = false
}

export const toRejected = (ingestUrl: string, callbackUrl: string) => (failure: PostFailed) => {
  if (failure.status === 403 && failure.body?.includes('"callbackOrigin"')) {
    return new Rejected({
      code: "INVALID_CONFIG",
      detail: `The ingest does not accept callbacks to ${new URL(callbackUrl).origin} for the app. Check ${envName("callbackUrl")} on the server; its log has the ingest's reason.`,
      cause: failure,
    })
  }
  if (failure.status === 403 && failure.body?.includes('"clockSkew"')) {
    return new Rejected({
      code: "INVALID_CONFIG",
      detail: `The clocks of app and ingest differ so much that no upload can succeed. Set both by NTP; the server's log has the ingest's figures.`,
      cause: failure,
    })
  }
  if (failure.status === 401 || failure.status === 403) {
    // An ingest says which code it refuses with.
    const isOurs = failure.body?.includes('"code":"') === true
    return new Rejected({
      code: "INVALID_TOKEN",
      detail: isOurs
        ? `The ingest at ${ingestUrl} does not accept the app's token. Check ${envName("token")} on the server.`
        : `The ingest at ${ingestUrl}, or a proxy in front of it, answered ${failure.status} without an explanation. Check ${envName("token")} on the server, and that the proxy lets POST through.`,
      cause: failure,
    })
  }
  if (failure.status === 429 || failure.status === 507) {
    return new Rejected({
      code: failure.status === 429 ? "RATE_LIMITED" : "QUOTA_EXCEEDED",
      detail: "The ingest has no room for more uploads of this app. Try again later.",
      headers: { "retry-after": "60" },
      cause: failure,
    })
  }
  return failure.isRetryable
    ? new Rejected({
        code: "INGEST_UNAVAILABLE",
        detail: "The ingest did not accept the registration. Try again in a moment.",
        headers: { "retry-after": "5" },
        cause: `${ingestUrl}: ${failure.message}`,
      })
    : new Rejected({
        code: "INTERNAL_ERROR",
        detail: "The ingest refused the registration. The server's log says why.",
        cause: `${ingestUrl}: ${failure.message}`,
      })
}

/** What an upload action announces about its files. */
export interface Announcement {
  readonly grants: ReadonlyArray<PageGrant>
  /** As JSON. */
  readonly metadata: string
  /** Where the ingest calls the app back. */
  readonly callbackUrl: string
}

/**
 * Tells the ingest which files to expect and where to send callbacks: the files of one upload action, whose URLs were
 * signed together. A renewal repeats it with the original metadata.
 *
 * In production this ends when the ingest has acknowledged (at once where the platform can continue work after the
 * answer). In development it never waits, and the acknowledgement is a stream of events that is followed in the
 * background.
 *
 * Fails:  `Rejected`, codes INGEST_UNAVAILABLE (after three attempts), RATE_LIMITED, QUOTA_EXCEEDED, INVALID_TOKEN,
 *         INVALID_CONFIG (callbacks may not go there, or the server is not an ingest), INTERNAL_ERROR.
 * Source: docs/protocol.md §6, §7.
 */
export const register = Effect.fnUntraced(function* (
  call: Call,
  credentials: Credentials,
  route: NamedRoute,
  { grants, metadata, callbackUrl }: Announcement,
) {
  const { settings, send, sendForStream } = call.app
  const encode = () =>
    encodeRegistration(
      {
        sentAt: Date.now(),
        id: grants[0]!.registrationId,
        expires: grants[0]!.expires,
        fileKeys: grants.map(({ key }) => key),
        callbackUrl,
        callbackSlug: route.slug,
        awaitServerData: route.definition.awaitServerData,
        isDev: settings.isDev,
      },
      metadata,
    )
  const toPost = () => ({
    url: `${credentials.ingestUrl}/${names.path.register}`,
    headers: { [names.header.apiKey]: credentials.apiKey, ...parseTraceContext(call.request.headers) },
    body: encode(),
    timeout: attemptTimeout,
  })
  const note = (answer: Pick<PostAnswer, "headers">) => noteAnswer(call, answer)
  if (settings.isDev) {
    const expires = grants[0]?.expires ?? 0
    const explain = toRejected(credentials.ingestUrl, callbackUrl)
    const stream = {
      open: Effect.suspend(() => openPost({ ...toPost(), send: sendForStream })).pipe(Effect.tap(note)),
      explain,
      postResult: (result: string) => postResult(call, credentials, result),
      callbackUrl,
      slug: route.slug,
      expires,
      call,
      credentials,
    }
    return yield* runAside(
      call,
      Effect.flatMap(loadDevStream, ({ followDevStream }) => followDevStream(stream)),
    )
  }
  const post = Effect.suspend(() => postJson({ ...toPost(), send })).pipe(Effect.tap(note))
  const acknowledged = retry(post, retryDelays).pipe(
    Effect.mapError(toRejected(credentials.ingestUrl, callbackUrl)),
    Effect.tapError((rejected) => Effect.sync(() => noteRefusal(call, rejected))),
    Effect.flatMap(({ headers }) =>
      /^application\/json\b/.test(headers.get("content-type") ?? "")
        ? Effect.void
        : new Rejected({ code: "INVALID_CONFIG", detail: toNoIngest(credentials.ingestUrl) }),
    ),
  )
  return yield* call.waitUntil === undefined
    ? acknowledged
    : runAside(call, Effect.catch(acknowledged, call.app.logFault))
})

/** Registers beside the answer: nobody waits, and a failure is logged. */
export const registerAside = (...given: Parameters<typeof register>): Effect.Effect<void> =>
  runAside(given[0], Effect.catch(register(...given), given[0].app.logFault))

/** Starts work that outlives the answer, and tells the platform to wait for it, where the platform supports that. */
const runAside = (call: Call, work: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { waitUntil } = call
    if (waitUntil === undefined) return Effect.asVoid(Effect.forkDetach(work))
    const { promise, resolve } = Promise.withResolvers<void>()
    waitUntil(promise)
    return Effect.asVoid(Effect.forkDetach(Effect.ensuring(work, Effect.sync(resolve))))
  })
