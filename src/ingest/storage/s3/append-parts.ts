import type { Hash } from "node:crypto"
import { disposeChunk } from "../../../protocol/disposable-stream.ts"
import { type Append, type Appended, BlobStoreError } from "../blob-store.ts"
import { consumeBody } from "../consume-body.ts"
import { beginUpload } from "./begin-upload.ts"
import type { S3Client } from "./client/s3-client.ts"
import { isOfNothing } from "./store-failure.ts"
import type { Gathered } from "./gathered.ts"
import type { HashChain, HashTurn } from "./hash/hash-chain.ts"
import type { JournalChange, JournaledBlob, MultipartUpload } from "./journal/blob-journal.ts"
import { toPartSize } from "./part-size.ts"
import { readObject } from "./read-object.ts"

/** Parts of one upload that are sent at the same time. */
const partsAtOnce = 3

/** ms between two writes of the journal while a body arrives. */
const journalEvery = 250

/** What an append works on. */
export interface Target {
  readonly client: S3Client
  /** The name that the content has under this `ref`. */
  readonly nameContent: (ref: string) => string
  /** What the content is called where this append begins it. */
  readonly ref: string
  /** The name of a tail that ends at this offset. */
  readonly nameTail: (offset: number) => string
  readonly begin: () => Gathered
  /** Runs a request that stores something, once there is a place for it. Fails: where a newer writer was seen. */
  readonly run: <A>(request: () => Promise<A>) => Promise<A>
  /** Throws where a newer writer was seen. */
  readonly check: () => void
  /** Makes sure that the journal knows of this writer. Fails: where a newer writer was seen. */
  readonly enter: () => Promise<void>
  /** Keeps a change, and what follows from it, once it was entered. Fails: where a newer writer was seen. */
  readonly note: (change: JournalChange) => Promise<void>
  /** The state before, and after each `note`. */
  readonly known: () => JournaledBlob
  /** Aborts the requests of this writer once a newer one was seen. */
  readonly signal: AbortSignal
  /** Aborts what no newer writer ends: a beginning whose answer nobody waits for would leave an upload that nobody knows. */
  readonly gone: AbortSignal
  /** Of all bytes before the offset; undefined where it is not wanted, or not known. */
  readonly hash: Hash | undefined
  /** Hashes the parts that are sent, for whoever goes on; undefined where that is not wanted, or those before are not hashed. */
  readonly chain: HashChain | undefined
}

/** A part that is stored. */
interface SentPart {
  readonly etag: string
  /** The state of the hash after it. */
  readonly state: Uint8Array | undefined
}

/** What became of an append. */
export interface AppendedParts extends Appended {
  /** All bytes are one object now: there is nothing to complete. */
  readonly isWhole: boolean
  /** SHA-256 of a whole, where it was worked out. */
  readonly digest?: string | undefined
}

/**
 * Sends a body in parts, some at a time. The parts that count are those without a gap before them, in whatever order they
 * end. What is left when the body ends is put as an object of its own, the tail, so that every byte that came is durable. A
 * blob of one part is put as one object.
 *
 * Fails: rejects with the client's error, or with that of `check` and `note`; what is journaled by then counts.
 */
export const appendParts = async (
  target: Target,
  { offset, size, body, isDisposable }: Append,
): Promise<AppendedParts> => {
  const { client, run, note, signal, hash, chain } = target
  const partSize = toPartSize(size)
  const isOne = size <= partSize
  const before = target.known()

  /** Where the part begins that is being gathered. */
  let position = before.etags.length * partSize
  let gathered = target.begin()
  let end = offset

  const done = new Map<number, SentPart>()
  const sending = new Set<Promise<void>>()
  let failure: { readonly cause: unknown } | undefined
  let creating: Promise<MultipartUpload> | undefined
  let journaling: Promise<void> | undefined
  let journaledAt = -Infinity

  const fail = (cause: unknown): void => {
    failure ??= { cause }
  }
  const check = (): void => {
    if (failure !== undefined) throw failure.cause
    target.check()
  }

  const create = async (): Promise<MultipartUpload> => target.known().upload ?? beginUpload(target)

  /** Keeps the parts that have no gap before them. A tail whose bytes they have is not needed any more. */
  const journalParts = async (): Promise<void> => {
    const { etags } = target.known()
    const add: Array<string> = []
    let state: Uint8Array | undefined
    for (let part = done.get(etags.length + 1); part !== undefined; part = done.get(etags.length + add.length + 1)) {
      add.push(part.etag)
      state = part.state
    }
    if (add.length === 0) return
    journaledAt = performance.now()
    const offset = Math.min((etags.length + add.length) * partSize, size)
    await note({ add, offset, tail: null, hash: state ?? null })
  }

  /** One write at a time, and not too many. */
  const journalSoon = (): void => {
    if (journaling !== undefined || performance.now() - journaledAt < journalEvery) return
    journaling = journalParts()
      .catch(fail)
      .finally(() => {
        journaling = undefined
      })
  }

  const send = async (number: number, part: Gathered, turn: HashTurn | undefined): Promise<void> => {
    try {
      const { id, ref } = await (creating ??= create())
      const name = target.nameContent(ref)
      const sent = await part.lend(async (pieces) => {
        const hashed = turn?.hash(pieces)
        try {
          const etag = await run(() => client.uploadPart(name, id, number, pieces, { signal }))
          return { etag, state: await hashed }
        } finally {
          // The pieces are lent to it too.
          await hashed
        }
      })
      done.set(number, sent)
      journalSoon()
    } catch (cause) {
      fail(cause)
    } finally {
      turn?.skip()
      await part.drop()
    }
  }

  /** Hands the gathered part on, once there is a place for it. */
  const pass = async (): Promise<void> => {
    while (sending.size >= partsAtOnce) await Promise.race(sending)
    check()
    const sent: Promise<void> = send(position / partSize + 1, gathered, chain?.take()).finally(() =>
      sending.delete(sent),
    )
    sending.add(sent)
    position += gathered.length()
    gathered = target.begin()
  }

  const gather = async (chunk: Uint8Array): Promise<void> => {
    let rest = chunk
    while (rest.length > 0) {
      const room = Math.min(partSize, size - position) - gathered.length()
      if (room <= 0) throw new RangeError(`The body has more than the ${size} bytes that were announced.`)
      const now = rest.subarray(0, room)
      const added = gathered.add(now)
      if (added !== undefined) await added
      rest = rest.subarray(now.length)
      if (!isOne && gathered.length() === partSize) await pass()
    }
  }

  const take = async (chunk: Uint8Array): Promise<void> => {
    check()
    hash?.update(chunk)
    end += chunk.length
    await gather(chunk)
    if (isDisposable === true) disposeChunk(chunk)
  }

  /** Sends what was gathered as an object; its SHA-256 is worked out to sign the request, unless it is known. */
  const put = (name: string, sha256?: string): Promise<unknown> =>
    run(() => gathered.lend((pieces) => client.putObject(name, pieces, { sha256, signal })))

  /** Makes everything durable that has come. */
  const settle = async (): Promise<Omit<AppendedParts, "brokenOff">> => {
    check()
    if (isOne && end === size) {
      const digest = hash?.copy().digest("hex")
      await put(target.nameContent(target.ref), digest)
      check()
      return { offset: size, isWhole: true, digest }
    }
    if (!isOne && end === size && gathered.length() > 0) await pass()
    await Promise.all(sending)
    await journaling
    check()
    await journalParts()
    if (gathered.length() > 0 && end > offset) {
      const tail = target.nameTail(end)
      await target.enter()
      await put(tail)
      await note({ offset: end, tail })
    }
    return { offset: end, isWhole: false }
  }

  /** Reads the bytes behind the last part again: they are to be part of the next one. */
  const readTail = async (name: string): Promise<void> => {
    try {
      await readObject(client, name, (bytes) => gathered.add(bytes), { end: offset - position - 1, signal })
    } catch (cause) {
      if (!isOfNothing(cause)) throw cause
      await note({ offset: position, tail: null })
      throw new BlobStoreError("io", "The bucket no longer has the end of the blob: it has to be sent again.", cause)
    }
    if (position + gathered.length() !== offset) throw new Error("The tail has not the bytes that the journal says.")
  }

  try {
    if (before.tail !== null) await readTail(before.tail)
    const broken = await consumeBody(body, take)
    return { ...(await settle()), ...broken }
  } finally {
    await Promise.all(sending)
    await journaling
    // Parts that have ended count, also where a later one failed.
    if (failure !== undefined) await journalParts().catch(() => {})
    await gathered.drop()
  }
}
