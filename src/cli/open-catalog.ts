import { access } from "node:fs/promises"
import { type Catalog, createSqliteCatalog } from "../ingest.ts"
import { CommandFailure, describeSystemError } from "./command-failure.ts"
import { type DataFolder, describeDataFolder } from "./data-folder.ts"

/**
 * Opens a catalog; makes it where it is missing.
 *
 * @param largestContent bytes of the largest file it keeps itself; matters only to an ingest
 *
 * Fails: throws a {@link CommandFailure} that names the file.
 */
export const openCatalog = (file: string, largestContent?: number): Catalog => {
  try {
    return createSqliteCatalog({ file, largestContent })
  } catch (error) {
    throw new CommandFailure(`The catalog ${file} cannot be opened: ${describeSystemError(error)}.`)
  }
}

/** Whether an ingest has run on a data folder before. */
export const hasCatalog = async ({ catalog }: DataFolder): Promise<boolean> =>
  access(catalog).then(
    () => true,
    () => false,
  )

/**
 * Works on the catalog of a data folder, whether an ingest runs on it or not; makes nothing that is not there.
 *
 * Fails: with a {@link CommandFailure} where there is no catalog, or none that can be opened.
 */
export const withCatalog = async <A>(
  data: string,
  work: (catalog: Catalog, folder: DataFolder) => Promise<A>,
): Promise<A> => {
  const folder = describeDataFolder(data)
  try {
    await access(folder.catalog)
  } catch (error) {
    throw new CommandFailure(
      `There is no catalog to read at ${folder.catalog}: ${describeSystemError(error)}. ` +
        "Say with --data which folder the ingest runs on.",
    )
  }
  const catalog = openCatalog(folder.catalog)
  try {
    return await work(catalog, folder)
  } finally {
    await catalog.close()
  }
}
