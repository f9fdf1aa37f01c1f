import { type BlobStore, CatalogError } from "../../ingest.ts"
import type { PostgresCatalogReader } from "../../postgres.ts"
import { CommandFailure } from "../command-failure.ts"
import { claimBucket } from "./bucket-owner.ts"
import { openDataFolder } from "./data-folder.ts"
import type { DatabaseDeployment } from "./deployment.ts"
import { toDatabaseFailure } from "./explain-database.ts"
import { withPool } from "./lend-pool.ts"
import { awaitDatabase, requireOwnTables } from "./open-database.ts"
import { openStore } from "./open-store.ts"
import { claimPlaceOfFiles, requirePlaceOfFiles } from "./place-of-files.ts"
import { requireFilesOnDisk } from "./started-with.ts"
import type { OpenDeployment, OwnDeployment, OwnManner } from "./open-deployment.ts"

/** Whether an ingest runs on a catalog; undefined where the tables are older, and nobody knows. */
const isAnyAlive = async (reader: Pick<PostgresCatalogReader, "listProcesses">): Promise<boolean | undefined> =>
  (await reader.listProcesses())?.some(({ isAlive }) => isAlive)

/** Works on a deployment whose catalog is in a database. Nothing is migrated, and no process is noted there. */
export const withDatabase = <A>(
  deployment: DatabaseDeployment,
  work: (open: OpenDeployment) => Promise<A>,
): Promise<A> =>
  withPool(deployment.database, async (pool) => {
    const { database } = deployment
    const { schema } = database
    await requireOwnTables(pool, database, false)
    const { createPostgresCatalog, readPostgresCatalog } = await import("../../postgres.ts")
    const catalog = createPostgresCatalog({ pool, schema })
    const reader = readPostgresCatalog({ pool, schema })
    let store: BlobStore | undefined
    try {
      return await work({
        ...deployment,
        catalog,
        openStore: async () => {
          await requireFilesOnDisk(deployment, (options) => `Say so: ${options}`)
          await requirePlaceOfFiles(deployment)
          return (store = await openStore(deployment))
        },
        listAppIds: reader.listAppIds,
        now: async () => Date.now() + (await reader.readServer()).ahead,
        isRunning: () => isAnyAlive(reader),
      })
    } catch (error) {
      throw CatalogError.is(error) ? toDatabaseFailure(error, database, "The catalog failed.") : error
    } finally {
      try {
        await store?.close()
      } finally {
        await catalog.close()
      }
    }
  })

/** Holds the data folder of a deployment that has one: two ingests on it would not be of use to each other. */
const withOwnFolder = async <A>(
  { folder }: DatabaseDeployment,
  run: (notes: ReadonlyArray<string>) => Promise<A>,
): Promise<A> => {
  if (folder === null) return run([])
  const { notes, release } = await openDataFolder(folder.path)
  try {
    return await run(notes)
  } finally {
    release()
  }
}

/** Runs an ingest on a deployment whose catalog is in a database, beside those of other processes. */
export const withOwnDatabase = <A>(
  deployment: DatabaseDeployment,
  manner: OwnManner,
  run: (own: OwnDeployment) => Promise<A>,
): Promise<A> =>
  withOwnFolder(deployment, (notes) =>
    withPool(deployment.database, async (pool) => {
      const { database } = deployment
      const { logFormat, signal } = manner
      await awaitDatabase(pool, database, manner)
      await requireOwnTables(pool, database, true)
      await requirePlaceOfFiles(deployment)
      return run({
        ...deployment,
        notes,
        openCatalog: async (largestContent) => {
          const { createPostgresCatalog } = await import("../../postgres.ts")
          const catalog = createPostgresCatalog({ pool, schema: database.schema, largestContent })
          try {
            // Makes the tables.
            await catalog.probe()
            await claimPlaceOfFiles(deployment)
            if (deployment.store.kind === "s3") await claimBucket(deployment.store, deployment, signal)
            return catalog
          } catch (error) {
            await catalog.close()
            if (error instanceof CommandFailure || signal?.aborted === true) throw error
            throw toDatabaseFailure(error, database, "The catalog cannot be opened.")
          }
        },
        hasOthers: async () => {
          const { readPostgresCatalog } = await import("../../postgres.ts")
          return (await isAnyAlive(readPostgresCatalog({ pool, schema: database.schema }))) ?? false
        },
        openStore: (reads) => openStore(deployment, { logFormat, own: true, reads, signal }),
      })
    }),
  )
