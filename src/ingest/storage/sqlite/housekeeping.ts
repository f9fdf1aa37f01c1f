import type { CatalogHousekeeping } from "../catalog/housekeeping.ts"
import type { FileRecord } from "../catalog/records.ts"
import { toReclaimable } from "../sql/rows.ts"
import { expiryFailure } from "../upload-rules.ts"
import { all, one, type Statements } from "./statements.ts"
import type { Steps } from "./steps.ts"
import type { Transactions } from "./transactions.ts"

/** Ends and deletes what is no longer needed in the SQLite catalog. */
export const createHousekeeping = (
  sql: Statements,
  { read, write }: Transactions,
  {
    failUpload,
    deleteFile,
    dropReplaced,
    compact,
  }: Pick<Steps, "failUpload" | "deleteFile" | "dropReplaced"> & Pick<CatalogHousekeeping, "compact">,
): CatalogHousekeeping => ({
  expire: async ({ expiredBefore, unregisteredBefore, abandonedBefore, limit, now, createEventId }) =>
    write(() => {
      const expired = all(sql.expired, expiredBefore, limit) as unknown as ReadonlyArray<
        Pick<FileRecord, "key" | "epoch">
      >
      for (const file of expired) failUpload(file, expiryFailure, { eventId: createEventId(), now, isFenced: true })
      const { changes } = sql.dropUnregistered.run(now, unregisteredBefore, limit)
      const abandoned = all(sql.abandoned, abandonedBefore, limit)
      for (const id of new Set(abandoned.map((row) => row.id!))) sql.dropRegistration.run(id)
      return expired.length + Number(changes) + abandoned.length
    }),
  prune: async ({ before, limit }) =>
    write(() => {
      const failed = all(sql.failedHistory, before, limit)
      for (const { id, registrationId } of failed) deleteFile(id as number, registrationId)
      const { changes } = sql.pruneAttempts.run(before, limit)
      return failed.length + Number(changes)
    }),
  compact,
  listReclaimable: (limit, after = 0) => read(() => all(sql.reclaimable, after, limit).map(toReclaimable)),
  reclaimed: async ({ id, key }) =>
    write(() => {
      sql.keepFailed.run(id)
      dropReplaced(id)
      const row = one(sql.deleting, id, key)
      if (row === undefined) return
      deleteFile(id, row.registrationId)
    }),
})
