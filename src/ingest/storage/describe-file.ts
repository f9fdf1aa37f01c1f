import type { UploadGrant } from "../../protocol/signed-url.ts"
import type { FileRecord } from "./catalog.ts"

/** What a catalog knows of a file that begins. */
export const describeFile = (
  grant: UploadGrant,
  origin: string,
  epoch: number,
  now: number,
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
})
