import { BlobStoreError } from "../blob-store.ts"
import type { Held, Whole } from "./blobs-in-progress.ts"
import type { S3Client } from "./client/s3-client.ts"
import { isMissingUpload, S3Error } from "./client/s3-error.ts"
import type { JournaledBlob, MultipartUpload } from "./journal/blob-journal.ts"
import { toPartSize } from "./part-size.ts"

/** The codes by which a completion says that the parts are not those that were sent. */
const refusedParts: ReadonlySet<string> = new Set(["InvalidPart", "InvalidPartOrder", "EntityTooSmall"])

const bare = (etag: string | undefined): string | undefined => etag?.replaceAll('"', "")

/** A completion was refused for its parts: the blob ends before the first one that is not as it was sent. */
const cutBack = async (
  client: S3Client,
  held: Held,
  name: string,
  upload: MultipartUpload,
  etags: JournaledBlob["etags"],
  partSize: number,
  cause: unknown,
): Promise<never> => {
  const parts = await client.listParts(name, upload.id)
  if (parts === undefined) return held.beginAnew(cause)
  const found = new Map(parts.map(({ number, etag }) => [number, bare(etag)]))
  // Where all are as they were sent, nobody knows which one is meant.
  const keep = Math.max(
    etags.findIndex((etag, index) => found.get(index + 1) !== bare(etag)),
    0,
  )
  held.blob.hashed = undefined
  await held.note({ keep, offset: keep * partSize, tail: null, isFinishing: false })
  throw new BlobStoreError("offset", `The bucket has other bytes than were sent after ${keep * partSize}.`, cause)
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
    await client.completeMultipartUpload(
      name,
      upload.id,
      etags.map((etag, index) => ({ number: index + 1, etag })),
    )
  } catch (cause) {
    // The answer may have been lost, or another writer was faster.
    if ((await client.headObject(name))?.size !== size) {
      if (isMissingUpload(cause)) return held.beginAnew(cause)
      const isOfParts = cause instanceof S3Error && refusedParts.has(cause.code)
      if (isOfParts) return cutBack(client, held, name, upload, etags, toPartSize(size), cause)
      throw cause
    }
  }
  return { ref: upload.ref, size }
}
