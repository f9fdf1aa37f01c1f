import { openDatabase } from "../../sqlite/open-database.ts"
import { type BlobJournal, type JournaledBlob, toEmptyBlob } from "./blob-journal.ts"

const schema = `
  CREATE TABLE IF NOT EXISTS blobs (
    key TEXT PRIMARY KEY,
    epoch INTEGER NOT NULL,
    upload_id TEXT,
    upload_ref TEXT,
    direct_size INTEGER,
    stored INTEGER NOT NULL,
    tail TEXT,
    is_finishing INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS parts (
    key TEXT NOT NULL,
    number INTEGER NOT NULL,
    etag TEXT NOT NULL,
    PRIMARY KEY (key, number)
  ) STRICT, WITHOUT ROWID;
  PRAGMA user_version = 1;`

/** Refuses a journal that a newer version of this package wrote. */
const requireVersion = (version: number, file: string): void => {
  if (version > 1) throw new Error(`The journal ${file} is of version ${version}, newer than this package knows (1).`)
}

interface Row {
  readonly epoch: number
  readonly uploadId: string | null
  readonly uploadRef: string | null
  readonly directSize: number | null
  readonly stored: number
  readonly tail: string | null
  readonly isFinishing: number
}

/** Keeps the journal in an SQLite file, made when missing, for this user alone. Node, Deno. */
export const createSqliteBlobJournal = ({ file }: { readonly file: string }): BlobJournal => {
  const { database, group, close } = openDatabase(file, {
    prepare: (opened) => {
      requireVersion(Number(opened.prepare("PRAGMA user_version").get()?.["user_version"]), file)
      opened.exec(schema)
    },
  })
  const select = database.prepare(
    `SELECT epoch, upload_id AS uploadId, upload_ref AS uploadRef, direct_size AS directSize, stored, tail, is_finishing AS isFinishing
    FROM blobs WHERE key = ?`,
  )
  const selectEtags = database.prepare("SELECT etag FROM parts WHERE key = ? ORDER BY number")
  const raise = database.prepare(`
    INSERT INTO blobs (key, epoch, stored, is_finishing) VALUES (?, ?, 0, 0)
    ON CONFLICT (key) DO UPDATE SET epoch = excluded.epoch`)
  const update = database.prepare(`
    UPDATE blobs SET epoch = ?, upload_id = ?, upload_ref = ?, direct_size = ?, stored = ?, tail = ?, is_finishing = ? WHERE key = ?`)
  const countParts = database.prepare("SELECT max(number) AS count FROM parts WHERE key = ?")
  const cutParts = database.prepare("DELETE FROM parts WHERE key = ? AND number > ?")
  const addPart = database.prepare("INSERT INTO parts (key, number, etag) VALUES (?, ?, ?)")
  const remove = database.prepare("DELETE FROM blobs WHERE key = ?")

  const find = (key: string): Row | undefined => select.get(key) as Row | undefined

  const toBlob = (key: string, { epoch, uploadId, uploadRef, directSize, stored, tail, isFinishing }: Row): JournaledBlob => ({
    epoch,
    upload: uploadId === null ? null : { id: uploadId, ref: uploadRef ?? "", ...(directSize !== null && { directSize }) },
    offset: stored,
    tail,
    isFinishing: isFinishing === 1,
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
    update.run(epoch, id, ref, directSize, offset, tail, isFinishing === undefined ? before.isFinishing : Number(isFinishing), key)
    if (keep !== undefined) cutParts.run(key, keep)
    const kept = add.length > 0 ? ((countParts.get(key)?.["count"] as number | null) ?? 0) : 0
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
    close: async () => {
      if (database.isOpen) await close()
    },
  }
}
