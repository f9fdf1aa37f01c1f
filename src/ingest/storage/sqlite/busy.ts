/** SQLITE_BUSY. Source: sqlite.org/rescode.html. */
const sqliteBusy = 5

/** How long SQLite itself waits for another process, ms: nothing else happens in this one meanwhile. */
export const blockingWait = 5

/** How long a database is tried again that another process has locked, ms. */
export const patience = 5000

/** ms between two tries. */
const pause = 20

/** Whether another process has locked the database: nothing was written. */
export const isBusy = (cause: unknown): boolean => ((cause as { errcode?: number }).errcode ?? 0) % 256 === sqliteBusy

/** Waits for the next try, while everything else goes on. */
export const pauseBetweenTries = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, pause))

/**
 * Runs one transaction, and again for as long as another process has locked its database.
 *
 * Fails: as `run` does; as SQLite does when it is still locked at the end.
 */
export const retryWhileBusy = async <A>(run: () => Promise<A>): Promise<A> => {
  const until = performance.now() + patience
  for (;;) {
    try {
      return await run()
    } catch (cause) {
      if (!isBusy(cause) || performance.now() >= until) throw cause
    }
    await pauseBetweenTries()
  }
}
