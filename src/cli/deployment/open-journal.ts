import type { BlobJournal } from "../../s3.ts"
import { CommandFailure, describeSystemError } from "../command-failure.ts"
import type { Deployment } from "./deployment.ts"
import { withPool } from "./lend-pool.ts"

/**
 * Opens what says how far unfinished files are that go to a bucket: it is where the catalog is.
 *
 * Fails: with a {@link CommandFailure} that names its file.
 */
export const openJournal = async (deployment: Deployment): Promise<BlobJournal> => {
  const { createMemoryBlobJournal, createSqliteBlobJournal } = await import("../../s3.ts")
  if (deployment.database !== null) return withPool(deployment.database, async () => createMemoryBlobJournal())
  const file = deployment.folder.journal
  try {
    return createSqliteBlobJournal({ file })
  } catch (error) {
    throw new CommandFailure(
      `How far unfinished files are cannot be read: ${describeSystemError(error)}. Use the version of sluice that wrote ${file}, or move that file away: uploads that are under way then begin anew.`,
    )
  }
}
