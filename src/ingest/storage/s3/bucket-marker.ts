import { createS3Client } from "./client/s3-client.ts"
import { S3Error } from "./client/s3-error.ts"
import type { S3Tuning } from "./client/s3-request.ts"
import type { S3Settings } from "./client/s3-settings.ts"
import { isOfNothing } from "./store-failure.ts"

/** The object that says whose a bucket is, below a prefix: blobs have a slash there, so it is none. */
export const nameMarker = (prefix: string): string => `${prefix}sluice-catalog`

/** Most of it that is read, bytes. */
const longest = 4096

/** The object that says which catalog the files of a bucket belong to. Its text is the caller's. */
export interface BucketMarker {
  /** Its name in the bucket. */
  readonly name: string
  /** Undefined where there is none. */
  readonly read: () => Promise<string | undefined>
  /**
   * Puts it where there is none. Which one counts is what is read afterwards: somebody else may have been faster, and some
   * servers put it in the place of another.
   */
  readonly make: (text: string) => Promise<void>
  readonly close: () => void
}

/** Whether a server has an object already, or one is being put at this moment. */
const isThere = (cause: unknown): boolean => cause instanceof S3Error && (cause.status === 412 || cause.status === 409)

/** Whether a server does not know the condition. */
const isUnknown = (cause: unknown): boolean => cause instanceof S3Error && cause.status === 501

/** Fails: each call rejects with an `S3Error` where the bucket fails. */
export const openBucketMarker = (
  { prefix = "", ...settings }: S3Settings & { readonly prefix?: string | undefined },
  tuning?: S3Tuning,
): BucketMarker => {
  const client = createS3Client(settings, tuning)
  const name = nameMarker(prefix)
  return {
    name,
    read: async () => {
      try {
        const { body } = await client.getObject(name)
        const text = await new Response(body as ReadableStream<Uint8Array<ArrayBuffer>>).text()
        return text.slice(0, longest)
      } catch (cause) {
        if (isOfNothing(cause)) return undefined
        throw cause
      }
    },
    make: async (text) => {
      const body = [new TextEncoder().encode(text)]
      try {
        await client.putObject(name, body, { isFirst: true })
      } catch (cause) {
        if (isUnknown(cause)) await client.putObject(name, body)
        else if (!isThere(cause)) throw cause
      }
    },
    close: () => client.close(),
  }
}
