import { stat, statfs } from "node:fs/promises"
import { type BlobCopier, isOutOfRoom, type SqliteCatalogReader, toFreeRoom } from "../../ingest.ts"
import { formatByteSize } from "../../protocol.ts"
import { ingestDefaults } from "../../schema/ingest-defaults.ts"
import { CommandFailure } from "../command-failure.ts"
import { listStored } from "./copy-files.ts"

/** Whether two folders are on the same file system. */
export const isSameDisk = async (one: string, other: string): Promise<boolean> =>
  (await stat(one)).dev === (await stat(other)).dev

/** How much an ingest on the same disk must have left, bytes: by default it accepts no upload with less. */
const reserve = ingestDefaults.minimumFree

/**
 * Ensures that there is room for everything that has to be copied, before anything is.
 *
 * Fails: with a {@link CommandFailure} that says how much is missing.
 */
export const requireRoom = async (
  folder: string,
  catalogFile: string,
  catalog: SqliteCatalogReader,
  copier: BlobCopier,
  { isShared, copies }: { readonly isShared: boolean; readonly copies: boolean },
): Promise<void> => {
  const free = toFreeRoom(await statfs(folder)) - (isShared ? reserve : 0)
  const { size: catalogSize } = await stat(catalogFile)
  let needed = catalogSize
  // Usually there is plenty, and nobody has to check which copies already exist.
  if (copies && needed + catalog.sum().blobBytes > free) {
    for (const row of listStored(catalog)) if (!row.isInline && !(await copier.has(row))) needed += row.size
  }
  if (needed <= free) return
  throw new CommandFailure(
    `There is not enough room in ${folder}: ${formatByteSize(needed)} are needed, ${formatByteSize(Math.max(0, free))} can be used. ` +
      "Free space there, or choose another disk. Nothing was changed.",
  )
}

/** Explains that a disk has become full meanwhile; any other failure is returned unchanged. */
export const explainFull = (error: unknown, folder: string, remains: string): unknown =>
  isOutOfRoom(error) || (error as { errcode?: number }).errcode === sqliteFull
    ? new CommandFailure(`The disk of ${folder} is full. Free space there and run this again. ${remains}`)
    : error

/** Source: sqlite.org/rescode.html. */
const sqliteFull = 13
