import {
  type BlobCopier,
  type BlobCopyOutcome,
  type SqliteCatalogReader,
  type StoredFileRow,
  verifyFile,
} from "../../ingest.ts"
import type { LeftOut } from "./manifest.ts"

/** Files read from a catalog at once. */
const page = 500

/** Files that are copied at the same time. */
const width = 4

/** All files that are `Uploaded`, the oldest first. */
export function* listStored(catalog: SqliteCatalogReader): Generator<StoredFileRow> {
  for (let after = 0; ;) {
    const rows = catalog.listStored(page, after)
    yield* rows
    if (rows.length < page) return
    after = rows.at(-1)!.id
  }
}

/** A file of which there are no sound bytes. */
export interface Damaged extends LeftOut {
  readonly row: StoredFileRow
}

/** What copying came to. Sizes in bytes. */
export interface Copied {
  readonly copied: number
  readonly copiedBytes: number
  readonly linked: number
  readonly kept: number
  readonly damaged: ReadonlyArray<Damaged>
  /** The newest file that was looked at. */
  readonly lastId: number
}

/** Runs work on each item, a few at a time; after a failure nothing more is begun, and what is under way ends. */
const forEach = async <A>(items: Iterable<A>, work: (item: A) => Promise<void>): Promise<void> => {
  const iterator = items[Symbol.iterator]()
  let hasFailed = false
  const run = async (): Promise<void> => {
    while (!hasFailed) {
      const next = iterator.next()
      if (next.done === true) return
      try {
        await work(next.value)
      } catch (error) {
        hasFailed = true
        throw error
      }
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: width }, run))
  for (const one of ended) if (one.status === "rejected") throw one.reason
}

/** Why the bytes of a small file, which the catalog keeps, are not sound; undefined when they are. */
const findInlineDamage = async (
  catalog: SqliteCatalogReader,
  row: StoredFileRow,
): Promise<LeftOut["reason"] | undefined> => {
  // Nothing of a small file is in a store.
  const store: Parameters<typeof verifyFile>[0]["store"] = undefined!
  const { kind } = await verifyFile({ store, catalog }, row)
  return kind === "intact" ? undefined : kind
}

/**
 * Brings the bytes of all files of a catalog that are not in it to their copy.
 *
 * @param checksContent whether small files, which come with the catalog, are read and compared too
 * @param isSettled whether the copy of a file, where there is one, is known to be sound
 */
export const copyFiles = async (
  catalog: SqliteCatalogReader,
  copier: BlobCopier,
  {
    checksContent = false,
    isSettled = () => false,
    onTaken = () => {},
  }: {
    readonly checksContent?: boolean
    readonly isSettled?: (row: StoredFileRow) => boolean
    readonly onTaken?: (outcome: BlobCopyOutcome, bytes: number) => void
  },
): Promise<Copied> => {
  const damaged: Array<Damaged> = []
  let [copied, copiedBytes, linked, kept, lastId] = [0, 0, 0, 0, 0]
  const count = (row: StoredFileRow, outcome: BlobCopyOutcome): void => {
    onTaken(outcome, row.size)
    if (outcome === "copied") {
      copied++
      copiedBytes += row.size
    } else if (outcome === "linked") linked++
    else if (outcome === "kept") kept++
    else damaged.push({ key: row.key, name: row.name, reason: outcome, row })
  }
  await forEach(listStored(catalog), async (row) => {
    lastId = Math.max(lastId, row.id)
    if (!row.isInline) {
      return count(row, isSettled(row) && (await copier.has(row)) ? "kept" : await copier.take(row))
    }
    const reason = checksContent ? await findInlineDamage(catalog, row) : undefined
    if (reason !== undefined) damaged.push({ key: row.key, name: row.name, reason, row })
  })
  await copier.flush()
  return { copied, copiedBytes, linked, kept, damaged, lastId }
}
