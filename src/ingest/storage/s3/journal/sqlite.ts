import { openDatabase } from "../../sqlite/open-database.ts"
import { type BlobJournal, hashAfter, type JournaledBlob, type LateRemoval, toEmptyBlob } from "./blob-journal.ts"

const schema = `
  CREATE TABLE IF NOT EXISTS blobs (
    key TEXT PRIMARY KEY,
    epoch INTEGER NOT NULL,
    upload_id TEXT,
    upload_ref TEXT,
    direct_size INTEGER,
    stored INTEGER NOT NULL,
    tail TEXT,
    is_finishing INTEGER NOT NULL,
    hash BLOB
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS parts (
    key TEXT NOT NULL,
    number INTEGER NOT NULL,
    etag TEXT NOT NULL,
    PRIMARY KEY (key, number)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS removals (
    key TEXT PRIMARY KEY,
    at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS removals_at ON removals (at, key);
  PRAGMA user_version = 2;`

const newest = 2

/** What a journal of version 1 lacks, beside tables of their own. */
const fromVersion1 = "ALTER TABLE blobs ADD COLUMN hash BLOB; ALTER TABLE blobs ADD COLUMN direct_size INTEGER;"

/** Refuses a journal that a newer version of this package wrote. */
const requireVersion = (version: number, file: string): void => {
  if (version <= newest) return
  throw new Error(`The journal ${file} is of version ${version}, newer than this package knows (${newest}).`)
}

interface Row {
  readonly epoch: number
  readonly uploadId: string | null
  readonly uploadRef: string | null
  readonly directSize: number | null
  readonly stored: number
  readonly tail: string | null
  readonly isFinishing: number
  readonly hash: Uint8Array | null
}

/** Keeps the journal in an SQLite file, made when missing, for this user alone. Node, Deno. */
export const createSqliteBlobJournal = ({ file }: { readonly file: string }): BlobJournal => {
  const { database, group, close } = openDatabase(file, {
    prepare: (opened) => {
      const version = Number(opened.prepare("PRAGMA user_version").get()?.["user_version"])
      requireVersion(version, file)
      // What is written on every start has no room on a full disk.
      if (version < newest) opened.exec(`BEGIN IMMEDIATE; ${version === 1 ? fromVersion1 : ""} ${schema} COMMIT;`)
    },
  })
  const select = database.prepare(
    `SELECT epoch, upload_id AS uploadId, upload_ref AS uploadRef, direct_size AS directSize, stored, tail,
      is_finishing AS isFinishing, hash
    FROM blobs WHERE key = ?`,
  )
  const selectEtags = database.prepare("SELECT etag FROM parts WHERE key = ? ORDER BY number")
  const raise = database.prepare(`
    INSERT INTO blobs (key, epoch, stored, is_finishing) VALUES (?, ?, 0, 0)
    ON CONFLICT (key) DO UPDATE SET epoch = excluded.epoch`)
  const update = database.prepare(`
    UPDATE blobs SET epoch = ?, upload_id = ?, upload_ref = ?, direct_size = ?, stored = ?, tail = ?, is_finishing = ?, hash = ?
    WHERE key = ?`)
  const countParts = database.prepare("SELECT max(number) AS count FROM parts WHERE key = ?")
  const cutParts = database.prepare("DELETE FROM parts WHERE key = ? AND number > ?")
  const addPart = database.prepare("INSERT INTO parts (key, number, etag) VALUES (?, ?, ?)")
  const remove = database.prepare("DELETE FROM blobs WHERE key = ?")

  const noteRemoval = database.prepare("INSERT OR REPLACE INTO removals (key, at) VALUES (?, ?)")
  const listRemovals = database.prepare("SELECT key, at FROM removals WHERE at <= ? ORDER BY at, key LIMIT ?")
  const forgetRemoval = database.prepare("DELETE FROM removals WHERE key = ?")

  const find = (key: string): Row | undefined => select.get(key) as Row | undefined

  const toBlob = (
    key: string,
    { epoch, uploadId, uploadRef, directSize, stored, tail, isFinishing, hash }: Row,
  ): JournaledBlob => ({
    epoch,
    upload:
      uploadId === null ? null : { id: uploadId, ref: uploadRef ?? "", ...(directSize !== null && { directSize }) },
    offset: stored,
    tail,
    isFinishing: isFinishing === 1,
    hash,
    etags: selectEtags.all(key).map(({ etag }) => etag as string),
  })

  const claim = (key: string, epoch: number): JournaledBlob | undefined => {
    const before = find(key)
    if (before !== undefined && epoch < before.epoch) return undefined
    raise.run(key, epoch)
    return before === undefined ? toEmptyBlob(epoch) : toBlob(key, { ...before, epoch })
  }

  const change = (key: string, epoch: number, changes: Parameters<BlobJournal["write"]>[2]): boolean => {
    const before = find(key)
    if (before === undefined || epoch < before.epoch) return false
    const { upload, keep, add = [], offset = before.stored, tail = before.tail, isFinishing } = changes
    const [id, ref, directSize] =
      upload === undefined
        ? [before.uploadId, before.uploadRef, before.directSize]
        : [upload?.id ?? null, upload?.ref ?? null, upload?.directSize ?? null]
    const count = (): number => (countParts.get(key)?.["count"] as number | null) ?? 0
    const hash = hashAfter(before.hash, keep === undefined ? 0 : count(), changes)
    const isEnding = isFinishing === undefined ? before.isFinishing : Number(isFinishing)
    update.run(epoch, id, ref, directSize, offset, tail, isEnding, hash, key)
    if (keep !== undefined) cutParts.run(key, keep)
    const kept = add.length > 0 ? count() : 0
    for (const [index, etag] of add.entries()) addPart.run(key, kept + index + 1, etag)
    return true
  }

  return {
    isDurable: file !== ":memory:",
    read: async (key) => {
      const row = find(key)
      return row === undefined ? undefined : toBlob(key, row)
    },
    claim: (key, epoch) => group.run(() => claim(key, epoch)),
    write: (key, epoch, changes) => group.run(() => change(key, epoch, changes)),
    forget: (key, epoch = Number.MAX_SAFE_INTEGER) =>
      group.run(() => {
        if (epoch < (find(key)?.epoch ?? 0)) return false
        cutParts.run(key, 0)
        remove.run(key)
        return true
      }),
    now: async () => Date.now(),
    noteRemoval: ({ key, at }) => group.run(() => void noteRemoval.run(key, at)),
    listRemovals: async (now, limit) =>
      listRemovals.all(now, limit).map(({ key, at }) => ({ key, at }) as unknown as LateRemoval),
    forgetRemoval: (key) => group.run(() => void forgetRemoval.run(key)),
    close: async () => {
      if (database.isOpen) await close()
    },
  }
}
