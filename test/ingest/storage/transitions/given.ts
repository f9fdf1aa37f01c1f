import * as fc from "fast-check"
import type { FileReference, UploadGrant } from "../../../../src/protocol.ts"
import type { FileLabels, NewRegistration } from "../../../../src/ingest.ts"
import { appOf, customIds, findCurrent, keys, type Model, owners } from "./model.ts"

/*
 * Few values of everything, so that a short sequence meets the same file, owner and moment again.
 */

export const origin = "http://ingest.example"
export const fileHash = "ab".repeat(32)

let events = 0
export const createEventId = (): string => `evt_${++events}`

export const key = fc.constantFrom(...keys)

/** Mostly the app that has the most keys: what the other one asks of those finds nothing. */
export const appId = fc.constantFrom("app", "app", "app", "app", "app", "app", "app", "other")

export const owner = fc.constantFrom(undefined, ...owners)

export const paths = ["a/b", "a/c", "a", "b/é"] as const
export const path = fc.constantFrom(undefined, ...paths)

/** A file by its key or by its custom id. */
export const reference: fc.Arbitrary<FileReference> = fc.oneof(
  { weight: 3, arbitrary: key.map((fileKey) => ({ fileKey })) },
  { weight: 1, arbitrary: fc.constantFrom(...customIds).map((customId) => ({ customId })) },
)

/** The same at the door of one app. */
export const keyAtDoor = fc.constantFrom("a", "b", "c")

export const referenceAtDoor: fc.Arbitrary<FileReference> = fc.oneof(
  { weight: 3, arbitrary: keyAtDoor.map((fileKey) => ({ fileKey })) },
  { weight: 1, arbitrary: fc.constantFrom(...customIds).map((customId) => ({ customId })) },
)

/** How many rows a step of housekeeping handles. */
export const limit = fc.constantFrom(1, 100)

/** What an app says where it registers files. */
export const registration: NewRegistration = {
  metadata: "1",
  callbackUrl: "http://app.example/api/sluice",
  callbackSlug: "avatar",
  awaitServerData: false,
  isDev: false,
  trace: null,
}

/** What a URL says of an upload, with times that count from now. */
const describeUpload = (key: fc.Arbitrary<string>, isSealed: fc.Arbitrary<boolean>) =>
  fc.record({
    key,
    /** It is one more URL of the upload that has the key. */
    isAgain: fc.boolean(),
    name: fc.constantFrom("a.txt", "a.txt", "b.txt"),
    size: fc.constantFrom(5, 5, 3, 9, 0),
    registrationId: fc.constantFrom(undefined, "x", "y"),
    issuedAgo: fc.constantFrom(0, 0, 50, 5000, undefined),
    expiresIn: fc.constantFrom(500, 5000, 90_000),
    isClientSide: fc.boolean(),
    /** Its URL says what its app registers; only where it is client-side. */
    isSealed,
    customId: fc.constantFrom(undefined, ...customIds),
    acl: fc.constantFrom(undefined, "public-read", "private"),
    owner,
    path,
    keepFor: fc.constantFrom(undefined, undefined, 100, 1000),
    claimWithin: fc.constantFrom(undefined, 100, 1000),
    hold: fc.constantFrom(undefined, undefined, true, false),
  })

export const upload = describeUpload(key, fc.boolean())

/** Nobody registers there what is not registered by its URL. */
export const uploadAtDoor = describeUpload(keyAtDoor, fc.constant(true))

export type GivenUpload = typeof upload extends fc.Arbitrary<infer Given> ? Given : never

export type Upload = ReturnType<typeof toUpload>

/** An upload as the ingest passes it on to a catalog. */
export const toUpload = (
  model: Model,
  given: GivenUpload,
): {
  readonly grant: UploadGrant
  readonly labels: FileLabels
  readonly registration: NewRegistration | undefined
  readonly quota: number | undefined
} => {
  const { now, quota, ownerQuota } = model
  const { name, size, registrationId, isClientSide, isSealed, customId, acl, issuedAgo, expiresIn } = given
  const known = given.isAgain ? findCurrent(model, given.key)?.file : undefined
  const issuedAt = issuedAgo === undefined ? undefined : now - issuedAgo
  const identity =
    known === undefined
      ? { name, size, registrationId, issuedAt, slug: isClientSide ? "avatar" : undefined }
      : {
          name: known.name,
          size: known.size,
          registrationId: known.registrationId ?? undefined,
          issuedAt: known.issuedAt ?? undefined,
          slug: known.slug ?? undefined,
        }
  const seal = isSealed && identity.slug !== undefined ? "sealed" : undefined
  return {
    grant: {
      key: given.key,
      appId: appOf(given.key),
      expires: now + expiresIn,
      type: "text/plain",
      customId,
      acl,
      seal,
      ...identity,
    },
    labels: {
      owner: given.owner,
      path: given.path,
      keepFor: given.keepFor,
      claimWithin: given.claimWithin,
      hold: given.hold,
      ...(given.owner !== undefined && { ownerQuota }),
    },
    registration: seal === undefined ? undefined : registration,
    quota,
  }
}
