import type { FileError, ListedFile } from "../../protocol/rest-messages.ts"
import type { Acl } from "../../protocol/signing/signed-url.ts"
import type { FileRecord } from "../storage/catalog/catalog.ts"
import { toFileStatus } from "../storage/file-status.ts"
import { toStoredMediaType } from "../requests/stored-media-type.ts"

/** A file as the examples of the documentation show it. */
export const listedFileExample: ListedFile = {
  id: "41",
  key: "kE2xQm7PzVnYb9tR4wLcH3sD",
  customId: "avatar-of-7",
  name: "me.png",
  size: 18_230,
  type: "image/png",
  status: "Uploaded",
  acl: "public-read",
  uploadedAt: 1_767_225_600_000,
  owner: "user-7",
  path: "avatars/me.png",
  expiresAt: null,
  claimBy: null,
  error: null,
}

const toError = ({ failure, endedAt }: FileRecord): FileError | null =>
  failure === null ? null : { ...failure, at: endedAt ?? 0 }

/** A file as its app is told of it. */
export const toListedFile = (file: FileRecord, defaultAcl: Acl): ListedFile => {
  const { id, key, customId, name, size, acl, uploadedAt, owner, path, removeAt: expiresAt, claimBy } = file
  const [type, status] = [toStoredMediaType(file.type), toFileStatus(file)]
  const said = { id: String(id), key, customId, name, size, type, status, acl: acl ?? defaultAcl }
  return { ...said, uploadedAt, owner, path, expiresAt, claimBy, error: status === "Failed" ? toError(file) : null }
}
