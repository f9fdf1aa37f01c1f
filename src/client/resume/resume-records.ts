import { createLimit } from "./create-limit.ts"
import type { PickedHandle } from "./resume-store.ts"
import type { Json } from "../../protocol/json.ts"
import type { PresignedUpload } from "../../protocol/messages.ts"

/** A remembered upload. Its URL is a secret: anybody who has it may store the file. */
export interface ResumeRecord {
  readonly id: string
  readonly scope: string
  readonly upload: PresignedUpload
  readonly slug: string
  readonly name: string
  /** Its path in the folder that was chosen. */
  readonly path?: string | undefined
  /** Bytes. */
  readonly size: number
  readonly type: string
  /** ms since the epoch. */
  readonly lastModified: number
  readonly input: Json | undefined
  /** ms since the epoch. */
  readonly startedAt: number
  /** How many bytes had been sent when they were last recorded. */
  readonly loaded?: number | undefined
  /** When its URL was last signed or renewed, ms since the epoch. */
  readonly keptAt: number
  readonly handle?: PickedHandle | undefined
  readonly isField?: boolean | undefined
  /** The page that opened it last: the name of the lock that it holds while it shows uploads. */
  readonly page?: string | undefined
}

/**
 * Every method is one transaction. Fails: rejects with IndexedDB's error, where there is no IndexedDB, and where it does not
 * answer; a change may still be made then, in the order of the calls.
 */
export interface ResumeRecords {
  readonly get: (id: string) => Promise<ResumeRecord | undefined>
  readonly list: () => Promise<ReadonlyArray<ResumeRecord>>
  /**
   * Stores the result of `change` for the existing record; undefined leaves it unchanged. Returns the record as it is
   * afterwards.
   */
  readonly put: (
    id: string,
    change: (present: ResumeRecord | undefined) => ResumeRecord | undefined,
  ) => Promise<ResumeRecord | undefined>
  /** Removes the record if the predicate accepts it. */
  readonly remove: (id: string, isMeant?: (record: ResumeRecord) => boolean) => Promise<void>
}

const table = "entries"

const toPromise = <A>(request: IDBRequest<A>): Promise<A> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })

/**
 * The records in IndexedDB: one database, one table, the fingerprint as the key.
 *
 * @param name of the database, which is created when it is first needed
 */
export const createResumeRecords = (name: string): ResumeRecords => {
  let opening: Promise<IDBDatabase> | undefined
  const reset = () => (opening = undefined)
  const limited = createLimit()

  const open = async (): Promise<IDBDatabase> => {
    const request = indexedDB.open(name, 1)
    request.onupgradeneeded = () => request.result.createObjectStore(table, { keyPath: "id" })
    const database = await toPromise(request)
    // Another version, or "clear site data": the next call opens it anew.
    database.onversionchange = () => {
      reset()
      database.close()
    }
    database.onclose = reset
    return database
  }

  const complete = async <A>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => Promise<A>): Promise<A> => {
    opening ??= open()
    const database = await opening.catch((error: unknown) => {
      reset()
      throw error
    })
    const transaction = database.transaction(table, mode)
    const completed = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve()
      transaction.onabort = transaction.onerror = () => reject(transaction.error)
    })
    try {
      // The work may only await its own requests: the transaction would otherwise end before the work does.
      const [result] = await Promise.all([work(transaction.objectStore(table)), completed])
      return result
    } catch (error) {
      completed.catch(() => {})
      try {
        transaction.abort()
      } catch {
        // it has ended
      }
      throw error
    }
  }

  /** Resolves once the transaction is complete. */
  const transact: typeof complete = (mode, work) => limited(complete(mode, work))

  const read = (store: IDBObjectStore, id: string): Promise<ResumeRecord | undefined> => toPromise(store.get(id))

  return {
    get: (id) => transact("readonly", (store) => read(store, id)),
    list: () => transact("readonly", (store) => toPromise<Array<ResumeRecord>>(store.getAll())),
    put: (id, change) =>
      transact("readwrite", async (store) => {
        const present = await read(store, id)
        const record = change(present)
        if (record !== undefined) await toPromise(store.put(record))
        return record ?? present
      }),
    remove: (id, isMeant = () => true) =>
      transact("readwrite", async (store) => {
        const present = await read(store, id)
        if (present !== undefined && isMeant(present)) await toPromise(store.delete(id))
      }),
  }
}
