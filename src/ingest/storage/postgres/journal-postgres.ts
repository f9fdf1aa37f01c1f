import type { BlobJournal, JournalChange, JournaledBlob, LateRemoval } from "../s3/journal/blob-journal.ts"
import { openDatabase } from "./open-database.ts"
import type { PostgresPool } from "./pool.ts"
import { toJson } from "./values.ts"

/** What {@link createPostgresBlobJournal} is told. */
export interface PostgresBlobJournalSettings {
  /** `new pg.Pool({ connectionString })`, or another one like it: that of the catalog. The journal does not end it. */
  readonly pool: PostgresPool
  /** The schema of its tables; `sluice` by default. It may be that of the catalog. */
  readonly schema?: string | undefined
}

/** A blob as the database describes it. */
interface Described extends Omit<JournaledBlob, "upload" | "hash"> {
  readonly uploadId: string | null
  readonly uploadRef: string | null
  readonly directSize: number | null
  /** In hexadecimal. */
  readonly hash: string | null
}

const toBlob = ({ uploadId, uploadRef, directSize, hash, ...blob }: Described): JournaledBlob => ({
  ...blob,
  upload: uploadId === null ? null : { id: uploadId, ref: uploadRef ?? "", ...(directSize !== null && { directSize }) },
  hash: hash === null ? null : new Uint8Array(Buffer.from(hash, "hex")),
})

const toChanges = ({ add: _add, hash, ...changes }: JournalChange): string =>
  toJson({ ...changes, ...(hash !== undefined && { hash: hash === null ? null : Buffer.from(hash).toString("hex") }) })

/** Keeps the journal of a bucket in PostgreSQL, beside the catalog: for any number of processes over one bucket. */
export const createPostgresBlobJournal = ({ pool, schema = "sluice" }: PostgresBlobJournalSettings): BlobJournal => {
  const { database, functions, close } = openDatabase(pool, schema)
  const { read, call, write } = database

  /** One statement. Where the database's default is another isolation, the function refuses, and a transaction says which. */
  const ask = async (
    statement: string,
    ...values: Parameters<typeof call> extends [string, ...infer V] ? V : never
  ) => {
    const sql = `SELECT answer FROM ${functions}.${statement}`
    const row = (await call(sql, ...values))[0] ?? (await write((transaction) => transaction.one(sql, ...values)))
    return row!.answer as unknown
  }

  return {
    isDurable: true,
    read: async (key) => {
      const row = await read.one(`SELECT ${functions}.describe_blob(?) AS blob`, key)
      return row!.blob === null ? undefined : toBlob(row!.blob as unknown as Described)
    },
    claim: async (key, epoch) => {
      const claimed = await ask("claim_blob(?, ?)", key, epoch)
      return claimed === null ? undefined : toBlob(claimed as Described)
    },
    // A part that is added is not added twice: where the answer is lost, its writer asks what there is.
    write: async (key, epoch, change) =>
      (await ask("change_blob(?, ?, ?::json, ?::text[])", key, epoch, toChanges(change), change.add ?? [])) as boolean,
    forget: async (key, epoch = Number.MAX_SAFE_INTEGER) => (await ask("forget_blob(?, ?)", key, epoch)) as boolean,
    // A process whose clock is wrong would have what others noted removed again too soon.
    now: async () => {
      const row = await read.one("SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now")
      return Number(row!.now)
    },
    // These may happen twice, and so they are repeated as those are that read.
    noteRemoval: async ({ key, at }) => {
      const insert = "INSERT INTO late_removals (key, at) VALUES (?, ?)"
      await read.run(`${insert} ON CONFLICT (key) DO UPDATE SET at = excluded.at`, key, at)
    },
    listRemovals: async (now, limit) =>
      (await read.all(
        "SELECT key, at FROM late_removals WHERE at <= ? ORDER BY at, key LIMIT ?",
        now,
        limit,
      )) as unknown as ReadonlyArray<LateRemoval>,
    forgetRemoval: async (key) => void (await read.run("DELETE FROM late_removals WHERE key = ?", key)),
    close,
  }
}
