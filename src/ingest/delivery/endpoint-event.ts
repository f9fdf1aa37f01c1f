import { names } from "../../protocol/names.ts"
import type { DueEvent, EventFile } from "../storage/catalog/endpoints.ts"
import { toStoredMediaType } from "../requests/stored-media-type.ts"

const toData = (file: EventFile, url: string | undefined) => ({
  key: file.key,
  name: file.name,
  size: file.size,
  type: toStoredMediaType(file.type),
  customId: file.customId,
  url: `${url ?? file.origin}/${names.path.file}/${file.key}`,
  owner: file.owner,
  path: file.path,
  slug: file.slug,
  status: file.status,
  fileHash: file.fileHash,
  uploadedAt: file.uploadedAt,
  expiresAt: file.removeAt,
  claimBy: file.claimBy,
  error: file.failure,
})

/**
 * The body of an event for an endpoint.
 *
 * Source: docs/protocol.md §8.
 *
 * @param url the ingest's public URL, where it is set
 */
export const renderEndpointEvent = ({ type, at, file, endpoint }: DueEvent, url: string | undefined): string =>
  JSON.stringify({
    type: file === null ? "endpoint.test" : `file.${type}`,
    timestamp: new Date(at).toISOString(),
    data: { appId: endpoint.appId, ...(file !== null && toData(file, url)) },
  })
