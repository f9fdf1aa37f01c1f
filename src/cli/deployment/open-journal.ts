import type { BlobJournal } from "../../s3.ts"
import { CommandFailure, describeSystemError } from "../command-failure.ts"
import type { Deployment } from "./deployment.ts"
import { findFullDisk } from "./full-disk.ts"
import { withPool } from "./lend-pool.ts"

/**
 * Opens what says how far unfinished files are that go to a bucket: it is where the catalog is.
 *
 * One in a database has to be closed before `withDeployment` or `withOwnDeployment` ends.
 *
 * Fails: with a {@link CommandFailure} that names its file.
 */
export const openJournal = async (deployment: Deployment): Promise<BlobJournal> => {
  const { database } = deployment
  if (database !== null) {
    const { createPostgresBlobJournal } = await import("../../postgres.ts")
    // The connections are lent to whoever works on the deployment, and stay open until that is done.
    return withPool(database, async (pool) => createPostgresBlobJournal({ pool, schema: database.schema }))
  }
  const { createSqliteBlobJournal } = await import("../../s3.ts")
  const file = deployment.folder.journal
  try {
    return createSqliteBlobJournal({ file })
  } catch (error) {
    const full = findFullDisk(error, file)
    if (full !== undefined) throw full
    throw new CommandFailure(
      `How far unfinished files are cannot be read: ${describeSystemError(error)}. Use the version of sluice that wrote ${file}, or move that file away: uploads that are under way then begin anew.`,
    )
  }
}
