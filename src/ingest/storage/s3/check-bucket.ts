import { createS3Client } from "./client/s3-client.ts"
import { S3Error } from "./client/s3-error.ts"
import type { S3Tuning } from "./client/s3-request.ts"
import type { S3Settings } from "./client/s3-settings.ts"

/** What a bucket turned out to do. */
export interface BucketReport {
  /** Whether it refuses bytes that are not those that were signed: a fault on the way is then never stored. */
  readonly refusesWrongBytes: boolean
}

const text = (word: string): Uint8Array => new TextEncoder().encode(word)

/** SHA-256 of no bytes that are sent here. */
const otherSha256 = "0".repeat(64)

/**
 * Tries what an ingest does with a bucket, with a few objects of its own that it removes: lists of vendors would be out of
 * date, and say nothing of rights.
 *
 * Fails: rejects with an error whose message says what the bucket did not do.
 */
export const checkBucket = async (
  { prefix = "", ...settings }: S3Settings & { readonly prefix?: string | undefined },
  tuning?: S3Tuning,
): Promise<BucketReport> => {
  const client = createS3Client(settings, tuning)
  const place = `${prefix}sluice-check-${crypto.randomUUID()}/`
  const [whole, parts] = [`${place}whole`, `${place}parts`]

  const step = async <A>(what: string, run: () => Promise<A>): Promise<A> => {
    try {
      return await run()
    } catch (cause) {
      const said = cause instanceof Error ? cause.message : String(cause)
      throw new Error(`${what} failed: ${said}`, { cause })
    }
  }

  const requireRange = async (): Promise<void> => {
    const { size, body } = await client.getObject(whole, { start: 2, end: 3 })
    const range = await new Response(body as ReadableStream<Uint8Array<ArrayBuffer>>).text()
    if (size !== 5 || range !== "cd") throw new Error("the answer was not the range that was asked for")
  }

  const requireParts = async (): Promise<void> => {
    const id = await client.createMultipartUpload(parts)
    try {
      const etag = await client.uploadPart(parts, id, 1, [text("part")])
      if ((await client.listParts(parts, id))?.length !== 1) throw new Error("the part that was sent is not listed")
      await client.completeMultipartUpload(parts, id, [{ number: 1, etag }])
      if ((await client.headObject(parts))?.size !== 4) throw new Error("the object is not there")
    } catch (cause) {
      await client.abortMultipartUpload(parts, id).catch(() => {})
      throw cause
    }
  }

  const requireEmpty = async (): Promise<void> => {
    await client.deleteObjects([whole, parts])
    const { objects } = await client.listObjects(place)
    if (objects.length > 0) throw new Error("objects that were deleted are still listed")
  }

  const isRefused = async (): Promise<boolean> => {
    try {
      await client.putObject(whole, [text("other")], { sha256: otherSha256 })
      return false
    } catch (cause) {
      if (cause instanceof S3Error && cause.status === 400) return true
      throw cause
    }
  }

  try {
    await step("Putting an object", () => client.putObject(whole, [text("abcde")]))
    await step("Reading a range", requireRange)
    const refusesWrongBytes = await step("Putting an object with a wrong hash", isRefused)
    await step("A multipart upload", requireParts)
    await step("Listing the multipart uploads of the bucket", () => client.listMultipartUploads(place))
    await step("Deleting objects", requireEmpty)
    return { refusesWrongBytes }
  } finally {
    client.close()
  }
}
