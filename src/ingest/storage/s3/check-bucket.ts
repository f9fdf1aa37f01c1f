import { createTransport } from "../../../http/own-transport.ts"
import { readWhole } from "../../../http/read-answer.ts"
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
  /**
   * Whether pages of other origins may read what they are redirected to: the bucket's CORS allows any origin. Absent where
   * URLs were not tried.
   */
  readonly allowsPages?: boolean
}

/** What is tried of a bucket. */
export interface BucketTrial extends S3Settings {
  readonly prefix?: string | undefined
  /** Whether its URLs are tried, by which others read without keys: what `reads: "redirect"` of an ingest needs. */
  readonly triesUrls?: boolean | undefined
}

/** How long nothing may move, ms: all requests are small. */
const patience = { small: 10_000, large: 10_000 }

/** How long it is tried to remove what is left when the check itself is ended, ms: somebody waits for that. */
const farewell = 2000

const text = (word: string): Uint8Array => new TextEncoder().encode(word)

/** What answers to a URL are told to say. */
const said = {
  "content-type": "image/png",
  "content-disposition": `attachment; filename="a b.png"; filename*=UTF-8''%C3%A4%20b.png`,
  "cache-control": "private, no-cache",
} as const

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
  { prefix = "", triesUrls = false, ...settings }: BucketTrial,
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

  /** Reads a range by a URL, as a browser that was redirected from a page; says whether that page may have it. */
  const requireUrl = async (): Promise<boolean> => {
    const url = await client.presign({
      method: "GET",
      key: whole,
      query: Object.fromEntries(Object.entries(said).map(([name, value]) => [`response-${name}`, value])),
      expiresIn: 300,
    })
    const { send, close } = createTransport(tuning?.fetch, 1)
    try {
      const signal = AbortSignal.timeout(patience.small)
      const answer = await send({ url, method: "GET", headers: { origin: "null", range: "bytes=2-3" }, signal })
      const range = await readWhole(answer, 65_536)
      if (answer.status !== 206 || range !== "cd") {
        const [, code = "no code"] = /<Code>([\w.-]{1,64})<\/Code>/.exec(range) ?? []
        throw new Error(`it was answered with ${answer.status} (${code})`)
      }
      const other = Object.entries(said).find(([name, value]) => answer.headers.get(name) !== value)
      if (other !== undefined) throw new Error(`the answer did not have the ${other[0]} that the URL names`)
      return /^(\*|null)$/.test(answer.headers.get("access-control-allow-origin") ?? "")
    } finally {
      close()
    }
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
    const allowsPages = triesUrls ? await step("Reading by a presigned URL", requireUrl) : undefined
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
    const listsUploads = listed.some(({ uploadId }) => uploadId === id)
    return { refusesWrongBytes, listsUploads, answerTime, ...(allowsPages !== undefined && { allowsPages }) }
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
