import { BlobStoreError } from "../blob-store.ts"
import type { Held, Whole } from "./blobs-in-progress.ts"
import type { S3Part } from "./client/entries.ts"
import type { S3Client } from "./client/s3-client.ts"
import { S3Error } from "./client/s3-error.ts"
import { isSameEtag } from "./etag.ts"
import type { JournaledBlob, MultipartUpload } from "./journal/blob-journal.ts"
import { toPartSize } from "./part-size.ts"

/** The codes by which a completion says that the parts are not those that were sent. */
const refusedParts: ReadonlySet<string> = new Set(["InvalidPart", "InvalidPartOrder", "EntityTooSmall"])

/** How many parts are as they were sent before the first one that is not. */
const countGood = (parts: ReadonlyArray<S3Part>, etags: JournaledBlob["etags"]): number => {
  const found = new Map(parts.map(({ number, etag }) => [number, etag]))
  const first = etags.findIndex((etag, index) => !isSameEtag(etag, found.get(index + 1)))
  // Where all are as they were sent, nobody knows which one is meant.
  return Math.max(first, 0)
}

/**
 * Makes the parts of a blob one object. Whoever began the upload has named it.
 *
 * Fails: `offset` where parts are not as they were sent, and `io` where the bucket has none any more: both are noted, and the
 *        blob ends earlier then. Otherwise as the client does.
 */
export const completeParts = async (
  client: S3Client,
  held: Held,
  upload: MultipartUpload,
  name: string,
  size: number,
): Promise<Whole> => {
  const { etags } = await held.know()
  await held.note({ isFinishing: true })
  try {
    const parts = etags.map((etag, index) => ({ number: index + 1, etag }))
    const { signal } = held.blob.gone
    await held.run(() => client.completeMultipartUpload(name, upload.id, parts, { signal }))
  } catch (cause) {
    held.check()
    const isWhole = async (): Promise<boolean> => (await client.headObject(name))?.size === size
    // The answer may have been lost, or another writer was faster.
    if (await isWhole()) return { ref: upload.ref, size }
    // Not every store says of an upload that is gone that it is.
    const parts = await client.listParts(name, upload.id)
    // A completion that was late may have come in between: once the upload is gone, none comes any more.
    if (parts === undefined) return (await isWhole()) ? { ref: upload.ref, size } : held.beginAnew(cause)
    if (!(cause instanceof S3Error && refusedParts.has(cause.code))) throw cause
    const keep = countGood(parts, etags)
    const offset = keep * toPartSize(size)
    held.blob.hashed = undefined
    await held.note({ keep, offset, tail: null, isFinishing: false })
    throw new BlobStoreError("offset", `The bucket has other bytes than were sent after ${offset}.`, cause)
  }
  return { ref: upload.ref, size }
}
