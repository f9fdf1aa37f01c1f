/*
 * Configuration: how the bucket is reached ({@link S3Settings}); `prefix`, what the names of all objects begin with;
 * `journal`, where the progress of unfinished blobs is kept; `spill`, a folder for parts that have no room in memory.
 *
 * What is stored where: a finished blob is one object, `<prefix><key>/<epoch>`, whose epoch is its `ref`. An unfinished one
 * is a multipart upload of that name, beside it an object `<prefix><key>/t<epoch>.<offset>.<word>` with the bytes that do
 * not fill a part (the tail), and a row of the journal: which parts there are, and where the durable bytes end.
 *
 * Considerations: parts are cut by the signed size (part-size.ts), so that part k always has the same bytes. Each is sent with
 * its SHA-256 as the signed hash of the payload, which every S3 server checks. An offset that was named is durable in bucket
 * and journal; what a killed process had of the next part is sent again. A blob of one part is one PutObject, without
 * multipart upload and row. Parts of an unfinished blob cannot be read, its first 4,100 bytes can, as long as there are no
 * more. The hash of the whole is kept up while bytes pass; where another process began the blob it is read again once it is
 * finished, and of a large one the journal carries the hash (docs/decisions/083). A removal is repeated where a writer may have
 * lived.
 * A writer has a row before it stores anything but a whole object, and a newer epoch is noted there: an older writer of any
 * process can note nothing more, also once the row is gone, and what it still puts has a name of its own.
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
import { endsWithin } from "../../../server-kit/ends-within.ts"
import { wrapPort } from "../wrap-port.ts"
import { appendParts, type AppendedParts } from "./append-parts.ts"
import { type Blob, createBlobsInProgress, type Held, type Whole } from "./blobs-in-progress.ts"
import { createBucketObjects } from "./bucket-objects.ts"
import { createS3Client, type S3Client } from "./client/s3-client.ts"
import { isMissingUpload } from "./client/s3-error.ts"
import type { S3Tuning } from "./client/s3-request.ts"
import type { S3Settings } from "./client/s3-settings.ts"
import { completeParts } from "./complete-parts.ts"
import { adoptParts, createPartGrants } from "./direct-parts.ts"
import { createCarriedHasher } from "./hash/carried-hasher.ts"
import { createHashChain, type HashChain } from "./hash/hash-chain.ts"
import { createGatherer } from "./gathered.ts"
import { hashObject } from "./hash-object.ts"
import { type BlobJournal, type JournaledBlob, toEmptyBlob } from "./journal/blob-journal.ts"
import { createObjectNames, readObjectName } from "./object-names.ts"
import { toPartSize } from "./part-size.ts"
import { createReadBlob } from "./read-blob.ts"
import { createRemovals } from "./removals.ts"
import { toStoreError } from "./store-failure.ts"
import { createTidying } from "./tidying.ts"
import { createPlaces } from "../places.ts"

/** Requests with bodies that one process has under way. */
const requestsAtOnce = 64

/** How long a bucket that answered counts as there, ms: asking costs money. */
const freshness = 10_000

/**
 * Files of more bytes than this are hashed so that the next process can go on with it: to read them again would take too
 * long. That costs six times the processor time of Node's own hash, so smaller ones are read again.
 */
const readAgainAtMost = 1024 ** 3

/** How long what is being tidied up may go on when the store is closed, ms. */
const moment = 500

const epochOfTail = (tail: string | null): number => (tail === null ? 0 : (readObjectName(tail)?.epoch ?? 0))

/** What tests change. */
export interface S3BlobStoreTuning extends S3Tuning {
  /** Size of the largest file that is hashed again, bytes. */
  readonly readAgainAtMost?: number | undefined
  /** How long after it a removal is repeated, ms. */
  readonly removeAgainAfter?: number | undefined
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

/** Keeps blobs in a bucket of an S3-compatible store. Node, Bun and Deno. */
export const createS3BlobStore = (
  { prefix = "", journal, spill, ...settings }: S3BlobStoreSettings,
  tuning?: S3BlobStoreTuning,
): BlobStore => {
  const client: S3Client = createS3Client(settings, tuning)
  const names = createObjectNames(prefix)
  const objects = createBucketObjects(client, names)
  const gatherer = createGatherer(spill, tuning?.memory)
  const places = createPlaces(requestsAtOnce)
  const hasher = createCarriedHasher()
  const largestReadAgain = tuning?.readAgainAtMost ?? readAgainAtMost
  const { tidy, close: endTidying } = createTidying()
  let answeredAt = -Infinity

  const blobs = createBlobsInProgress(journal, (tail) => tidy(() => client.deleteObjects([tail])))

  const removals = createRemovals({ journal, objects, blobs, delay: tuning?.removeAgainAfter })

  const claimHeld = async (held: Held): Promise<BlobState> => {
    const { key, blob } = held
    const { upload, offset, tail, isFinishing } = await held.claim()
    const { directSize } = upload ?? {}
    if (isFinishing && upload !== null) {
      const found = await client.headObject(names.content(key, upload.ref))
      if (found?.size === offset) blob.whole = { ref: upload.ref, size: offset }
    } else if (upload === null || (directSize !== undefined && directSize <= toPartSize(directSize))) {
      // A blob of one part is whole as soon as it is put, whatever upload the journal knows of. Where a newer writer has put a
      // tail there was no object yet: it came late, from one that was fenced off.
      const found = await objects.findWhole(key, epochOfTail(tail))
      if (found?.ref !== blob.whole?.ref) blob.whole = found
      // This writer came late, and the row is its own: nobody else would ever forget it.
      if (found !== undefined && upload === null && tail === null) tidy(() => journal.forget(key, held.epoch))
    }
    if (blob.whole === undefined && upload !== null && directSize !== undefined) {
      await adoptParts(client, held, upload, names.content(key, upload.ref))
      // A completion whose answer was late is why it is gone, as a rule.
      if (blob.direct === undefined) blob.whole = await objects.findWhole(key)
    }
    held.check()
    const state = { size: blob.whole?.size ?? blob.known?.offset ?? offset, isFinished: blob.whole !== undefined }
    return directSize === undefined ? state : { ...state, isDirect: true }
  }

  const claim = async (key: string, epoch: number): Promise<BlobState> => {
    await removals.keep(key)
    return blobs.use(key, epoch, claimHeld)
  }

  const createRun =
    ({ run }: Held) =>
    async <A>(request: () => Promise<A>): Promise<A> => {
      const giveBack = await places.take()
      return run(request).finally(giveBack)
    }

  /** What has the hash of all bytes before an offset; undefined where nothing has. */
  const hashUpTo = ({ hashed }: Blob, offset: number): Hash | undefined => {
    if (offset === 0) return process.getBuiltinModule("node:crypto").createHash("sha256")
    return hashed?.at === offset ? hashed.hash : undefined
  }

  /** Hashes the parts that are to come; undefined where nobody has kept the hash of those before. */
  const chainAfter = ({ etags, hash }: JournaledBlob): HashChain | undefined =>
    etags.length > 0 && hash === null ? undefined : createHashChain(hasher, hash)

  const appendHeld = async (held: Held, append: Append): Promise<Appended> => {
    const { epoch, offset, size, isHashed = false } = append
    const { key, blob } = held
    // Nobody knows what begins, unless this process has asked.
    const known = offset === 0 ? (blob.known ??= toEmptyBlob(epoch)) : await held.know()
    const end = blob.whole?.size ?? known.offset
    if (blob.whole !== undefined || end !== offset) {
      throw new BlobStoreError("offset", `The blob ends at ${end}, not at ${offset}.`)
    }
    const ref = String(epoch)
    const isCarried = isHashed && size > largestReadAgain
    const hash = isHashed && !isCarried ? hashUpTo(blob, offset) : undefined
    blob.hashed = undefined
    let appended: AppendedParts
    try {
      appended = await appendParts(
        {
          client,
          ref,
          nameContent: (name) => names.content(key, name),
          nameTail: (at) => names.tail(key, epoch, at),
          begin: gatherer.begin,
          run: createRun(held),
          check: held.check,
          enter: held.enter,
          note: held.note,
          known: () => blob.known!,
          signal: blob.stop.signal,
          gone: blob.gone.signal,
          hash,
          chain: isCarried ? chainAfter(known) : undefined,
        },
        append,
      )
    } catch (cause) {
      held.check()
      if (isMissingUpload(cause)) return await held.beginAnew(cause)
      throw cause
    }
    const { isWhole, digest, ...result } = appended
    if (isWhole) blob.whole = { ref, size: result.offset, digest }
    else if (hash !== undefined) blob.hashed = { hash, at: result.offset }
    return result
  }

  const append = async (key: string, append: Append): Promise<Appended> => {
    await removals.keep(key)
    return blobs.use(key, append.epoch, (held) => appendHeld(held, append))
  }

  /** Removes what is left beside a finished blob. Whatever a newer writer has stays: it may not have heard of this one. */
  const removeOthers = async (key: string, epoch: number, ref: string, isDirect: boolean): Promise<void> => {
    if (isDirect) {
      // A file of one part may have come through the ingest after all, and its upload is only known as long as it has a row.
      await objects.abortUploads(key, (name) => (readObjectName(name)?.epoch ?? Infinity) <= epoch)
    }
    if (!(await journal.forget(key, epoch))) return
    const isStale = (name: string): boolean => {
      const of = readObjectName(name)
      if (of === undefined || name === names.content(key, ref)) return false
      return of.isTail ? of.epoch <= epoch : of.epoch < epoch
    }
    await objects.remove(key, isStale)
  }

  /** The object of a blob all of whose bytes are there. */
  const becomeWhole = async (held: Held, size: number): Promise<Whole> => {
    const { key, blob } = held
    if (blob.whole !== undefined) return blob.whole
    const { offset, upload } = await held.know()
    const isStored = offset === size && upload !== null
    // An object is whole, whatever the journal has not forgotten yet.
    const whole = isStored
      ? await completeParts(client, held, upload, names.content(key, upload.ref), size)
      : await objects.findWhole(key)
    if (whole === undefined) throw new BlobStoreError("offset", `The blob has ${offset} bytes, not ${size}.`)
    return (blob.whole = whole)
  }

  /** The digest of all bytes, where a hash has come as far; undefined where none has. */
  const findDigest = async ({ hashed, known }: Blob, size: number): Promise<string | undefined> => {
    if (hashed?.at === size) return hashed.hash.copy().digest("hex")
    const hash = known?.offset === size && known.tail === null ? known.hash : null
    if (hash === null || hash === undefined) return undefined
    // A state that another version of this package has kept may be none.
    return hasher.add(hash, []).then(
      ({ digest }) => digest,
      () => undefined,
    )
  }

  const finishHeld = async (
    held: Held,
    { epoch, size, isHashed = false }: Parameters<BlobStore["finish"]>[1],
  ): Promise<Finished> => {
    const { key, blob } = held
    const whole = await becomeWhole(held, size)
    if (whole.size !== size) throw new BlobStoreError("offset", `The blob has ${whole.size} bytes, not ${size}.`)
    const isDirect = blob.known?.upload?.directSize !== undefined
    let digest = ""
    if (isHashed) {
      // Whoever has the URL of a part may have sent other bytes of the same ETag, which is MD5, after ours were hashed.
      const known = whole.digest ?? (isDirect ? undefined : await findDigest(blob, size))
      digest = known ?? (await hashObject(client, names.content(key, whole.ref), size))
    }
    if (blob.isJournaled) tidy(() => removeOthers(key, epoch, whole.ref, isDirect))
    held.letGo()
    return { digest, ref: whole.ref }
  }

  const urlOf: BlobStore["urlOf"] = async (key, { ref, at, now, expiresIn, type, disposition, cacheControl }) => {
    if (ref === null) return null
    // The client goes by this machine's clock, and by how far that of the bucket is from it. By whole minutes, so that the same
    // URL stays the same.
    const behind = Math.round((now - Date.now()) / 60_000) * 60_000
    const query = {
      "response-content-type": type,
      "response-content-disposition": disposition,
      "response-cache-control": cacheControl,
    }
    const url = await client.presign({ method: "GET", key: names.content(key, ref), query, expiresIn, at: at - behind })
    return { url, expiresAt: Math.min(at + expiresIn * 1000, (await client.credentialsEnd()) + behind) }
  }

  const store: BlobStore = {
    abilities: { isDurable: journal.isDurable, readsUnfinished: false },
    claim,
    append,
    finish: (key, ending) => blobs.use(key, ending.epoch, (held) => finishHeld(held, ending)),
    read: createReadBlob({ client, journal, objects, blobs, names }),
    urlOf,
    remove: removals.remove,
    grantParts: createPartGrants({ client, prefix, nameContent: names.content, use: blobs.use, claim }),
    probe: async () => {
      if (performance.now() - answeredAt < freshness) return
      await client.headBucket()
      answeredAt = performance.now()
    },
    close: async () => {
      const tidied = Promise.allSettled([removals.close(), endTidying()])
      // What is left then goes with its blob, or is looked at by the next process: a bucket that hangs holds up no stop.
      await endsWithin(tidied, moment)
      client.close()
      await tidied
      await hasher.close()
      await journal.close()
    },
  }
  // In one place, so that it applies to every method, present and future.
  return wrapPort(store, async (_method, run) => {
    try {
      return await run()
    } catch (cause) {
      throw toStoreError(cause)
    }
  })
}
