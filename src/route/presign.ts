import * as Effect from "effect/Effect"
import { readMessage } from "../server-kit/read-body.ts"
import { Rejected } from "../server-kit/rejected.ts"
import { findCustomIdMistake, findNameMistake } from "../protocol/files/file-name.ts"
import { findStoredPathMistake } from "../protocol/files/file-labels.ts"
import { createFileKey, createRandomId } from "../protocol/files/key.ts"
import { limits } from "../protocol/limits.ts"
import type { FileDescriptor } from "../protocol/messages.ts"
import type { UploadGrant } from "../protocol/signing/signed-url.ts"
import { createDecoder } from "../schema/decode.ts"
import { UploadRequestSchema } from "../schema/upload-request.ts"
import type { Call, NamedRoute } from "./app.ts"
import { announce } from "./announce.ts"
import { callbackUrlOf } from "./callback-url.ts"
import { type AllowedFile, checkLimits } from "./check-limits.ts"
import type { FileDecision } from "./builder/user-code-arguments.ts"
import { checkKnown } from "./known-options.ts"
import { labelGrants } from "./label-grants.ts"
import { refuseDecision } from "./refuse-decision.ts"
import { encodeMetadata } from "./register.ts"
import { runMiddleware } from "./run-middleware.ts"
import type { Credentials } from "../protocol/signing/credentials.ts"
import { toPresignedAnswer } from "./sign-uploads.ts"
import { callUserCode, toArguments } from "./user-code.ts"

const decode = createDecoder(UploadRequestSchema)

const undecided: FileDecision = {}

const decisionFields = [
  "name",
  "customId",
  "keySeed",
  "acl",
  "contentDisposition",
  "owner",
  "path",
  "ownerQuota",
  "expiresIn",
  "hold",
  "cache",
] as const satisfies ReadonlyArray<keyof FileDecision>

/** What a route decided, read once: a row of a database may have getters. */
const copyDecision = (returned: FileDecision | undefined | void): FileDecision => {
  if (returned === undefined || returned === null) return undecided
  // A function or a Map would decide nothing: a file that should have an owner would have none.
  if (typeof returned !== "object" || Symbol.iterator in returned) {
    throw new TypeError("What .file() returns must be an object with what it decides, or nothing.")
  }
  const copy: Record<string, unknown> = { ...returned }
  for (const field of decisionFields) {
    if (!(field in copy) && returned[field] !== undefined) copy[field] = returned[field]
  }
  return copy
}

/** What `.file()` may return as text, and what is wrong with one. */
const textFields = [
  ["name", findNameMistake],
  ["customId", findCustomIdMistake],
  ["path", findStoredPathMistake],
] as const

/** Asks the route how each file is stored, in order; an empty list where it does not decide. */
const decideFiles = Effect.fnUntraced(function* (
  call: Call,
  route: NamedRoute,
  files: ReadonlyArray<FileDescriptor>,
  input: unknown,
  metadata: unknown,
) {
  const { file: decide } = route.definition
  const decisions: Array<FileDecision> = []
  if (decide === undefined) return decisions
  for (const file of files) {
    const decision = yield* callUserCode(
      { hook: "file", slug: route.slug },
      () => decide(toArguments(call, { file, input, metadata })),
      copyDecision,
    )
    yield* checkKnown(`What .file() of route ${route.slug} returned`, decision, decisionFields)
    for (const [field, findMistake] of textFields) {
      const refusal = refuseDecision(route.slug, file, decision[field], ".file() must return", findMistake)
      if (refusal !== undefined) return yield* refusal
    }
    decisions.push(decision)
  }
  return decisions
})

const toGrant = (
  credentials: Credentials,
  route: NamedRoute,
  { file, kind }: AllowedFile,
  decision: FileDecision,
  seed: string | undefined,
  upload: Pick<UploadGrant, "expires" | "issuedAt" | "registrationId">,
): UploadGrant => {
  const { slug, definition } = route
  return {
    ...upload,
    key: createFileKey(credentials.encodedAppId, seed),
    appId: credentials.appId,
    name: decision.name ?? file.name,
    size: file.size,
    type: file.type,
    slug,
    customId: decision.customId,
    contentDisposition: decision.contentDisposition ?? kind.contentDisposition,
    acl: decision.acl ?? kind.limits.acl,
    cache: decision.cache ?? kind.cache,
    transport: definition.transport,
  }
}

/** Checks a seed against the limits of the protocol, so that a mistake shows here and not at the ingest. */
const refuseSeed = (
  slug: string,
  key: string,
  seed: string | undefined,
  file: FileDescriptor,
  encodedAppId: string,
): Rejected | undefined => {
  const isKey = (made: string): boolean => made !== encodedAppId && made.length <= limits.fileKey
  if (isKey(key) && (seed === undefined || typeof seed === "string")) return undefined
  return refuseDecision(slug, file, seed, "fileKeySeed or keySeed must be", (text) =>
    isKey(createFileKey(encodedAppId, text)) ? undefined : "a string of 1 to about 380 characters",
  )
}

/** Refuses two files with the same key, because they would be one file. */
const checkSeeds = (grants: ReadonlyArray<UploadGrant>): Effect.Effect<void, Rejected> => {
  const byKey = new Map<string, UploadGrant>()
  for (const grant of grants) {
    const other = byKey.get(grant.key)
    if (other !== undefined) {
      const [a, b] = [other.name, grant.name].map((name) => JSON.stringify(name))
      return Effect.fail(
        new Rejected({
          code: "BAD_REQUEST",
          detail: `${a} and ${b} have the same key in this app. Upload one of them.`,
        }),
      )
    }
    byKey.set(grant.key, grant)
  }
  return Effect.void
}

/**
 * The upload action: turns a list of files into a signed URL for each.
 *
 * Order of work: callback URL → decode → limits (cheap, before any user code) → input → middleware → keys and URLs → registration.
 * Source: docs/protocol.md §5.
 */
export const presign = Effect.fnUntraced(function* (call: Call, route: NamedRoute) {
  const credentials = yield* call.app.credentials
  // Before any user code: where callbacks cannot arrive, nothing must be registered.
  const callbackUrl = yield* callbackUrlOf(call)
  const body = yield* readMessage(call.request, limits.requestBody, call.app.settings.bodyTimeout, decode, call.share)
  const allowed = yield* checkLimits(route, body.files)
  const files = allowed.map(({ file }) => file)
  const { input, metadata } = yield* runMiddleware(call, route, files, body.input)
  const encodedMetadata = yield* encodeMetadata(route.slug, metadata)
  const decisions = yield* decideFiles(call, route, files, input, metadata)
  const issuedAt = Date.now()
  const expires = issuedAt + route.definition.presignedUrlTtl
  const upload = { expires, issuedAt, registrationId: createRandomId() }
  // Called as user code, because fileKeySeed is.
  const seeds = yield* callUserCode({ hook: "fileKeySeed", slug: route.slug }, () =>
    files.map((file, i) => decisions[i]?.keySeed ?? route.definition.fileKeySeed?.(file, { input, metadata })),
  )
  const grants = allowed.map((file, i) =>
    toGrant(credentials, route, file, decisions[i] ?? undecided, seeds[i], upload),
  )
  for (const [i, grant] of grants.entries()) {
    const refusal = refuseSeed(route.slug, grant.key, seeds[i], files[i]!, credentials.encodedAppId)
    if (refusal !== undefined) return yield* refusal
  }
  if (route.definition.fileKeySeed ?? route.definition.file) yield* checkSeeds(grants)
  const isRandom = route.definition.fileKeySeed === undefined && decisions.every(({ keySeed }) => keySeed === undefined)
  const announcement = {
    grants: yield* labelGrants(credentials, route, grants, decisions),
    metadata: encodedMetadata,
    callbackUrl,
  }
  return toPresignedAnswer(yield* announce(call, credentials, route, announcement, isRandom))
})
