import type { AttemptRecord, Catalog } from "../catalog/catalog.ts"
import { createMemoryApps } from "./apps.ts"
import { createDeleteFile } from "./delete-file.ts"
import { createMemoryDeletions } from "./deletions.ts"
import { createMemoryDeliveries } from "./deliveries.ts"
import { createMemoryEndpoints } from "./endpoints.ts"
import { createMemoryFiles } from "./files.ts"
import { createMemoryHolds } from "./holds.ts"
import { createMemoryHistory } from "./history.ts"
import { createMemoryHousekeeping } from "./housekeeping.ts"
import { createMemoryRegistrations } from "./registrations.ts"
import { createTables } from "./rows.ts"
import { createSteps } from "./steps.ts"
import { createMemoryTombstones } from "./tombstones.ts"
import { createMemoryUploads } from "./uploads.ts"
import { findOwnerUsage, findUsage } from "./usage.ts"

/**
 * Keeps the catalog in memory, for tests and demonstrations.
 *
 * *Configuration*: `largestContent`, bytes of the largest file kept here and not in the blob store. *What is stored where*:
 * maps, gone with the process. *Considerations*: not durable; claiming and expiring walk all files, and so does the usage
 * of an app.
 */
export const createMemoryCatalog = ({
  largestContent = 64 * 1024,
}: { readonly largestContent?: number } = {}): Catalog & {
  /** All attempts recorded so far, oldest first. */
  readonly attempts: ReadonlyArray<AttemptRecord>
  /** How many entries of each kind are kept; deleted ones do not count. */
  readonly countEntries: () => Readonly<Record<"files" | "contents" | "expected" | "tombstones" | "attempts", number>>
} => {
  const tables = createTables()
  const { allRows, contents, expected, graves, attempts } = tables
  const steps = createSteps(tables)
  const { findRefusal, bury, ...tombstones } = createMemoryTombstones(tables)

  const deleteFile = createDeleteFile(tables, { ...steps, bury })

  return {
    abilities: { isDurable: false, isShared: false, largestContent },
    attempts,
    countEntries: () => ({
      files: allRows.size,
      contents: contents.size,
      expected: expected.all().length,
      tombstones: graves.size,
      attempts: attempts.length,
    }),
    usage: async (appId) => findUsage(tables, appId),
    usageOfOwner: async (appId, owner) => findOwnerUsage(tables, appId, owner),
    ...createMemoryUploads(tables, { ...steps, findRefusal }),
    ...createMemoryRegistrations(tables, steps),
    ...createMemoryDeliveries(tables, steps),
    ...createMemoryFiles(tables, { ...steps, bury, deleteFile }),
    ...createMemoryDeletions(tables, { ...steps, deleteFile }),
    ...createMemoryHolds(tables, steps),
    ...tombstones,
    ...createMemoryApps(tables, steps),
    ...createMemoryEndpoints(tables),
    ...createMemoryHousekeeping(tables, steps),
    ...createMemoryHistory(tables, steps),
    probe: async () => {},
    close: async () => {},
  }
}
