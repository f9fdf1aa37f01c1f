import * as Effect from "effect/Effect"
import { limits } from "../protocol/limits.ts"
import type { Credentials } from "../protocol/signing/credentials.ts"
import type { PresignedUpload, SealedRegistration } from "../protocol/messages.ts"
import { parseTraceContext } from "../protocol/trace-context.ts"
import type { Call, NamedRoute } from "./app.ts"
import { type Announcement, register, registerAside } from "./register.ts"
import { signUploads } from "./sign-uploads.ts"

/** An action is registered by a request at least this often, ms: only its answer holds what the ingest warns of. */
const registerEvery = 60 * 1000

/** For how long the ingest is taken to be the one that opened seals, ms. After that an action waits for its registration again. */
const trustFor = 10 * 60 * 1000

/** What the ingest has to know of an upload action, sealed once for all of its URLs. */
const seal = (
  call: Call,
  { appId, sealer }: Credentials,
  { slug, definition }: NamedRoute,
  { metadata, callbackUrl }: Announcement,
): Effect.Effect<string> => {
  const { awaitServerData } = definition
  const rest: Omit<SealedRegistration, "metadata"> = {
    callbackUrl,
    ...(!awaitServerData && { awaitServerData }),
    ...parseTraceContext(call.request.headers),
  }
  const text = `${JSON.stringify(rest).slice(0, -1)},"metadata":${metadata}}`
  const sealed = sealer.seal(text, { appId, slug })
  return typeof sealed === "string" ? Effect.succeed(sealed) : Effect.promise(() => sealed)
}

/** Signs URLs that carry their registration; undefined where that would make them, or all of them together, too long. */
const signSealed = Effect.fnUntraced(function* (
  call: Call,
  credentials: Credentials,
  route: NamedRoute,
  announcement: Announcement,
) {
  const { grants } = announcement
  const sealed = yield* seal(call, credentials, route, announcement)
  if (sealed.length > limits.sealedUrl || sealed.length * grants.length > limits.sealsPerAnswer) return undefined
  const presigned = yield* signUploads(
    credentials,
    grants.map((grant) => ({ ...grant, seal: sealed })),
  )
  return presigned.every(({ url }) => url.length <= limits.sealedUrl) ? presigned : undefined
})

/**
 * Signs the URLs of an upload action, and has the ingest know of it: by a seal in the URLs, or by a request.
 *
 * The first action of a process is registered by a request, so that what is wrong with the set-up shows here, and not at
 * the first PUT; its answer says whether the ingest opens seals, which it does once callbacks have reached the app. From
 * then on nobody waits for such a request, until there was none for a while: the ingest may be another one. An ingest that is
 * away by then is taken to be the same. Keys that a route makes itself may come back after a deletion: only a
 * registration by request shows that it came after that.
 *
 * @param isRandom whether no key of the action can ever be given again
 *
 * Fails: as {@link register} does.
 */
export const announce = Effect.fnUntraced(function* (
  call: Call,
  credentials: Credentials,
  route: NamedRoute,
  announcement: Announcement,
  isRandom: boolean,
) {
  const { settings, seals } = call.app
  const sealed: ReadonlyArray<PresignedUpload> | undefined =
    isRandom && seals.isOpened && !settings.isDev
      ? yield* signSealed(call, credentials, route, announcement)
      : undefined
  // Not by the time of day, which may be set back.
  const age = performance.now() - seals.askedAt
  // One at a time.
  if (sealed !== undefined && age > registerEvery) seals.askedAt = performance.now()
  if (sealed === undefined || age > trustFor) {
    const presigned = yield* signUploads(credentials, announcement.grants)
    return yield* Effect.catch(Effect.as(register(call, credentials, route, announcement), presigned), (rejected) =>
      sealed !== undefined && rejected.code === "INGEST_UNAVAILABLE" ? Effect.succeed(sealed) : Effect.fail(rejected),
    )
  }
  if (age > registerEvery) yield* registerAside(call, credentials, route, announcement)
  return sealed
})
