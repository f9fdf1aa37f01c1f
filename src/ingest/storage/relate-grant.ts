/*
 * What a signed URL has to do with the file that holds its key. It is asked by catalogs, and by what answers requests.
 */
import type { UploadGrant } from "../../protocol/signing/signed-url.ts"
import { toStoredMediaType } from "../requests/stored-media-type.ts"
import type { FileRecord } from "./catalog/records.ts"

/** The fields of a file that tell which upload it belongs to. */
type Held = Pick<FileRecord, "appId" | "status" | "name" | "size" | "type" | "registrationId" | "issuedAt">

/** The same fields of a grant. */
type Asked = Pick<UploadGrant, "appId" | "name" | "size" | "type" | "registrationId" | "issuedAt">

/**
 * Whether a grant is for the file that the catalog already has under its key: then it can be resumed (a renewed URL
 * differs only in its expiry). Keys made from a seed of the route's can be used again for another file, and for
 * another user: bytes, offset and result belong to the registration that the URL names. A stored file may have been
 * renamed since.
 */
export const isSameUpload = (file: Held, grant: Asked): boolean =>
  file.appId === grant.appId &&
  file.registrationId === (grant.registrationId ?? null) &&
  file.size === grant.size &&
  toStoredMediaType(file.type) === grant.type &&
  (file.status === "Uploaded" || file.name === grant.name)

/**
 * Whether a URL may end an upload that has begun. Where URLs name no registration, an older one is for an upload of before.
 */
export const mayEnd = (
  grant: Asked & Pick<UploadGrant, "expires">,
  begun: Held & Pick<FileRecord, "expires">,
): boolean => isSameUpload(begun, grant) && (begun.registrationId !== null || grant.expires >= begun.expires)

/** The same for an upload of which nothing is known but the URL that is being written for. */
export const mayEndWriter = (grant: UploadGrant, written: UploadGrant): boolean =>
  mayEnd(grant, { ...written, status: "Uploading", registrationId: written.registrationId ?? null, issuedAt: null })

/**
 * What a grant may do with the file that holds its key: resume the same upload, take over the key for a new one, or
 * nothing.
 *
 * An unfinished upload of another registration gives way to one whose URL was first issued later, never to an earlier
 * one: so a client that asks the app anew gets the key, and two that send at once do not discard each other's bytes
 * for ever.
 */
export const relateGrant = (file: Held, grant: Asked): "same" | "replaces" | "refused" => {
  if (file.appId !== grant.appId) return "refused"
  // A deleted upload that comes back was refused before this point: this one is new.
  if (file.status === "Deleting") return "replaces"
  if (isSameUpload(file, grant)) return "same"
  if (file.status === "Uploaded") return "refused"
  const isEarlier = file.issuedAt !== null && grant.issuedAt !== undefined && grant.issuedAt <= file.issuedAt
  return isEarlier && file.registrationId !== (grant.registrationId ?? null) ? "refused" : "replaces"
}

/**
 * Whether the failure of an upload applies to this grant as well. A registration ends with its upload; where the URL
 * names none, one that was signed later is a new attempt.
 */
export const isFailureOf = (
  file: Pick<FileRecord, "registrationId" | "expires">,
  grant: Pick<UploadGrant, "expires">,
): boolean => file.registrationId !== null || grant.expires <= file.expires
