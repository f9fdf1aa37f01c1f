import { type FileRecord, toFileStatus } from "../../ingest.ts"

/** A file as `--json` prints it. Sizes in bytes, times in ms since the epoch. Source: docs/cli.md. */
export const toFileJson = (file: FileRecord) => {
  const { key, name, size, type, customId, slug, acl, appId, fileHash, failure, owner, path } = file
  const { createdAt, resumedAt, uploadedAt, endedAt, expires, removeAt: expiresAt, claimBy } = file
  const times = { createdAt, resumedAt, uploadedAt, endedAt, expires, owner, path, expiresAt, claimBy }
  return { key, name, size, type, status: toFileStatus(file), customId, slug, acl, appId, fileHash, failure, ...times }
}
