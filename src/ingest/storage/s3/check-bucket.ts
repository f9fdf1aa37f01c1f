import type { S3Upload } from "./client/entries.ts"
import { createS3Client, type S3Client } from "./client/s3-client.ts"
import { S3Error } from "./client/s3-error.ts"
import type { S3Tuning } from "./client/s3-request.ts"
import type { S3Settings } from "./client/s3-settings.ts"

/** What a bucket turned out to do. */
export interface BucketReport {
  /** Whether it refuses bytes that are not those that were signed: a fault on the way is then never stored. */
  readonly refusesWrongBytes: boolean
  /**
   * Whether it lists multipart uploads by the beginning of their names. Some servers do so by the whole name alone: what a killed process
   * had begun there is for a rule of the bucket to abort.
   */
  readonly listsUploads: boolean
  /** How long it took to answer a small request on a connection that was there, ms. */
  readonly answerTime: number
}

/** How long nothing may move, ms: all requests are small. */
const patience = { small: 10_000, large: 10_000 }

/** How long it is tried to remove what is left when the check itself is ended, ms: somebody waits for that. */
const farewell = 2000

const text = (word: string): Uint8Array => new TextEncoder().encode(word)

/** SHA-256 of no bytes that are sent here. */
const otherSha256 = "0".repeat(64)

/** Whether a request that failed may have had its effect all the same. */
const mayHaveHappened = (cause: unknown): boolean => !(cause instanceof S3Error) || cause.isOutcomeUnknown

/**
 * Tries what an ingest does with a bucket, with a few objects of its own that it removes: lists of vendors would be out of
 * date, and say nothing of rights.
 *
 * Fails: rejects with an error whose message says what the bucket did not do, and what could not be removed; an {@link S3Error} is
 * among its causes.
 *        With the reason of the signal of `tuning`, where that ends it and nothing is left.
 */
export const checkBucket = async (
  { prefix = "", ...settings }: S3Settings & { readonly prefix?: string | undefined },
  tuning?: S3Tuning,
): Promise<BucketReport> => {
  const client = createS3Client(settings, { patience, ...tuning })
  const place = `${prefix}sluice-check-${crypto.randomUUID()}/`
  const [whole, wrong, parts, unfinished] = [`${place}whole`, `${place}wrong`, `${place}parts`, `${place}unfinished`]
  /** Objects that may be there. */
  const objects = new Set<string>()
  /** Names of multipart uploads that may be there, and their ids where they are known. */
  const uploads = new Map<string, string | undefined>()

  const step = async <A>(what: string, run: () => Promise<A>): Promise<A> => {
    try {
      return await run()
    } catch (cause) {
      const said = cause instanceof Error ? cause.message : String(cause)
      throw new Error(`${what} failed: ${said}`, { cause })
    }
  }

  /** Does what makes an object, and knows of it from then on. */
  const make = async (key: string, run: () => Promise<unknown>): Promise<void> => {
    objects.add(key)
    try {
      await run()
    } catch (cause) {
      if (!mayHaveHappened(cause)) objects.delete(key)
      throw cause
    }
  }

  const begin = async (key: string): Promise<string> => {
    uploads.set(key, undefined)
    try {
      const id = await client.createMultipartUpload(key)
      uploads.set(key, id)
      return id
    } catch (cause) {
      if (!mayHaveHappened(cause)) uploads.delete(key)
      throw cause
    }
  }

  const requireRange = async (): Promise<number> => {
    const startedAt = performance.now()
    const { size, body } = await client.getObject(whole, { start: 2, end: 3 })
    const range = await new Response(body as ReadableStream<Uint8Array<ArrayBuffer>>).text()
    if (size !== 5 || range !== "cd") throw new Error("the answer was not the range that was asked for")
    return performance.now() - startedAt
  }

  const isRefused = async (): Promise<boolean> => {
    try {
      await make(wrong, () => client.putObject(wrong, [text("other")], { sha256: otherSha256 }))
      return false
    } catch (cause) {
      // With the right hash it was taken a moment ago.
      if (cause instanceof S3Error && (cause.status === 400 || cause.status === 403)) return true
      throw cause
    }
  }

  const requireParts = async (): Promise<void> => {
    const id = await begin(parts)
    const etag = await client.uploadPart(parts, id, 1, [text("part")])
    const [listed, ...more] = (await client.listParts(parts, id)) ?? []
    if (listed?.size !== 4 || more.length > 0) throw new Error("the part that was sent is not listed")
    await make(parts, () => client.completeMultipartUpload(parts, id, [{ number: 1, etag }]))
    uploads.delete(parts)
    if ((await client.headObject(parts))?.size !== 4) throw new Error("the object is not there")
  }

  const abort = async (key: string, id: string): Promise<void> => {
    await client.abortMultipartUpload(key, id)
    if (uploads.get(key) === id) uploads.delete(key)
  }

  const listUploads = () => client.listMultipartUploads(place)

  const abortAll = (listed: ReadonlyArray<S3Upload>, by = client): Promise<unknown> =>
    Promise.all(listed.map(({ key, uploadId }) => by.abortMultipartUpload(key, uploadId)))

  const requireEmpty = async (): Promise<void> => {
    await client.deleteObjects([...objects])
    const { objects: left } = await client.listObjects(place)
    if (left.length > 0) throw new Error("objects that were deleted are still listed")
    objects.clear()
  }

  /** Removes what is left after a failure; false where something may be left. */
  const tidy = async (by: S3Client): Promise<boolean> => {
    const done: Array<Promise<unknown>> = []
    // Where the answer to a beginning was lost, only the list knows of the upload.
    if (uploads.size > 0) {
      done.push(by.listMultipartUploads(place).then((listed) => abortAll(listed, by)))
      for (const [key, id] of uploads) if (id !== undefined) done.push(by.abortMultipartUpload(key, id))
    }
    if (objects.size > 0) done.push(by.deleteObjects([...objects]))
    const results = await Promise.allSettled(done)
    return results.every(({ status }) => status === "fulfilled")
  }

  try {
    await step("Putting an object", () => make(whole, () => client.putObject(whole, [text("abcde")])))
    const answerTime = await step("Reading a range", requireRange)
    const refusesWrongBytes = await step("Putting an object with a wrong hash", isRefused)
    await step("Deleting objects", requireEmpty)
    await step("A multipart upload", requireParts)
    const id = await step("A multipart upload", () => begin(unfinished))
    const listed = await step("Listing the multipart uploads of the bucket", listUploads)
    await step("Aborting a multipart upload", async () => {
      await abort(unfinished, id)
      // More than one where the answer to a beginning was lost.
      await abortAll(listed.filter(({ uploadId }) => uploadId !== id))
    })
    await step("Deleting objects", requireEmpty)
    return { refusesWrongBytes, listsUploads: listed.some(({ uploadId }) => uploadId === id), answerTime }
  } catch (failure) {
    const isEnded = tuning?.signal?.aborted === true
    const last = isEnded ? createS3Client(settings, { ...tuning, signal: AbortSignal.timeout(farewell) }) : client
    const isTidy = await tidy(last).finally(() => last.close())
    if (isTidy) throw isEnded ? tuning?.signal?.reason : failure
    const said = (failure as Error).message.replace(/\.$/, "")
    throw new Error(`${said}. What was tried there could not be removed: look below ${place} in the bucket.`, {
      cause: failure,
    })
  } finally {
    client.close()
  }
}
