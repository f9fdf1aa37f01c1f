import { createLimit } from "./create-limit.ts"

/** One lock per upload, shared by all tabs of the origin; the browser releases the lock of a tab that dies. */
export interface ResumeLocks {
  /**
   * Does the work with the lock of an upload; `onWait` is called if it has to wait for the lock. Fails: as the work does; before
   * it where there are no locks, or nobody says in time whether this one is free, and then it may still be called later.
   */
  readonly exclusively: <A>(id: string, work: () => Promise<A>, signal: AbortSignal, onWait: () => void) => Promise<A>
  /** Holds a lock as long as this page lives, or until it is released. Fails: never. @returns releases it */
  readonly hold: (id: string) => () => void
  /**
   * Settles once nobody holds a lock any more, also because the tab was closed. Whoever else waits does not hold it: a tab that
   * shows a dialog goes on only after it.
   */
  readonly released: (id: string) => Promise<unknown>
  /** The uploads that some tab is working on right now, and the other locks that are held. Fails: rejects where the browser does not tell. */
  readonly held: () => Promise<ReadonlySet<string>>
}

/** @param name prefix that tells these locks from others */
export const createResumeLocks = (name: string): ResumeLocks => {
  const prefix = `${name}:`
  const limited = createLimit()
  return {
    exclusively: async (id, work, signal, onWait) => {
      const { locks } = navigator
      const run = async () => ({ done: await work() })
      // `ifAvailable` takes no signal, and this one does not wait; only its work takes longer.
      const first = Promise.withResolvers<unknown>()
      const working = locks.request(prefix + id, { ifAvailable: true }, async (lock) => {
        first.resolve(lock)
        return lock && run()
      })
      working.catch(first.reject)
      await limited(first.promise)
      let result = await working
      if (result === null) {
        onWait()
        result = await locks.request(prefix + id, { signal }, run)
      }
      return result.done
    },
    hold: (id) => {
      let release = () => {}
      const released = new Promise<void>((resolve) => (release = resolve))
      const wait = async () => navigator.locks.request(prefix + id, () => released)
      wait().catch(() => {}) // there are no locks
      return release
    },
    released: async (id) => navigator.locks.request(prefix + id, { mode: "shared" }, () => {}),
    held: async () => {
      const { held = [] } = await limited(navigator.locks.query())
      // A shared one is that of somebody who has waited.
      const own = held.filter(({ mode }) => mode === "exclusive")
      const ids = own.map((lock) => lock.name ?? "").filter((lockName) => lockName.startsWith(prefix))
      return new Set(ids.map((lockName) => lockName.slice(prefix.length)))
    },
  }
}
