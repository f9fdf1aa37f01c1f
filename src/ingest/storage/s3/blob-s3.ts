/*
 * Configuration: how the bucket is reached ({@link S3Settings}); `prefix`, what the names of all objects begin with;
 * `journal`, where the progress of unfinished blobs is kept; `spill`, a folder for parts that have no room in memory.
 *
 * What is stored where: a finished blob is one object, `<prefix><key>/<epoch>`, whose epoch is its `ref`. An unfinished one
 * is a multipart upload of that name, beside it an object `<prefix><key>/t<epoch>.<offset>` with the bytes that do not fill
 * a part (the tail), and a row of the journal: which parts there are, and where the durable bytes end.
 *
 * Considerations: parts are cut by the signed size (part-size.ts), so that part k always has the same bytes. Each is sent with
 * its SHA-256 as the signed hash of the payload, which every S3 server checks. An offset that was named is durable in bucket
 * and journal; what a killed process had of the next part is sent again. A blob of one part is one PutObject, without
 * multipart upload and row. Parts of an unfinished blob cannot be read, its first 4,100 bytes can, as long as there are no
 * more. The hash of the whole is kept up while bytes pass; where another process began the blob it is read again once it is finished.
 * A newer epoch is noted in the journal, so an older writer of any process can note nothing more, and what it still puts has
 * a name of its own.
 */
import type { Hash } from "node:crypto"
import {
  type Append,
  type Appended,
  type BlobState,
  type BlobStore,
  BlobStoreError,
  type Finished,
} from "../blob-store.ts"
import { wrapPort } from "../wrap-port.ts"
import { appendParts, type AppendedParts } from "./append-parts.ts"
import { createS3Client, type S3Client, type S3Object } from "./client/s3-client.ts"
import { isMissingUpload, S3Error } from "./client/s3-error.ts"
import type { S3Tuning } from "./client/s3-request.ts"
import type { S3Settings } from "./client/s3-settings.ts"
import { createGatherer, createPlaces } from "./gathered.ts"
import { hashObject } from "./hash-object.ts"
import {
  applyChange,
  type BlobJournal,
  type JournalChange,
  type JournaledBlob,
  toEmptyBlob,
} from "./journal/blob-journal.ts"
import { createObjectNames, readObjectName } from "./object-names.ts"
import { toPartSize } from "./part-size.ts"

/** Requests with bodies that one process has under way. */
const requestsAtOnce = 64

/** How long a bucket that answered counts as there, ms: asking costs money. */
const freshness = 10_000

/** How many times parts of an upload are looked for after it was aborted: one that was under way may still arrive. */
const abortsAtMost = 5

/** What tests change. */
interface S3BlobStoreTuning extends S3Tuning {
  /** Bytes of memory for parts. */
  readonly memory?: number | undefined
}

/** How an S3 blob store is set up. */
export interface S3BlobStoreSettings extends S3Settings {
  /** What the names of all objects begin with; none by default. Nothing else may be kept under it. */
  readonly prefix?: string | undefined
  readonly journal: BlobJournal
  /** Folder for parts that have no room in memory; by default the system's folder for temporary files. */
  readonly spill?: string | undefined
}

/** What is known of a blob while it is worked on. */
interface Blob {
  epoch: number
  /** As the journal has it; undefined where it has to be asked. */
  known: JournaledBlob | undefined
  /** Whether the journal has a row. */
  isJournaled: boolean
  /** The object that it has become. */
  whole: { readonly ref: string; readonly size: number; readonly digest: string | undefined } | undefined
  /** Of the first `at` bytes. */
  hashed: { readonly hash: Hash; readonly at: number } | undefined
  /** Ends the requests of the current writer. */
  stop: AbortController
  /** Requests with bodies that have not ended. */
  readonly requests: Set<Promise<unknown>>
}

const fenced = (epoch: number): BlobStoreError => new BlobStoreError("fenced", `Epoch ${epoch} was fenced off.`)

const toError = (cause: unknown): BlobStoreError => {
  if (BlobStoreError.is(cause)) return cause
  if (cause instanceof RangeError) return new BlobStoreError("offset", cause.message, cause)
  const isFull = cause instanceof S3Error && (cause.status === 507 || /QuotaExceeded|StorageFull/.test(cause.code))
  return isFull
    ? new BlobStoreError("full", "The bucket is full.", cause)
    : new BlobStoreError("io", "The bucket failed.", cause)
}

/** Whether there is no such object, or not that range of it. */
const isOfNothing = (cause: unknown): boolean =>
  cause instanceof S3Error && (cause.status === 404 || cause.status === 416)

/** The codes by which a completion says that the parts are not those that were sent. */
const refusedParts: ReadonlySet<string> = new Set(["InvalidPart", "InvalidPartOrder", "EntityTooSmall"])

/** Keeps blobs in a bucket of an S3-compatible store. Node, Bun and Deno. */
export const createS3BlobStore = (
  { prefix = "", journal, spill, ...settings }: S3BlobStoreSettings,
  tuning?: S3BlobStoreTuning,
): BlobStore => {
  const client: S3Client = createS3Client(settings, tuning)
  const names = createObjectNames(prefix)
  const gatherer = createGatherer(spill, tuning?.memory)
  const places = createPlaces(requestsAtOnce)
  const blobs = new Map<string, Blob>()
  /** What is removed beside the answers. */
  const tidying = new Set<Promise<void>>()
  let answeredAt = -Infinity

  /** Removes what is of no use any more, without anybody waiting for it: what is left goes with the blob. */
  const tidy = (work: () => Promise<void>): void => {
    const done: Promise<void> = work()
      .catch(() => {})
      .finally(() => tidying.delete(done))
    tidying.add(done)
  }

  const admit = (key: string, epoch: number): Blob => {
    const blob = blobs.get(key) ?? {
      epoch,
      known: undefined,
      isJournaled: false,
      whole: undefined,
      hashed: undefined,
      stop: new AbortController(),
      requests: new Set(),
    }
    if (epoch < blob.epoch) {
      throw new BlobStoreError("fenced", `Epoch ${epoch} was fenced off by epoch ${blob.epoch}.`)
    }
    if (epoch > blob.epoch) {
      blob.stop.abort(fenced(blob.epoch))
      blob.stop = new AbortController()
    }
    blob.epoch = epoch
    blobs.set(key, blob)
    return blob
  }

  const isCurrent = (key: string, blob: Blob, epoch: number): boolean => blob.epoch === epoch && blobs.get(key) === blob

  const listAll = async (key: string): Promise<ReadonlyArray<S3Object>> => {
    const found: Array<S3Object> = []
    for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
      const { objects, next } = await client.listObjects(names.all(key), { after })
      found.push(...objects)
      after = next
    }
    return found
  }

  /** The object that a blob has become, where no row says more: the one of the newest epoch. */
  const findWhole = async (key: string): Promise<Blob["whole"]> => {
    let newest = -1
    let found: Blob["whole"]
    for (const { key: name, size } of await listAll(key)) {
      const of = readObjectName(name)
      if (of === undefined || of.isTail || of.epoch <= newest) continue
      newest = of.epoch
      found = { ref: String(of.epoch), size, digest: undefined }
    }
    return found
  }

  /** Keeps a change in the journal, and follows it. */
  const createNote =
    (key: string, blob: Blob, epoch: number) =>
    async (change: JournalChange): Promise<void> => {
      if (!isCurrent(key, blob, epoch)) throw fenced(epoch)
      const before = blob.known ?? toEmptyBlob(epoch)
      if (!(await journal.write(key, epoch, change))) throw fenced(epoch)
      blob.isJournaled = true
      if (!isCurrent(key, blob, epoch)) throw fenced(epoch)
      blob.known = applyChange(before, epoch, change)
      const { tail } = before
      if (tail !== null && blob.known.tail !== tail) tidy(() => client.deleteObjects([tail]))
    }

  /** The parts are gone: the bucket has aborted the upload, and what was stored has to be sent again. */
  const beginAnew = async (key: string, blob: Blob, epoch: number, cause: unknown): Promise<never> => {
    blob.hashed = undefined
    await createNote(key, blob, epoch)({ upload: null, keep: 0, offset: 0, tail: null, isFinishing: false })
    throw new BlobStoreError("io", "The bucket no longer has the parts of the blob: it begins anew.", cause)
  }

  const claim = async (key: string, epoch: number): Promise<BlobState> => {
    const blob = admit(key, epoch)
    const known = await journal.claim(key, epoch)
    if (known === undefined || !isCurrent(key, blob, epoch)) throw fenced(epoch)
    blob.known = known
    blob.isJournaled = true
    const { upload, offset, isFinishing } = known
    if (isFinishing && upload !== null) {
      const found = await client.headObject(names.content(key, upload.ref))
      if (found?.size === offset) blob.whole = { ref: upload.ref, size: offset, digest: undefined }
    } else if (offset === 0) {
      blob.whole ??= await findWhole(key)
    }
    return { size: blob.whole?.size ?? offset, isFinished: blob.whole !== undefined }
  }

  /** What the journal says, where this process does not know it. */
  const know = async (key: string, blob: Blob, epoch: number): Promise<JournaledBlob> => {
    if (blob.known === undefined) {
      const read = await journal.read(key)
      if (read !== undefined && read.epoch > epoch) throw fenced(epoch)
      blob.isJournaled = read !== undefined
      blob.known = read
    }
    return (blob.known ??= toEmptyBlob(epoch))
  }

  const run = async <A>(blob: Blob, request: () => Promise<A>): Promise<A> => {
    const giveBack = await places.take()
    const sent = request().finally(giveBack)
    blob.requests.add(sent)
    return sent.finally(() => blob.requests.delete(sent))
  }

  const append = async (key: string, append: Append): Promise<Appended> => {
    const { epoch, offset, isHashed = false } = append
    const blob = admit(key, epoch)
    // Nobody knows what begins, unless this process has asked.
    const known = offset === 0 ? (blob.known ??= toEmptyBlob(epoch)) : await know(key, blob, epoch)
    const end = blob.whole?.size ?? known.offset
    if (blob.whole !== undefined || end !== offset) {
      throw new BlobStoreError("offset", `The blob ends at ${end}, not at ${offset}.`)
    }
    const { createHash } = process.getBuiltinModule("node:crypto")
    const continued = blob.hashed?.at === offset ? blob.hashed.hash : undefined
    const hash = isHashed ? (offset === 0 ? createHash("sha256") : continued) : undefined
    blob.hashed = undefined
    const target = {
      client,
      nameContent: (ref: string) => names.content(key, ref),
      ref: String(epoch),
      nameTail: (at: number) => names.tail(key, epoch, at),
      begin: gatherer.begin,
      run: <A>(request: () => Promise<A>) => run(blob, request),
      admit: () => {
        if (!isCurrent(key, blob, epoch)) throw fenced(epoch)
      },
      note: createNote(key, blob, epoch),
      known: () => blob.known!,
      signal: blob.stop.signal,
      hash,
    }
    let appended: AppendedParts
    try {
      appended = await appendParts(target, append)
    } catch (cause) {
      if (!isCurrent(key, blob, epoch)) throw fenced(epoch)
      if (isMissingUpload(cause)) return await beginAnew(key, blob, epoch, cause)
      throw cause
    }
    const { isWhole, digest, ...result } = appended
    if (isWhole) blob.whole = { ref: target.ref, size: result.offset, digest }
    else if (hash !== undefined) blob.hashed = { hash, at: result.offset }
    return result
  }

  /** A completion was refused for its parts: the blob ends before the first one that is not as it was sent. */
  const cutBack = async (
    key: string,
    blob: Blob,
    epoch: number,
    { etags, upload }: JournaledBlob,
    partSize: number,
    cause: unknown,
  ): Promise<never> => {
    const parts = await client.listParts(names.content(key, upload!.ref), upload!.id)
    if (parts === undefined) return beginAnew(key, blob, epoch, cause)
    const bare = (etag: string | undefined) => etag?.replaceAll('"', "")
    const found = new Map(parts.map(({ number, etag }) => [number, bare(etag)]))
    const first = etags.findIndex((etag, index) => found.get(index + 1) !== bare(etag))
    // Where all are as they were sent, nobody knows which one is meant.
    const keep = Math.max(first, 0)
    blob.hashed = undefined
    await createNote(key, blob, epoch)({ keep, offset: keep * partSize, tail: null, isFinishing: false })
    throw new BlobStoreError("offset", `The bucket has other bytes than were sent after ${keep * partSize}.`, cause)
  }

  /** Makes the parts one object. */
  const complete = async (key: string, blob: Blob, epoch: number, size: number): Promise<Blob["whole"]> => {
    const known = blob.known!
    const { etags, upload } = known
    if (upload === null) return undefined
    const name = names.content(key, upload.ref)
    await createNote(key, blob, epoch)({ isFinishing: true })
    try {
      await client.completeMultipartUpload(
        name,
        upload.id,
        etags.map((etag, index) => ({ number: index + 1, etag })),
      )
    } catch (cause) {
      // The answer may have been lost, or another writer was faster.
      if ((await client.headObject(name))?.size !== size) {
        if (isMissingUpload(cause)) return beginAnew(key, blob, epoch, cause)
        const isOfParts = cause instanceof S3Error && refusedParts.has(cause.code)
        if (isOfParts) return cutBack(key, blob, epoch, known, toPartSize(size), cause)
        throw cause
      }
    }
    return { ref: upload.ref, size, digest: undefined }
  }

  /** Removes what is left beside a finished blob. Whatever a newer writer has stays: it may not have heard of this one. */
  const removeOthers = async (key: string, epoch: number, ref: string): Promise<void> => {
    if (!(await journal.forget(key, epoch))) return
    const stale = (name: string): boolean => {
      const of = readObjectName(name)
      if (of === undefined || name === names.content(key, ref)) return false
      return of.isTail ? of.epoch <= epoch : of.epoch < epoch
    }
    await client.deleteObjects((await listAll(key)).map(({ key: name }) => name).filter(stale))
  }

  const finish: BlobStore["finish"] = async (key, { epoch, size, isHashed = false }): Promise<Finished> => {
    const blob = admit(key, epoch)
    if (blob.whole === undefined) {
      const known = await know(key, blob, epoch)
      const isStored = known.offset === size && known.upload !== null
      // An object is whole, whatever the journal has not forgotten yet.
      blob.whole = isStored ? await complete(key, blob, epoch, size) : await findWhole(key)
      if (blob.whole === undefined) {
        throw new BlobStoreError("offset", `The blob has ${known.offset} bytes, not ${size}.`)
      }
    }
    const { whole, hashed } = blob
    if (whole.size !== size) throw new BlobStoreError("offset", `The blob has ${whole.size} bytes, not ${size}.`)
    let digest = ""
    if (isHashed) {
      const known = whole.digest ?? (hashed?.at === size ? hashed.hash.copy().digest("hex") : undefined)
      digest = known ?? (await hashObject(client, names.content(key, whole.ref), size))
    }
    if (blob.isJournaled) tidy(() => removeOthers(key, epoch, whole.ref))
    if (isCurrent(key, blob, epoch)) blobs.delete(key)
    return { digest, ref: whole.ref }
  }

  /** Where the bytes are that can be read of a blob that is not finished: its tail, as long as it has no part. */
  const findBeginning = async (key: string): Promise<string> => {
    const { tail, etags } = blobs.get(key)?.known ?? (await journal.read(key)) ?? toEmptyBlob(0)
    if (tail === null || etags.length > 0) throw new BlobStoreError("missing", "There are no such bytes.")
    return tail
  }

  const read: BlobStore["read"] = async (key, { start, end, ref }) => {
    const missing = (cause?: unknown) => new BlobStoreError("missing", "There are no such bytes.", cause)
    const name = typeof ref === "string" ? names.content(key, ref) : await findBeginning(key)
    if (end < start) {
      if ((await client.headObject(name)) === undefined) throw missing()
      return new ReadableStream({ start: (controller) => controller.close() })
    }
    const { size, body } = await client.getObject(name, { start, end }).catch((cause: unknown) => {
      throw isOfNothing(cause) ? missing(cause) : cause
    })
    if (end < size) return body
    await body.cancel()
    throw missing()
  }

  const abort = async (name: string, id: string): Promise<void> => {
    for (let count = 0; count < abortsAtMost; count++) {
      await client.abortMultipartUpload(name, id)
      if ((await client.listParts(name, id)) === undefined) return
    }
    throw new BlobStoreError("io", "The bucket still takes parts of an upload that was aborted.")
  }

  const remove = async (key: string): Promise<void> => {
    const blob = blobs.get(key)
    blobs.delete(key)
    // What is under way would come after its removal.
    await Promise.allSettled(blob?.requests ?? [])
    const known = await journal.read(key)
    const objects = await listAll(key)
    if (known?.upload !== null && known?.upload !== undefined) {
      await abort(names.content(key, known.upload.ref), known.upload.id)
    } else if (objects.every(({ key: name }) => readObjectName(name)?.isTail === true)) {
      // The process may have ended before it had noted that it began one.
      for (const each of await client.listMultipartUploads(names.all(key))) await abort(each.key, each.uploadId)
    }
    await client.deleteObjects((await listAll(key)).map(({ key: name }) => name))
    if (known !== undefined) await journal.forget(key)
  }

  const store: BlobStore = {
    abilities: { isDurable: journal.isDurable, readsUnfinished: false },
    claim,
    append,
    finish,
    read,
    remove,
    probe: async () => {
      if (performance.now() - answeredAt < freshness) return
      await client.headBucket()
      answeredAt = performance.now()
    },
    close: async () => {
      await Promise.all(tidying)
      await journal.close()
      client.close()
    },
  }
  // In one place, so that it applies to every method, present and future.
  return wrapPort(store, async (_method, run) => {
    try {
      return await run()
    } catch (cause) {
      throw toError(cause)
    }
  })
}
