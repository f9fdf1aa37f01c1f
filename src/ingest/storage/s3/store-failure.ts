import { BlobStoreError } from "../blob-store.ts"
import { CatalogError } from "../catalog/catalog.ts"
import { ownCodes, S3Error } from "./client/s3-error.ts"

/** A failure as a store has them. */
export const toStoreError = (cause: unknown): BlobStoreError => {
  if (BlobStoreError.is(cause)) return cause
  if (cause instanceof RangeError) return new BlobStoreError("offset", cause.message, cause)
  // A journal is kept where a catalog is, and fails as one does.
  if (CatalogError.is(cause)) return new BlobStoreError("io", "The journal of the bucket failed.", cause)
  const isFull = cause instanceof S3Error && (cause.status === 507 || /QuotaExceeded|StorageFull/.test(cause.code))
  return isFull
    ? new BlobStoreError("full", "The bucket is full.", cause)
    : new BlobStoreError("io", "The bucket failed.", cause)
}

/** Whose 404 is not about an object: without its bucket nothing is known of one, and a page is of somebody in between. */
const otherwise: ReadonlySet<string> = new Set(["NoSuchBucket", ownCodes.strangeAnswer])

/** Whether there is no such object, or not that range of it. */
export const isOfNothing = (cause: unknown): boolean =>
  cause instanceof S3Error && (cause.status === 404 || cause.status === 416) && !otherwise.has(cause.code)
