import {
  type BlobCopier,
  type BlobCopyOutcome,
  type SqliteCatalogReader,
  type StoredFileRow,
  verifyFile,
} from "../../ingest.ts"
import type { LeftOut } from "./manifest.ts"

/** How many files are read from a catalog at once. */
const page = 500

/** How many files are copied at the same time. */
const width = 4

/** All files that are `Uploaded`, oldest first. */
export function* listStored(catalog: SqliteCatalogReader): Generator<StoredFileRow> {
  for (let after = 0; ;) {
    const rows = catalog.listStored(page, after)
    yield* rows
    if (rows.length < page) return
    after = rows.at(-1)!.id
  }
}

/** A file without intact bytes. */
export interface Damaged extends LeftOut {
  readonly row: StoredFileRow
}

/** The result of copying. Sizes in bytes. */
export interface Copied {
  readonly copied: number
  readonly copiedBytes: number
  readonly linked: number
  readonly kept: number
  readonly damaged: ReadonlyArray<Damaged>
  /** The newest file that was checked. */
  readonly lastId: number
}

/** Runs work on each item, a few at a time. After a failure no more is started, and work in progress ends. */
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

/** What is wrong with the bytes of a small file in the catalog; undefined when they are intact. */
const findInlineDamage = async (
  catalog: SqliteCatalogReader,
  row: StoredFileRow,
): Promise<LeftOut["reason"] | undefined> => {
  // No bytes of a small file are in a store.
  const store: Parameters<typeof verifyFile>[0]["store"] = undefined!
  const { kind } = await verifyFile({ store, catalog }, row)
  return kind === "intact" ? undefined : kind
}

/**
 * Copies the bytes of all files of a catalog that are not in the catalog itself.
 *
 * @param checksContent whether small files, which are in the catalog, are read and compared too
 * @param isSettled whether an existing copy of a file is known to be intact
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
