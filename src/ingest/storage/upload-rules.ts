/*
 * The decisions about uploads that every catalog makes. A driver looks up, asks here, and applies the verdict; nothing
 * in this file reads or writes. quota.ts decides what fits, tombstone.ts what was deleted.
 */
import type { FileLabels } from "../../protocol/files/file-labels.ts"
import type { UploadGrant } from "../../protocol/signing/signed-url.ts"
import type { AttemptRecord, DeliveryRecord, FileFailure, FileRecord, OwnerUsage, Usage } from "./catalog/records.ts"
import type { CatalogFiles } from "./catalog/files.ts"
import type { Begun, CatalogUploads } from "./catalog/uploads.ts"
import { isFailureOf, relateGrant } from "./relate-grant.ts"
import { fitsOwnerQuota, fitsQuota } from "./quota.ts"
import { findUrlsEnd } from "./tombstone.ts"

/** The failure of an upload whose key was granted to another file. */
export const replacedFailure: FileFailure = {
  code: "BAD_REQUEST",
  message: "Another file was uploaded under the same key before this one was complete.",
}

/** The failure of an upload that was abandoned. */
export const expiryFailure: FileFailure = {
  code: "EXPIRED_URL",
  message: "The upload was not finished before its URL expired.",
}

/** The failure of a file that was held. Source: docs/protocol.md §10. */
export const toRejection = (reason = "The file was rejected."): FileFailure => ({ code: "REJECTED", message: reason })

/** How long a registration is kept if its app does not say until when its URLs are valid, ms. */
export const untoldUrlTtl = 30 * 24 * 60 * 60 * 1000

/** The catalog's record of a file that begins. */
export const describeFile = (
  grant: UploadGrant,
  origin: string,
  epoch: number,
  now: number,
  labels: FileLabels = {},
): Omit<FileRecord, "id"> => ({
  key: grant.key,
  appId: grant.appId,
  status: "Uploading",
  name: grant.name,
  size: grant.size,
  type: grant.type,
  customId: grant.customId ?? null,
  slug: grant.slug ?? null,
  registrationId: grant.registrationId ?? null,
  issuedAt: grant.issuedAt ?? null,
  contentDisposition: grant.contentDisposition ?? null,
  acl: grant.acl ?? null,
  cache: grant.cache ?? null,
  origin,
  expires: grant.expires,
  epoch,
  createdAt: now,
  resumedAt: null,
  uploadedAt: null,
  fileHash: null,
  failure: null,
  endedAt: null,
  isInline: false,
  blobRef: null,
  owner: labels.owner ?? null,
  path: labels.path ?? null,
  keepFor: labels.keepFor ?? null,
  claimWithin: labels.claimWithin ?? null,
  hold: labels.hold ?? false,
  removeAt: null,
  claimBy: null,
  releasedAt: null,
  claimedAt: null,
})

/**
 * When a file expires, and until when it has to be claimed, ms since the epoch: from now on, as it has arrived or is
 * released. While it is held no time passes.
 */
export const decideDeadlines = (
  { keepFor, claimWithin, hold }: Pick<FileRecord, "keepFor" | "claimWithin" | "hold">,
  now: number,
): Pick<FileRecord, "removeAt" | "claimBy"> => ({
  removeAt: hold || keepFor === null ? null : now + keepFor,
  claimBy: hold || claimWithin === null ? null : now + claimWithin,
})

/** What decides whether a file may be claimed. */
export type Claimable = Pick<FileRecord, "key" | "appId" | "owner" | "slug" | "status" | "removeAt" | "claimBy">

/** Whether an app may claim a file: it has arrived or is on its way, and its time has not passed. */
export const isClaimable = (
  file: Claimable | undefined,
  { appId, owner, slug, now }: Pick<Parameters<CatalogFiles["claimFiles"]>[0], "appId" | "owner" | "slug" | "now">,
): boolean =>
  file !== undefined &&
  file.appId === appId &&
  (owner === undefined || file.owner === owner) &&
  (slug === undefined || file.slug === (typeof slug === "string" ? slug : slug.get(file.key))) &&
  (file.status === "Uploading" || file.status === "Uploaded") &&
  !isOverdue(file, now)

/** Whether the time of a file has passed: nobody may read it any more, and it is deleted with the next sweep. */
export const isOverdue = ({ removeAt, claimBy }: Pick<FileRecord, "removeAt" | "claimBy">, now: number): boolean =>
  (removeAt !== null && removeAt <= now) || (claimBy !== null && claimBy <= now)

/** What happens to a file when a new upload takes over its key. */
export interface Replacement {
  /** It becomes `Failed`; one that had failed before keeps its reason and its time. */
  readonly failure: FileFailure
  readonly endedAt: number
  /** Id of the event that its app is owed if it has registered; undefined: none. */
  readonly eventId: string | undefined
}

/** What a catalog does about a grant that no deletion blocks. */
export type BeginVerdict =
  /** A new file begins with this epoch. `replaced` is null where only the key of the former file changes hands. */
  | { readonly kind: "starts"; readonly epoch: number; readonly replaced: Replacement | null }
  /** The existing upload is resumed, with these changes to its file. */
  | {
      readonly kind: "resumes"
      readonly changes: Pick<
        FileRecord,
        "epoch" | "resumedAt" | "expires" | "customId" | "contentDisposition" | "acl" | "cache"
      >
    }
  /** It is there. `outlasts`: this URL is valid for longer than any that was known. */
  | { readonly kind: "finished"; readonly outlasts: boolean }
  | Extract<Begun, { readonly kind: "deleted" | "failed" | "taken" | "overQuota" | "overOwnerQuota" }>

/** Whether a grant is for an upload of its own, which begins where there is room for it. */
export const isNewUpload = ({ kind }: BeginVerdict): boolean =>
  kind === "starts" || kind === "overQuota" || kind === "overOwnerQuota"

/** What happens to the former file of a key; null where it is already being deleted, or there was none. */
const replace = (
  file: FileRecord | undefined,
  { grant, now, eventId }: Pick<Parameters<CatalogUploads["begin"]>[0], "grant" | "now" | "eventId">,
): Replacement | null => {
  if (file === undefined || file.status === "Deleting") return null
  const isGivenUp = file.status === "Uploading" && file.registrationId !== (grant.registrationId ?? null)
  return {
    failure: file.failure ?? replacedFailure,
    endedAt: file.endedAt ?? now,
    eventId: isGivenUp ? eventId : undefined,
  }
}

/**
 * Decides whether an upload begins, is resumed or is refused.
 *
 * @param file the file that holds the key of the grant
 * @param findUsage the usage of the app; called only where a new file would begin
 * @param findOwnerUsage that of its owner; called only where the owner has a quota as well
 */
export const decideBegin = (
  begin: Pick<Parameters<CatalogUploads["begin"]>[0], "grant" | "labels" | "now" | "quota" | "eventId">,
  file: FileRecord | undefined,
  findUsage: () => Usage,
  findOwnerUsage: (owner: string) => OwnerUsage,
): BeginVerdict => {
  const { grant, labels = {}, now, quota } = begin
  const relation = file === undefined ? "replaces" : relateGrant(file, grant)
  if (relation === "refused") return { kind: "taken" }
  if (relation === "same" && file !== undefined) {
    // The next sweep deletes it.
    if (file.status === "Uploaded" && isOverdue(file, now)) return { kind: "deleted" }
    if (file.status === "Uploaded") return { kind: "finished", outlasts: grant.expires > findUrlsEnd(file) }
    if (file.status === "Uploading") return { kind: "resumes", changes: resume(file, grant, now) }
    if (isFailureOf(file, grant)) return { kind: "failed", failure: file.failure! }
  }
  const usage = findUsage()
  if (!fitsQuota(usage, grant.size, quota, labels, file)) return { kind: "overQuota", usage }
  if (labels.owner !== undefined && labels.ownerQuota !== undefined) {
    const ofOwner = findOwnerUsage(labels.owner)
    if (!fitsOwnerQuota(ofOwner, grant.size, labels, file)) return { kind: "overOwnerQuota", usage: ofOwner }
  }
  return { kind: "starts", epoch: (file?.epoch ?? 0) + 1, replaced: replace(file, begin) }
}

/** Every writer that resumes has an epoch of its own; the newest URL decides how the file is kept. */
const resume = (file: FileRecord, grant: UploadGrant, now: number) => {
  const {
    expires,
    customId = null,
    contentDisposition = null,
    acl = null,
    cache = null,
  } = grant.expires < file.expires ? file : grant
  return { epoch: file.epoch + 1, resumedAt: now, expires, customId, contentDisposition, acl, cache }
}

/** The consequences of a registration for one of its keys. */
export interface RegisterVerdict {
  /** The upload has ended, and this is what it was registered with from now on. */
  readonly isAttached: boolean
  /** Its app is owed the event from now on: it is attached, and not held. */
  readonly isOwed: boolean
  /** Another upload has the key: on a development stream that event could not be acknowledged. */
  readonly isUnheard: boolean
  /** The upload is in progress, and is kept as long as its newest URL is valid. */
  readonly isUnderWay: boolean
  /** The upload may still come, or end. Otherwise this is a new URL for a key that has its file. */
  readonly isExpected: boolean
}

/**
 * Decides what follows for one key when its app registers it.
 *
 * @param upload the upload of the key that belongs to the registration
 */
export const decideRegister = (
  upload:
    (Pick<FileRecord, "status" | "hold"> & { readonly isRegistered: boolean; readonly isCurrent: boolean }) | undefined,
  registrationId: string | null,
): RegisterVerdict => {
  const { status, hold = false, isRegistered = false, isCurrent = true } = upload ?? {}
  const hasEnded = status === "Uploaded" || status === "Failed"
  const isAttached = hasEnded && !isRegistered
  const isOwed = isAttached && !(hold && status === "Uploaded")
  return {
    isAttached,
    isOwed,
    isUnheard: isOwed && !isCurrent,
    isUnderWay: status === "Uploading",
    // Without an id, the key of a file that has failed or is being deleted may be taken over by a new upload: then this
    // is for that one.
    isExpected: registrationId === null ? status !== "Uploaded" : !hasEnded && status !== "Deleting",
  }
}

/**
 * Decides which attempt of a development stream is ended by an error that the app has posted: the newest one, while it
 * is in progress. Null: none, and the error is not kept.
 */
export const endByError = (
  delivery: Pick<DeliveryRecord, "id" | "attempts" | "failures" | "nextAt"> & { readonly retry: number },
  {
    attempt,
    error,
    now,
    judge,
  }: Pick<Parameters<CatalogUploads["recordResult"]>[0], "attempt" | "now"> & {
    readonly error: string
    readonly judge: (retry: number) => AttemptRecord["outcome"]
  },
): AttemptRecord | null => {
  const { id: deliveryId, attempts: newest, failures, nextAt: startedAt, retry } = delivery
  if (newest === failures || newest !== (attempt ?? newest)) return null
  const facts = { startedAt, latency: now - startedAt, status: null, error, answer: null }
  return { deliveryId, attempt: newest, ...facts, outcome: judge(retry) }
}
