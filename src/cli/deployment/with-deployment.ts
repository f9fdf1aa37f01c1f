import { existsSync } from "node:fs"
import { type BlobStore, readSqliteCatalog } from "../../ingest.ts"
import { CommandFailure } from "../command-failure.ts"
import { claimBucket } from "./bucket-owner.ts"
import { openDataFolder } from "./data-folder.ts"
import { isDataFolderLocked, lockFile } from "./data-folder-lock.ts"
import type { DataFolder, Deployment, FolderDeployment } from "./deployment.ts"
import { type CatalogUse, findForeignSchema, openCatalog, requireCatalog } from "./open-catalog.ts"
import type { OpenDeployment, OwnDeployment, OwnManner } from "./open-deployment.ts"
import { openStore } from "./open-store.ts"
import { requireFilesOnDisk, requireSameStore } from "./started-with.ts"

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
      now: async () => Date.now(),
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
      openCatalog: async (largestContent) => {
        // Without the lock another ingest could start on the folder.
        const catalog = openCatalog(folder.catalog, largestContent, [lockFile(folder)])
        try {
          if (deployment.store.kind === "s3") await claimBucket(deployment.store, deployment, signal)
          return catalog
        } catch (error) {
          await catalog.close()
          throw error
        }
      },
      hasOthers: async () => false,
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
