import type { Hash } from "node:crypto"
import type { Incoming } from "../../http/incoming.ts"
import { Rejected } from "../../server-kit/rejected.ts"
import { checkDigest, parseSha256Field } from "../requests/digest-fields.ts"
import { type Appended, type BlobState, BlobStoreError, type Finished } from "../storage/blob-store.ts"
import { resumeAt, tooManyBytes } from "../refusals.ts"
import type { UploadGrant } from "../../protocol/signing/signed-url.ts"
import { findContentMismatch, sampleSize } from "./content-type.ts"
import { inspect, prefixNeeded } from "./incoming.ts"
import { BodyTooSlow } from "./minimum-rate.ts"
import type { Service } from "../service.ts"
import type { FreeSpace } from "../storage/free-space.ts"
import type { ProvenPut } from "./proven-put.ts"
import { hasDisposableBody, readUploadBody } from "./upload-body.ts"
import type { Writer } from "./writers.ts"

/** The digests that the headers announce for the body, and the one that is computed from it. */
export interface Digests {
  /** SHA-256 of the message as sent, and of the whole file; 64 hex digits where announced. */
  readonly content: string | undefined
  readonly repr: string | undefined
  /** Of the message, framing included; computed only where one was announced. */
  readonly wire: Hash | undefined
}

/** Fails: throws `Rejected` BAD_REQUEST. */
export const readDigests = ({ headers }: Incoming): Digests => {
  const content = parseSha256Field(headers, "content-digest")
  const repr = parseSha256Field(headers, "repr-digest")
  const wire = content === undefined ? undefined : process.getBuiltinModule("node:crypto").createHash("sha256")
  return { content, repr, wire }
}

/**
 * The file's bytes in the body, counted and checked.
 *
 * @param take reserves room for each chunk
 */
export const openBody = (
  service: Service,
  { request, grant, start }: ProvenPut,
  { signal, stop }: Writer,
  { wire }: Digests,
  prefix: Uint8Array,
  take: FreeSpace["take"] = service.space.take,
) => {
  const chunks = readUploadBody(request, {
    signal,
    watch: (intake) => service.rates.watch(intake, stop),
    onChunk: (chunk) => {
      wire?.update(chunk)
      return take(chunk.length)
    },
  })
  return inspect(chunks, grant, start, prefix)
}

/** The stored bytes that are needed to check the next ones. */
export const readPrefix = async ({ store }: Service, blob: string, start: number): Promise<Uint8Array> => {
  const length = prefixNeeded(start)
  if (length === 0) return new Uint8Array()
  return new Uint8Array(await new Response(await store.read(blob, { start: 0, end: length - 1 })).arrayBuffer())
}

/** Where a writer may write. */
export interface Place {
  readonly blob: string
  readonly epoch: number
  /** What is stored so far. */
  readonly state: BlobState
}

/** Reads the body of a request that has nothing to add, because all bytes are stored. */
const readEmpty = async (body: AsyncIterable<Uint8Array>, offset: number): Promise<Appended> => {
  try {
    for await (const _ of body);
    return { offset }
  } catch (cause) {
    return { offset, brokenOff: { cause } }
  }
}

/**
 * Makes the blob final. A store of parts may learn only now that it has others than were sent: then the client sends those
 * again.
 */
const finishBlob = async (
  { store }: Service,
  { blob, epoch }: Place,
  size: number,
  isHashed: boolean,
): Promise<Finished> => {
  try {
    return await store.finish(blob, { epoch, size, isHashed })
  } catch (cause) {
    if (!BlobStoreError.is(cause) || cause.reason !== "offset") throw cause
    const { size: stored } = await store.claim(blob, epoch)
    // A part that was sent anew in between, past the ingest, has another name now.
    if (stored >= size) return store.finish(blob, { epoch, size, isHashed })
    throw resumeAt(stored, `The store lost bytes; ${stored} of ${size} are stored. Resume from there.`, cause)
  }
}

/** Checks the first bytes of a file whose bytes may not have passed here. Fails: throws `Rejected` CONTENT_MISMATCH. */
const checkBeginning = async (
  { store }: Service,
  blob: string,
  { type, size }: UploadGrant,
  { ref }: Finished,
): Promise<void> => {
  if (size === 0) return
  const beginning = await store.read(blob, { start: 0, end: Math.min(sampleSize, size) - 1, ref })
  const sample = new Uint8Array(await new Response(beginning as BodyInit).arrayBuffer())
  const mismatch = await findContentMismatch(type, sample)
  if (mismatch !== undefined) throw new Rejected({ code: "CONTENT_MISMATCH", detail: mismatch })
}

/** Stores the rest of a file under the granted epoch; resolves when every byte is durable and the blob is finished. */
export const storeBody = async (
  service: Service,
  { request, grant, start, announced }: ProvenPut,
  digests: Digests,
  open: (place: Place) => Promise<AsyncIterable<Uint8Array>>,
  place: Place,
): Promise<Finished> => {
  const { blob, epoch, state } = place
  const offset = state.size
  const { size } = grant
  if (start !== offset) {
    throw resumeAt(offset, `The body begins at byte ${start}, but ${offset} bytes are stored. Resume from there.`)
  }
  if (offset + announced > size) throw tooManyBytes(size)
  const { hash, directHash } = service.settings
  // Once a blob is finished a store may not know any more whether its bytes went past the ingest; the URL does.
  const isPast = state.isDirect === true || (state.isFinished && grant.transport !== undefined)
  const isHashed = (hash && (!isPast || directHash === "read")) || digests.repr !== undefined
  const body = await open(place)
  const isComplete = state.isFinished || (offset === size && size > 0)
  const { offset: stored, brokenOff } = isComplete
    ? await readEmpty(body, offset)
    : await service.store.append(blob, {
        epoch,
        offset,
        size,
        body,
        isHashed,
        isDisposable: hasDisposableBody(request),
      })
  if (brokenOff !== undefined) {
    const { cause } = brokenOff
    if (cause instanceof Rejected) throw cause
    const reason = cause instanceof BodyTooSlow ? cause.message : "The body broke off"
    throw resumeAt(stored, `${reason}; ${stored} of ${size} bytes are stored. Resume from there.`, cause)
  }
  if (digests.wire !== undefined) checkDigest("content-digest", digests.content, digests.wire.digest("hex"))
  if (stored < size) {
    throw resumeAt(stored, `The body ended early; ${stored} of ${size} bytes are stored. Resume from there.`)
  }
  const finished = await finishBlob(service, place, size, isHashed)
  // Also where it was finished before: that may have failed before it was checked.
  if (isPast) await checkBeginning(service, blob, grant, finished)
  checkDigest("repr-digest", digests.repr, finished.digest)
  return finished
}
