import type { UploadGrant } from "../../protocol/signed-url.ts"
import { toStoredMediaType } from "../stored-media-type.ts"
import type { FileFailure, FileRecord } from "./catalog.ts"

/** What of a file tells whose it is. */
type Held = Pick<FileRecord, "appId" | "status" | "name" | "size" | "type" | "registrationId" | "issuedAt">

/** What of a grant does. */
type Asked = Pick<UploadGrant, "appId" | "name" | "size" | "type" | "registrationId" | "issuedAt">

/**
 * Whether a grant is for the file the catalog already has under its key: then its bytes can go on (a renewed URL
 * differs in its expiry only). Keys made from a seed of the route's can come back for another file, and for another
 * user: bytes, offset and result are the registration's that the URL names. A stored file may have been renamed since.
 */
export const isSameUpload = (file: Held, grant: Asked): boolean =>
  file.appId === grant.appId &&
  file.registrationId === (grant.registrationId ?? null) &&
  file.size === grant.size &&
  toStoredMediaType(file.type) === grant.type &&
  (file.status === "Uploaded" || file.name === grant.name)

/**
 * What a grant may do with the file that has its key: go on with the same one, take the key for a new one, or nothing.
 *
 * An unfinished upload of another registration gives way to one whose URL was first issued later, and to no earlier one:
 * so whoever asks the app anew gets the key, and two who send at once do not throw each other's bytes away for ever.
 */
export const relateGrant = (file: Held, grant: Asked): "same" | "replaces" | "refused" => {
  if (file.appId !== grant.appId) return "refused"
  // What was deleted and comes back was refused before: this one is new.
  if (file.status === "Deleting") return "replaces"
  if (isSameUpload(file, grant)) return "same"
  if (file.status === "Uploaded") return "refused"
  const isEarlier = file.issuedAt !== null && grant.issuedAt !== undefined && grant.issuedAt <= file.issuedAt
  return isEarlier && file.registrationId !== (grant.registrationId ?? null) ? "refused" : "replaces"
}

/**
 * Whether the failure of an upload is this grant's as well. A registration ends with its upload; where the URL names
 * none, one that was signed later is a new attempt.
 */
export const isFailureOf = (file: Pick<FileRecord, "registrationId" | "expires">, grant: UploadGrant): boolean =>
  file.registrationId !== null || grant.expires <= file.expires

/** Why an upload has failed whose key was granted to another file. */
export const replacedFailure: FileFailure = {
  code: "BAD_REQUEST",
  message: "Another file was uploaded under the same key before this one was complete.",
}

/** Why an upload nobody finished has failed. */
export const expiryFailure: FileFailure = {
  code: "EXPIRED_URL",
  message: "The upload was not finished before its URL expired.",
}

/** How long a registration is kept whose app does not say until when its URLs are valid, ms. */
export const untoldUrlTtl = 30 * 24 * 60 * 60 * 1000
