import type { FileLabels } from "../../../protocol/file-labels.ts"
import type { UploadGrant } from "../../../protocol/signed-url.ts"
import type { UploadRecord } from "../catalog-records.ts"
import type { Committed } from "../catalog-uploads.ts"

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
