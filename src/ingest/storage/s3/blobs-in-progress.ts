import type { Hash } from "node:crypto"
import { endsWithin } from "../../../server-kit/ends-within.ts"
import { BlobStoreError } from "../blob-store.ts"
import {
  applyChange,
  type BlobJournal,
  type JournalChange,
  type JournaledBlob,
  toEmptyBlob,
} from "./journal/blob-journal.ts"

/** The object that a blob has become. */
export interface Whole {
  readonly ref: string
  readonly size: number
  /** SHA-256 of its bytes, where it was worked out. */
  readonly digest?: string | undefined
}

/** What this process knows of a blob while it is worked on. */
export interface Blob {
  epoch: number
  /** As the journal has it; undefined where it has to be asked. */
  known: JournaledBlob | undefined
  /** Whether the journal has a row. */
  isJournaled: boolean
  whole: Whole | undefined
  /** ETags by number of the parts that the bucket had when the current writer asked, where clients may send them. */
  direct: ReadonlyMap<number, string> | undefined
  /** Of the first `at` bytes. */
  hashed: { readonly hash: Hash; readonly at: number } | undefined
  /** Ends the requests of the current writer. */
  stop: AbortController
  /** Ends what no newer writer ends, once the blob is removed. */
  readonly gone: AbortController
  /** What stores something in bucket or journal, and has not ended. */
  readonly underWay: Set<Promise<unknown>>
  /** How many calls of this process work on it. */
  users: number
}

export const fenced = (epoch: number, by?: number): BlobStoreError =>
  new BlobStoreError("fenced", `Epoch ${epoch} was fenced off${by === undefined ? "" : ` by epoch ${by}`}.`)

/** How many blobs are known that nobody works on: another process may finish or remove them, and this one never hears of it. */
const mostIdle = 10_000

/** Whether nobody in this process works on a blob. */
export const isIdle = ({ users, underWay }: Blob): boolean => users === 0 && underWay.size === 0

/** How long what is under way may go on when its blob is removed, ms. */
const moment = 1000

/** Whether a blob has the same bytes in the same places, as far as the journal knows. */
const isAsBefore = (one: JournaledBlob, other: JournaledBlob): boolean =>
  one.offset === other.offset &&
  one.tail === other.tail &&
  one.upload?.id === other.upload?.id &&
  one.etags.length === other.etags.length &&
  one.etags.every((etag, index) => etag === other.etags[index])

/** The right of one writer to a blob, and what it knows of it. */
export interface Held {
  readonly key: string
  readonly epoch: number
  readonly blob: Blob
  /** Throws where a newer writer was seen. */
  readonly check: () => void
  /** What the journal says; it is read where this process does not know it. */
  readonly know: () => Promise<JournaledBlob>
  /** Raises the epoch in the journal. */
  readonly claim: () => Promise<JournaledBlob>
  /** Does so where the journal does not know of the blob. */
  readonly enter: () => Promise<void>
  /** Does what stores something: a removal waits for it. */
  readonly run: <A>(work: () => Promise<A>) => Promise<A>
  /** Keeps a change in the journal, and follows it. */
  readonly note: (change: JournalChange) => Promise<void>
  /** Notes that the bucket has aborted the upload, and throws: what was stored has to be sent again. */
  readonly beginAnew: (cause: unknown) => Promise<never>
  /** Forgets what is known, unless a newer writer was seen. */
  readonly letGo: () => void
}

/**
 * Knows the blobs that this process works on. All but `drop` fail with `fenced` where a newer epoch was seen, here or in
 * the journal.
 *
 * @param onTailReplaced is told of a tail that is of no use any more
 * @param most           how many blobs are known that nobody works on
 */
export const createBlobsInProgress = (
  journal: BlobJournal,
  onTailReplaced: (name: string) => void,
  most: number = mostIdle,
) => {
  /** The one that was worked on last is the last one. */
  const blobs = new Map<string, Blob>()

  const admit = (key: string, epoch: number): Blob => {
    const blob = blobs.get(key) ?? {
      epoch,
      known: undefined,
      isJournaled: false,
      whole: undefined,
      direct: undefined,
      hashed: undefined,
      stop: new AbortController(),
      gone: new AbortController(),
      underWay: new Set(),
      users: 0,
    }
    if (epoch < blob.epoch) throw fenced(epoch, blob.epoch)
    if (epoch > blob.epoch) {
      blob.stop.abort(fenced(blob.epoch, epoch))
      blob.stop = new AbortController()
    }
    blob.epoch = epoch
    blobs.delete(key)
    blobs.set(key, blob)
    return blob
  }

  const hold = (key: string, epoch: number): Held => {
    const blob = admit(key, epoch)
    const isCurrent = (): boolean => blob.epoch === epoch && blobs.get(key) === blob
    const check = (): void => {
      if (!isCurrent()) throw fenced(epoch)
    }
    const run: Held["run"] = async (work) => {
      check()
      const begun = work()
      blob.underWay.add(begun)
      return begun.finally(() => blob.underWay.delete(begun))
    }
    const claim = async (): Promise<JournaledBlob> => {
      const claimed = await run(() => journal.claim(key, epoch))
      if (claimed === undefined) throw fenced(epoch)
      check()
      blob.isJournaled = true
      // Another process may have had the blob meanwhile: then what was hashed here is not what is stored.
      if (blob.known === undefined || !isAsBefore(blob.known, claimed)) blob.hashed = undefined
      return (blob.known = claimed)
    }
    const note = async (change: JournalChange): Promise<void> => {
      if (!(await run(() => journal.write(key, epoch, change)))) {
        // Nobody ever hears of it, and what has removed the blob may have looked for the last time.
        if (typeof change.tail === "string") onTailReplaced(change.tail)
        throw fenced(epoch)
      }
      check()
      const before = blob.known ?? toEmptyBlob(epoch)
      blob.known = applyChange(before, epoch, change)
      if (before.tail !== null && blob.known.tail !== before.tail) onTailReplaced(before.tail)
    }
    return {
      key,
      epoch,
      blob,
      check,
      note,
      know: async () => {
        if (blob.known !== undefined) return blob.known
        const read = await journal.read(key)
        if (read !== undefined && read.epoch > epoch) throw fenced(epoch, read.epoch)
        check()
        blob.isJournaled = read !== undefined
        return (blob.known = read ?? toEmptyBlob(epoch))
      },
      claim,
      enter: async () => {
        if (!blob.isJournaled) await claim()
      },
      run,
      beginAnew: async (cause) => {
        blob.hashed = undefined
        await note({ upload: null, keep: 0, offset: 0, tail: null, isFinishing: false })
        throw new BlobStoreError("io", "The bucket no longer has the parts of the blob: it begins anew.", cause)
      },
      letGo: () => {
        if (isCurrent()) blobs.delete(key)
      },
    }
  }

  /** Forgets those that nobody has worked on for longest: whoever goes on with them asks the journal. */
  const makeRoom = (): void => {
    for (const [key, blob] of blobs) {
      if (blobs.size <= most) return
      if (isIdle(blob)) blobs.delete(key)
    }
  }

  return {
    /** Works on a blob as a writer of this epoch. Fails: where a newer one was seen. */
    use: async <A>(key: string, epoch: number, work: (held: Held) => Promise<A>): Promise<A> => {
      const held = hold(key, epoch)
      const { blob } = held
      blob.users++
      try {
        return await work(held)
      } finally {
        blob.users--
        makeRoom()
      }
    },
    find: (key: string): Blob | undefined => blobs.get(key),
    /**
     * Fences off every writer, and ends what they have under way. It may end by itself for a moment, because a request that
     * is aborted may still arrive. Resolves with whether one was.
     */
    drop: async (key: string): Promise<boolean> => {
      const blob = blobs.get(key)
      blobs.delete(key)
      if (blob === undefined) return false
      const ended = Promise.allSettled(blob.underWay)
      const isInTime = blob.underWay.size === 0 || (await endsWithin(ended, moment))
      const cause = fenced(blob.epoch)
      blob.stop.abort(cause)
      blob.gone.abort(cause)
      await ended
      return !isInTime
    },
  }
}
