import type { UploadGrant } from "../../protocol/signed-url.ts"
import type { FileFailure, FileRecord } from "./catalog.ts"

/**
 * Whether a grant is for the file the catalog already has under its key: then its bytes can go on (a renewed URL
 * differs in its expiry only). Keys made from a seed of the route's can come back for another file. A stored file may
 * have been renamed since.
 */
export const isSameUpload = (
  file: Pick<FileRecord, "appId" | "status" | "name" | "size" | "type">,
  grant: Pick<UploadGrant, "appId" | "name" | "size" | "type">,
): boolean =>
  file.appId === grant.appId &&
  file.size === grant.size &&
  file.type === grant.type &&
  (file.status === "Uploaded" || file.name === grant.name)

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
