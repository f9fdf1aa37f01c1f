import type { FileRecord } from "../../ingest.ts"

/** A file as `--json` prints it. Sizes in bytes, times in ms since the epoch. Source: docs/cli.md. */
export const toFileJson = (file: FileRecord) => {
  const { key, name, size, type, status, customId, slug, acl, appId, fileHash, failure } = file
  const { createdAt, resumedAt, uploadedAt, endedAt, expires } = file
  const times = { createdAt, resumedAt, uploadedAt, endedAt, expires }
  return { key, name, size, type, status, customId, slug, acl, appId, fileHash, failure, ...times }
}
