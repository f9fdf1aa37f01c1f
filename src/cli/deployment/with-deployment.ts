import { existsSync } from "node:fs"
import { type BlobStore, type Catalog, readSqliteCatalog } from "../../ingest.ts"
import type { LogFormat } from "../../protocol.ts"
import { CommandFailure } from "../command-failure.ts"
import { openDataFolder } from "./data-folder.ts"
import { isDataFolderLocked } from "./data-folder-lock.ts"
import type { DataFolder, Deployment, FolderDeployment } from "./deployment.ts"
import { type CatalogUse, findForeignSchema, openCatalog, requireCatalog } from "./open-catalog.ts"
import type { Reads } from "./open-bucket.ts"
import { openStore } from "./open-store.ts"
import { requireFilesOnDisk, requireSameStore } from "./started-with.ts"

/** A deployment whose catalog is open. */
export type DeploymentCatalog = Deployment & { readonly catalog: Catalog }

/** A deployment that a command works on. What is open of it is closed when the work is done. */
export type OpenDeployment = DeploymentCatalog & {
  /**
   * Opens the store, for the command to read.
   *
   * Fails: with a {@link CommandFailure} where it cannot be opened, or where the files are in another one than was said.
   */
  readonly openStore: () => Promise<BlobStore>
  /** The apps of which the catalog keeps anything: the ingest's own is among them once it has been used. */
  readonly listAppIds: () => Promise<ReadonlyArray<string>>
  /** Whether an ingest runs on it; undefined where nobody knows. */
  readonly isRunning: () => Promise<boolean | undefined>
}

/** Works on a deployment whose catalog is in its data folder. */
const withFolder = async <A>(
  deployment: FolderDeployment,
  use: CatalogUse,
  work: (open: OpenDeployment) => Promise<A>,
): Promise<A> => {
  const { folder } = deployment
  await requireCatalog(folder)
  const foreign = await findForeignSchema(folder, use)
  if (foreign !== undefined) throw new CommandFailure(`${foreign.message} ${foreign.advice}`)
  const catalog = openCatalog(folder.catalog)
  let store: BlobStore | undefined
  try {
    return await work({
      ...deployment,
      catalog,
      openStore: async () => {
        await requireFilesOnDisk(deployment, (options) => `Say so: ${options}`)
        await requireSameStore(deployment, "Its files cannot be read", () => true)
        return (store = await openStore(deployment))
      },
      listAppIds: async () => {
        const reader = readSqliteCatalog({ file: folder.catalog })
        try {
          return reader.listAppIds()
        } finally {
          reader.close()
        }
      },
      isRunning: async () => isDataFolderLocked(folder.path),
    })
  } finally {
    try {
      await store?.close()
    } finally {
      await catalog.close()
    }
  }
}

/**
 * Works on a deployment, whether an ingest runs on it or not; creates nothing.
 *
 * Fails: with a {@link CommandFailure} where there is no catalog, it cannot be opened, or it has another schema.
 */
export const withDeployment = async <A>(
  deployment: Deployment,
  use: CatalogUse,
  work: (open: OpenDeployment) => Promise<A>,
): Promise<A> => {
  if (deployment.database === null) return withFolder(deployment, use, work)
  const { withDatabase } = await import("./with-database.ts")
  return withDatabase(deployment, work)
}

/** Whether a catalog knows of files whose bytes are in the store. */
const hasBlobs = async ({ catalog }: DataFolder): Promise<boolean> => {
  if (!existsSync(catalog)) return false
  const reader = readSqliteCatalog({ file: catalog })
  try {
    return reader.sum().blobBytes > 0
  } finally {
    reader.close()
  }
}

/** A deployment that the ingest of this process runs on. Whoever opens a part of it closes it. */
export type OwnDeployment = Deployment & {
  /** Notes for the user on who could read it. */
  readonly notes: ReadonlyArray<string>
  /**
   * Opens the catalog, creates it where it is missing, and migrates it to the schema of this version.
   *
   * @param largestContent size of the largest file that it keeps itself, bytes; undefined: as its kind does
   */
  readonly openCatalog: (largestContent: number | undefined) => Promise<Catalog>
  /** Fails: with the reason of the signal, too, where that ends it. */
  readonly openStore: (reads: Reads) => Promise<BlobStore>
}

/** How an ingest is started. */
export interface OwnManner {
  readonly logFormat: LogFormat
  /** Ends the wait for a bucket, and for a database. */
  readonly signal?: AbortSignal | undefined
}

const withOwnFolder = async <A>(
  deployment: FolderDeployment,
  { logFormat, signal }: OwnManner,
  run: (own: OwnDeployment) => Promise<A>,
): Promise<A> => {
  const { folder } = deployment
  const { notes, release } = await openDataFolder(folder.path)
  try {
    await requireSameStore(
      deployment,
      "Files could not be read",
      () => hasBlobs(folder),
      (howToRemove) =>
        ` To begin anew in another place choose another --data; where none of these files is needed any more, ${howToRemove}.`,
    )
    return await run({
      ...deployment,
      notes,
      openCatalog: async (largestContent) => openCatalog(folder.catalog, largestContent),
      openStore: (reads) => openStore(deployment, { logFormat, own: true, reads, signal }),
    })
  } finally {
    release()
  }
}

/**
 * Runs an ingest on a deployment. Makes what is missing. Until it has ended no other one runs on the same data folder; on one
 * database any number do.
 *
 * Fails: with a {@link CommandFailure} where another ingest runs on it, and where it is not safe; with the reason of the signal.
 */
export const withOwnDeployment = async <A>(
  deployment: Deployment,
  manner: OwnManner,
  run: (own: OwnDeployment) => Promise<A>,
): Promise<A> => {
  if (deployment.database === null) return withOwnFolder(deployment, manner, run)
  const { withOwnDatabase } = await import("./with-database.ts")
  return withOwnDatabase(deployment, manner, run)
}
