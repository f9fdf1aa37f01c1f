import type { FailedFile, StoredFile } from "../../protocol/messages.ts"
import { names } from "../../protocol/names.ts"
import type { DueDelivery, FileRecord } from "../storage/catalog/catalog.ts"
import { toStoredMediaType } from "../requests/stored-media-type.ts"

/** The ingest's public URL for a file. */
export const originOf = (file: FileRecord, url: string | undefined): string => url ?? file.origin

/** What is known of a file before it has arrived. */
const describe = (file: FileRecord): FailedFile => ({
  key: file.key,
  name: file.name,
  size: file.size,
  type: toStoredMediaType(file.type),
  customId: file.customId,
})

/** A file as clients and callbacks see it. Only for files that are `Uploaded`, or were. */
export const toStoredFile = (file: FileRecord, origin: string): StoredFile => ({
  ...describe(file),
  url: `${origin}/${names.path.file}/${file.key}`,
  fileHash: file.fileHash ?? "",
  uploadedAt: file.uploadedAt ?? 0,
})

/**
 * The body of a callback. The app's metadata goes into it as the text that was received. The body names the route
 * although the address names it too, because only the body is signed.
 *
 * Source: docs/protocol.md §8.
 */
export const renderEvent = (due: DueDelivery, sentAt: number, url: string | undefined): string => {
  const { file, registration } = due
  const origin = originOf(file, url)
  const head = `{"id":${JSON.stringify(due.id)},"sentAt":${sentAt},"attempt":${due.attempt}`
  const labels = JSON.stringify({ owner: file.owner, path: file.path })
  const slug = JSON.stringify(registration.callbackSlug)
  const middle = `"origin":${JSON.stringify(origin)},"slug":${slug},"metadata":${registration.metadata},"labels":${labels}`
  return due.hook === "callback"
    ? `${head},"status":"uploaded",${middle},"file":${JSON.stringify(toStoredFile(file, origin))}}`
    : `${head},"status":"failed",${middle},"fileKey":${JSON.stringify(file.key)},"file":${JSON.stringify(describe(file))},"error":${JSON.stringify(file.failure)}}`
}
