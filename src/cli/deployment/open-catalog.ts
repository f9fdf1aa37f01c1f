import { access } from "node:fs/promises"
import { type Catalog, createSqliteCatalog, readSqliteSchema } from "../../ingest.ts"
import { CommandFailure, describeSystemError } from "../command-failure.ts"
import type { DataFolder } from "./deployment.ts"
import { findFullDisk } from "./full-disk.ts"
import { findLockHolder, isDataFolderLocked } from "./data-folder-lock.ts"

/**
 * Opens a catalog; creates it where it is missing.
 *
 * @param largestContent size of the largest file that it keeps itself, bytes; matters only to an ingest
 * @param beside         further files that have to stay where they are for as long as it is written
 *
 * Fails: throws a {@link CommandFailure} that names the file.
 */
export const openCatalog = (file: string, largestContent?: number, beside?: ReadonlyArray<string>): Catalog => {
  try {
    return createSqliteCatalog({ file, largestContent }, beside)
  } catch (error) {
    throw (
      findFullDisk(error, file) ??
      new CommandFailure(`The catalog ${file} cannot be opened: ${describeSystemError(error)}.`)
    )
  }
}

/** Fails: with a {@link CommandFailure} where a data folder has no catalog. */
export const requireCatalog = async ({ catalog }: DataFolder): Promise<void> => {
  try {
    await access(catalog)
  } catch (error) {
    throw new CommandFailure(
      `There is no catalog to read at ${catalog}: ${describeSystemError(error)}. ` +
        "Say with --data which folder the ingest runs on, or with --database-url which database.",
    )
  }
}

/** How a command uses a catalog. A command that only reads never migrates it to another schema. */
export type CatalogUse = "reads" | "changes"

/** What is wrong with the schema of a catalog, and what to do. */
export interface ForeignSchema {
  readonly message: string
  readonly advice: string
}

/**
 * Why this version must not open a catalog; undefined where it may. A catalog is migrated to the schema of this
 * version by its ingest, and by commands that change it where no ingest runs: an older ingest would fail on it.
 */
export const findForeignSchema = async (folder: DataFolder, use: CatalogUse): Promise<ForeignSchema | undefined> => {
  let schema: ReturnType<typeof readSqliteSchema>
  try {
    schema = readSqliteSchema({ file: folder.catalog })
  } catch {
    // Opening it reports what is wrong.
    return undefined
  }
  const { is, known } = schema
  if (is === known) return undefined
  const message = `The catalog ${folder.catalog} is of schema ${is}, and this version of sluice`
  if (is > known) {
    const advice = "Use the version that wrote it, or restore an earlier backup."
    return { message: `${message} knows up to ${known}.`, advice }
  }
  if (isDataFolderLocked(folder.path)) {
    const pid = await findLockHolder(folder.path)
    return {
      message: `${message} uses ${known}: the ingest that runs on it${pid === undefined ? "" : ` (process ${pid})`} is older.`,
      advice: "Upgrade that ingest first, or run the command of its version.",
    }
  }
  if (use === "changes") return undefined
  return {
    message: `${message} uses ${known}.`,
    advice: "Start the ingest of this version on it once, which upgrades it, or use the version that wrote it.",
  }
}
