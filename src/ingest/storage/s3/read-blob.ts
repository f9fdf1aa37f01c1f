import { type BlobStore, BlobStoreError } from "../blob-store.ts"
import type { createBlobsInProgress } from "./blobs-in-progress.ts"
import type { createBucketObjects } from "./bucket-objects.ts"
import type { S3Client } from "./client/s3-client.ts"
import { isOfNothing, toStoreError } from "./store-failure.ts"
import { type BlobJournal, toEmptyBlob } from "./journal/blob-journal.ts"
import type { ObjectNames } from "./object-names.ts"

/** What is read from. */
interface ReadSettings {
  readonly client: S3Client
  readonly journal: BlobJournal
  readonly objects: Pick<ReturnType<typeof createBucketObjects>, "findWhole">
  readonly blobs: Pick<ReturnType<typeof createBlobsInProgress>, "find">
  readonly names: ObjectNames
}

/** Makes what reads blobs: finished ones by their `ref`, and the beginning of others. */
export const createReadBlob = ({ client, journal, objects, blobs, names }: ReadSettings): BlobStore["read"] => {
  /** Where the bytes are that can be read of a blob that is not finished: all, or its tail as long as it has no part. */
  const findBeginning = async (key: string): Promise<string> => {
    const blob = blobs.find(key)
    const { tail, upload, etags } = blob?.known ?? (await journal.read(key)) ?? toEmptyBlob(0)
    const whole = blob?.whole ?? (tail === null && upload === null ? await objects.findWhole(key) : undefined)
    if (whole !== undefined) return names.content(key, whole.ref)
    if (tail === null || etags.length > 0) throw new BlobStoreError("missing", "There are no such bytes.")
    return tail
  }

  return async (key, { start, end, ref }) => {
    const missing = (cause?: unknown) => new BlobStoreError("missing", "There are no such bytes.", cause)
    const name = typeof ref === "string" ? names.content(key, ref) : await findBeginning(key)
    if (end < start) {
      if ((await client.headObject(name)) === undefined) throw missing()
      return new ReadableStream({ start: (controller) => controller.close() })
    }
    const { size, body } = await client
      .getObject(name, { start, end, toBodyError: toStoreError, isAwaited: true })
      .catch((cause: unknown) => {
        throw isOfNothing(cause) ? missing(cause) : cause
      })
    if (end < size) return body
    await body.cancel()
    throw missing()
  }
}
