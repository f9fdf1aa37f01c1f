import type { Catalog, UploadRecord } from "../storage/catalog/catalog.ts"
import type { Changes } from "./changes.ts"

/** Between two looks, ms. */
const pause = 200

/** Keys that one look reads. Where more are waited for, the looks take turns. */
const mostKeys = 1000

/** Somebody who waits for something to become of a file. */
interface Waiter {
  readonly key: string
  readonly hasCome: (upload: UploadRecord | null) => boolean
  /** Looks that found it waiting. */
  seen: number
}

/**
 * Looks into the catalog for those who wait, because whoever changes a file may be another process, which tells nobody
 * here.
 */
export interface Looks {
  /**
   * From now on those who watch the key are notified as soon as a look finds what is waited for, until the returned
   * function is called.
   */
  readonly join: (key: string, hasCome: (upload: UploadRecord | null) => boolean) => () => void
}

/**
 * One look is for all who wait: one read of the catalog at most every {@link pause}, and none where nobody has waited
 * that long. So an app that answers at once costs nothing.
 */
export const createLooks = ({
  catalog,
  changes,
}: {
  readonly catalog: Pick<Catalog, "getMany">
  readonly changes: Pick<Changes, "notify">
}): Looks => {
  const waiters = new Set<Waiter>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let isLooking = false

  const read = async (asked: ReadonlyArray<Waiter>): Promise<void> => {
    const uploads = await catalog.getMany([...new Set(asked.map(({ key }) => key))])
    const found = new Map(uploads.map((upload) => [upload.file.key, upload]))
    const come = asked.filter((waiter) => waiters.has(waiter) && waiter.hasCome(found.get(waiter.key) ?? null))
    for (const key of new Set(come.map(({ key }) => key))) changes.notify(key)
  }

  const look = async (): Promise<void> => {
    timer = undefined
    isLooking = true
    const asked: Array<Waiter> = []
    for (const waiter of waiters) if (waiter.seen++ > 0 && asked.length < mostKeys) asked.push(waiter)
    // Behind the others, whose turn is next.
    for (const waiter of asked) if (waiters.delete(waiter)) waiters.add(waiter)
    // A catalog that fails is counted and reported where it is wrapped; the next look may find it working.
    if (asked.length > 0) await read(asked).catch(() => {})
    isLooking = false
    keepLooking()
  }

  const keepLooking = (): void => {
    if (waiters.size > 0 && !isLooking) timer ??= setTimeout(look, pause)
  }

  return {
    join: (key, hasCome) => {
      const waiter = { key, hasCome, seen: 0 }
      waiters.add(waiter)
      keepLooking()
      return () => {
        waiters.delete(waiter)
        if (waiters.size > 0) return
        clearTimeout(timer)
        timer = undefined
      }
    },
  }
}
