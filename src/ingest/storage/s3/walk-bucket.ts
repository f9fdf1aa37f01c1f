import { nameMarker } from "./bucket-marker.ts"
import { createS3Client } from "./client/s3-client.ts"
import type { S3Tuning } from "./client/s3-request.ts"
import type { S3Settings } from "./client/s3-settings.ts"
import { listPages } from "./list-pages.ts"
import { createObjectNames, readObjectName } from "./object-names.ts"

/** What an object or an unfinished upload of a bucket is, by its name. */
interface Named {
  readonly name: string
  /** The blob that it is of; null where no blob has such objects: somebody else's. */
  readonly blob: string | null
}

/** An object of a bucket. */
export interface BucketObject extends Named {
  readonly size: number
  /** When it was put, ms since the epoch; NaN where the bucket does not say. */
  readonly modifiedAt: number
  /** The `ref` of a blob whose content it is; null for one that holds bytes of an unfinished blob. */
  readonly ref: string | null
}

/** A multipart upload that was neither completed nor aborted. */
export interface BucketUpload extends Named {
  readonly id: string
  /** Ms since the epoch; NaN where the bucket does not say. */
  readonly initiatedAt: number
}

/** What is in a bucket, whether anybody knows of it or not. */
export interface BucketWalk {
  /** All objects below the prefix but the marker, a page at a time, in the order of their names. */
  readonly objects: () => AsyncGenerator<ReadonlyArray<BucketObject>>
  /** Empty for a bucket that lists uploads by their whole names alone. */
  readonly uploads: () => Promise<ReadonlyArray<BucketUpload>>
  /** The size of the object that a blob has become, bytes; undefined where there is none. */
  readonly findSize: (blob: string, ref: string) => Promise<number | undefined>
  readonly removeObjects: (objects: ReadonlyArray<BucketObject>) => Promise<void>
  readonly abortUpload: (upload: BucketUpload) => Promise<void>
  readonly close: () => void
}

/**
 * Looks at all of a bucket below a prefix.
 *
 * Fails: each call rejects with an `S3Error` where the bucket fails.
 */
export const walkBucket = (
  { prefix = "", ...settings }: S3Settings & { readonly prefix?: string | undefined },
  tuning?: S3Tuning,
): BucketWalk => {
  const client = createS3Client(settings, tuning)
  const names = createObjectNames(prefix)

  /** Keys of an ingest stay as they are in the names of objects; a name of any other form is not ours. */
  const readName = (name: string): Named & { readonly ref: string | null } => {
    const [, blob = null] = /^([\w.-]+)\/t?\d+(?:\.\d+\.\w+)?$/.exec(name.slice(prefix.length)) ?? []
    const of = readObjectName(name)
    return { name, blob, ref: of === undefined || of.isTail ? null : String(of.epoch) }
  }

  return {
    async *objects() {
      for await (const page of listPages(client, prefix)) {
        yield page
          .filter(({ key }) => key !== nameMarker(prefix))
          .map(({ key, size, modifiedAt }) => ({ ...readName(key), size, modifiedAt }))
      }
    },
    uploads: async () =>
      (await client.listMultipartUploads(prefix)).map(({ key, uploadId, initiatedAt }) => {
        const { name, blob } = readName(key)
        return { name, blob, id: uploadId, initiatedAt }
      }),
    findSize: async (blob, ref) => (await client.headObject(names.content(blob, ref)))?.size,
    removeObjects: (objects) => client.deleteObjects(objects.map(({ name }) => name)),
    abortUpload: async ({ name, id }) => void (await client.abortMultipartUpload(name, id)),
    close: () => client.close(),
  }
}
