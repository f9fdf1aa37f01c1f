import { createBoundedMap } from "../../bounded-map.ts"
import type { BlobStore } from "../blob-store.ts"
import { type createBlobsInProgress, isIdle } from "./blobs-in-progress.ts"
import type { createBucketObjects } from "./bucket-objects.ts"
import type { BlobJournal, JournaledBlob, LateRemoval } from "./journal/blob-journal.ts"
import { readObjectName } from "./object-names.ts"

/** How long after a removal requests of a writer may still arrive, ms: of a process that was killed, or of one that a network held back. */
const lateness = 5 * 60_000

/** How many removals are looked at in one go. */
const mostAtOnce = 1000

/** How many blobs are removed again at the same time. */
const atOnce = 4

/** Removes blobs, and what arrives of them afterwards. */
export interface Removals {
  /** Removes all of a blob. Resolves once nothing of it is there. */
  readonly remove: BlobStore["remove"]
  /** A writer begins a blob of this name: it is not to be removed again. */
  readonly keep: (key: string) => Promise<void>
  readonly close: () => Promise<void>
}

/** What removals work on. */
interface RemovalsSettings {
  readonly journal: BlobJournal
  readonly objects: ReturnType<typeof createBucketObjects>
  readonly blobs: Pick<ReturnType<typeof createBlobsInProgress>, "drop" | "find">
  readonly delay?: number | undefined
}

/** Whether a blob is one object of its first writer, which has ended. */
const isOfOneWriter = ([first, ...more]: ReadonlyArray<string>): boolean => {
  const of = more.length > 0 || first === undefined ? undefined : readObjectName(first)
  return of?.isTail === false && of.epoch === 1
}

/**
 * Removes blobs again after a while where a writer may have lived that nobody could end: what it had sent may arrive when
 * all else is gone, and nobody would ever look there. The journal keeps which ones, so that a restart forgets none.
 */
export const createRemovals = ({ journal, objects, blobs, delay = lateness }: RemovalsSettings): Removals => {
  /** When those are due that the journal has, the earliest first, as far as is known here. */
  const noted = new Map<string, number>()
  /** What the journal said of those that had a row when they were to be removed again. */
  const rows = createBoundedMap<string>(10 * mostAtOnce)
  let timer: ReturnType<typeof setTimeout> | undefined
  let looking: Promise<void> | undefined
  let isClosed = false

  const lookAfter = (time: number): void => {
    if (isClosed || timer !== undefined) return
    timer = setTimeout(look, time)
    // A process that ends leaves it to the next one.
    ;(timer as { unref?: () => void }).unref?.()
  }

  const know = ({ key, at }: LateRemoval): void => {
    noted.delete(key)
    noted.set(key, at)
  }

  const note = async (key: string): Promise<void> => {
    const removal = { key, at: (await journal.now()) + delay }
    await journal.noteRemoval(removal)
    know(removal)
    lookAfter(delay)
  }

  const forget = async (key: string): Promise<void> => {
    noted.delete(key)
    rows.delete(key)
    await journal.forgetRemoval(key)
  }

  /**
   * Whether nobody writes a blob that has a row though it was removed. Its writer may be one that was fenced off and did not know
   * of the removal yet: what it leaves is the same when it is looked at again. That of one who has begun it anew is not.
   */
  const isLeft = (key: string, { epoch, offset, etags, tail, upload }: JournaledBlob): boolean => {
    const row = JSON.stringify([epoch, offset, etags.length, tail, upload?.id])
    const isSame = rows.get(key) === row
    rows.set(key, row)
    return isSame
  }

  /** Where the bucket does not do it, it is tried again, and others are not held up. */
  const removeAgain = async (key: string): Promise<void> => {
    // Somebody has begun it anew.
    if (!noted.has(key)) return
    const blob = blobs.find(key)
    // Its writer in this process does not know of the removal: one that begins the blob anew has had the note forgotten.
    if (blob !== undefined && !isIdle(blob)) return note(key)
    if (blob !== undefined) await blobs.drop(key)
    const known = await journal.read(key)
    if (known !== undefined && !isLeft(key, known)) return note(key)
    try {
      await objects.removeAll(key, known?.upload ?? null)
      // Also a row that has come meanwhile.
      await journal.forget(key)
    } catch {
      return note(key)
    }
    await forget(key)
  }

  const removeDue = async (): Promise<void> => {
    const now = await journal.now()
    const left = [...(await journal.listRemovals(now, mostAtOnce))]
    if (left.length < mostAtOnce) {
      // Those that are not due any more another process has removed.
      for (const [key, at] of noted) {
        if (at > now) break
        noted.delete(key)
      }
    }
    for (const removal of left) know(removal)
    const work = async (): Promise<void> => {
      for (let next = left.pop(); next !== undefined; next = left.pop()) {
        if (!isClosed) await removeAgain(next.key)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, work))
    const [next] = await journal.listRemovals(Number.MAX_SAFE_INTEGER, 1)
    // Also where there is none: another process may note one, and be gone when it is due.
    lookAfter(next === undefined ? delay : Math.min(Math.max(next.at - (await journal.now()), 0), delay))
  }

  const look = (): void => {
    timer = undefined
    // Of a journal that fails those who write to it hear.
    looking = removeDue().catch(() => lookAfter(delay))
  }

  const load = async (): Promise<void> => {
    for (const removal of await journal.listRemovals(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)) know(removal)
  }
  const loaded = load().catch(() => {})
  void loaded.then(() => lookAfter(noted.size > 0 ? 0 : delay))

  return {
    remove: async (key, { lastEpoch } = {}) => {
      // What is under way would come after its removal.
      const wasAborted = await blobs.drop(key)
      const known = await journal.read(key)
      const mayArrive = wasAborted || known !== undefined
      // Before the row goes, which says so too.
      if (mayArrive) await note(key)
      const removed = await objects.removeAll(key, known?.upload ?? null)
      // A second writer may have been given its epoch, and not have come here yet.
      if (!mayArrive && !(lastEpoch === 1 && isOfOneWriter(removed))) await note(key)
      if (known !== undefined) await journal.forget(key)
    },
    keep: async (key) => {
      await loaded
      if (noted.has(key)) await forget(key)
    },
    close: async () => {
      isClosed = true
      clearTimeout(timer)
      await loaded
      await looking
    },
  }
}
