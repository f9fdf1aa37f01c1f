import { existsSync } from "node:fs"
import { type BlobStore, type Catalog, readSqliteCatalog } from "../../ingest.ts"
import type { LogFormat } from "../../protocol.ts"
import { CommandFailure } from "../command-failure.ts"
import { openDataFolder } from "./data-folder.ts"
import { isDataFolderLocked } from "./data-folder-lock.ts"
import type { DataFolder, Deployment } from "./deployment.ts"
import { type CatalogUse, findForeignSchema, openCatalog, requireCatalog } from "./open-catalog.ts"
import type { Reads } from "./open-bucket.ts"
import { openStore } from "./open-store.ts"
import { requireFilesOnDisk, requireSameStore } from "./started-with.ts"

/** A deployment whose catalog is open. */
export interface DeploymentCatalog extends Deployment {
  readonly catalog: Catalog
}

/** A deployment that a command works on. What is open of it is closed when the work is done. */
export interface OpenDeployment extends DeploymentCatalog {
  /**
   * Opens the store, for the command to read.
   *
   * Fails: with a {@link CommandFailure} where it cannot be opened, or where the files are in another one than was said.
   */
  readonly openStore: () => Promise<BlobStore>
  /** The apps of which the catalog keeps anything: the ingest's own is among them once it has been used. */
  readonly listAppIds: () => ReadonlyArray<string>
  /** Whether an ingest runs on it. */
  readonly isRunning: () => boolean
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
      listAppIds: () => {
        const reader = readSqliteCatalog({ file: folder.catalog })
        try {
          return reader.listAppIds()
        } finally {
          reader.close()
        }
      },
      isRunning: () => isDataFolderLocked(folder.path),
    })
  } finally {
    try {
      await store?.close()
    } finally {
      await catalog.close()
    }
  }
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

/** A deployment that the ingest of this process runs on, and no other one. Whoever opens a part of it closes it. */
export interface OwnDeployment extends Deployment {
  /** Notes for the user on who could read it. */
  readonly notes: ReadonlyArray<string>
  /**
   * Opens the catalog, creates it where it is missing, and migrates it to the schema of this version.
   *
   * @param largestContent size of the largest file that it keeps itself, bytes
   */
  readonly openCatalog: (largestContent: number) => Catalog
  /** Fails: with the reason of the signal, too, where that ends it. */
  readonly openStore: (logFormat: LogFormat, reads: Reads, signal?: AbortSignal) => Promise<BlobStore>
}

/**
 * Runs an ingest on a deployment: until that has ended, no other one does. Makes what is missing.
 *
 * Fails: with a {@link CommandFailure} where another ingest runs on it, and where it is not safe.
 */
export const withOwnDeployment = async <A>(
  deployment: Deployment,
  run: (own: OwnDeployment) => Promise<A>,
): Promise<A> => {
  const { folder } = deployment
  const { notes, release } = await openDataFolder(folder.path)
  try {
    await requireSameStore(
      deployment,
      "Files could not be read",
      () => hasBlobs(folder),
      (note) =>
        ` To begin anew in another place choose another --data; where none of these files is needed any more, remove ${note}.`,
    )
    return await run({
      ...deployment,
      notes,
      openCatalog: (largestContent) => openCatalog(folder.catalog, largestContent),
      openStore: (logFormat, reads, signal) => openStore(deployment, { logFormat, own: true, reads, signal }),
    })
  } finally {
    release()
  }
}
