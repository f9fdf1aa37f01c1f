import type { FileLabels } from "../../../protocol/files/file-labels.ts"
import type { UploadGrant } from "../../../protocol/signing/signed-url.ts"
import type { DeliveryRecord, FileRecord, RegistrationRecord, UploadRecord } from "../catalog/records.ts"
import type { CatalogUploads, Committed } from "../catalog/uploads.ts"
import { decideDeadlines, describeFile } from "../upload-rules.ts"

type Whole = Parameters<CatalogUploads["commitWhole"]>[0]

/** The values of a new row of `files`. */
export const toValues = (
  grant: UploadGrant,
  origin: string,
  now: number,
  labels: FileLabels = {},
): Array<string | number | null> => {
  const { key, appId, name, size, type, customId = null, slug = null, contentDisposition = null, acl = null } = grant
  const { expires, registrationId = "", issuedAt = null, cache = null } = grant
  const file = [key, appId, name, size, type, customId, slug, contentDisposition, acl, origin, expires]
  const { owner = null, path = null, keepFor = null, claimWithin = null, hold = false } = labels
  return [...file, 1, now, registrationId, issuedAt, owner, path, keepFor, claimWithin, cache, hold ? 1 : null]
}

/** What a commit answers, given what it has made of the file. */
export const toCommitted = (
  upload: UploadRecord,
  claimedUntil: number | null,
): Extract<Committed, { readonly kind: "committed" }> => {
  const { file, registration, delivery } = upload
  const isClaimed = registration !== null && delivery !== null && !registration.isDev && claimedUntil !== null
  const due = isClaimed
    ? { id: delivery.id, hook: delivery.hook, attempt: delivery.attempts, retry: 0, file, registration }
    : null
  return { kind: "committed", upload, due }
}

/** A file that has arrived whole: its rows are new, so that what would be read back is known. */
export const describeWhole = (
  { grant, origin, labels = {}, fileHash, now, eventId, claimedUntil }: Omit<Whole, "bytes">,
  id: number,
  registration: RegistrationRecord | null,
): Extract<Committed, { readonly kind: "committed" }> => {
  const begun = describeFile(grant, origin, 1, now, labels)
  const arrived = { status: "Uploaded", uploadedAt: now, fileHash, isInline: true } as const
  const file: FileRecord = { ...begun, id, ...arrived, ...decideDeadlines(begun, now) }
  const isOwed = registration !== null && !file.hold
  const isClaimed = claimedUntil !== null && registration?.isDev === false
  const delivery: DeliveryRecord | null = isOwed
    ? {
        id: eventId,
        hook: "callback",
        status: "pending",
        attempts: isClaimed ? 1 : 0,
        failures: 0,
        nextAt: isClaimed ? claimedUntil : now,
      }
    : null
  return toCommitted({ file, registration, delivery, result: null, resultAt: null }, claimedUntil)
}
