import type { CatalogHousekeeping } from "../catalog/housekeeping.ts"
import type { FileRecord, RegistrationRecord } from "../catalog/records.ts"
import { expiryFailure } from "../upload-rules.ts"
import type { Tables } from "./rows.ts"
import type { Steps } from "./steps.ts"

/**
 * A deletion has an epoch, too, which no writer was given; where nobody registered the file, or its app is gone, it has none, as a
 * rule.
 */
const findLastEpoch = ({ appId, slug, status, epoch }: FileRecord, registration: RegistrationRecord | null): number =>
  status !== "Deleting" || appId === "" || (slug !== null && registration === null) ? epoch : epoch - 1

/** Ends and deletes what is no longer needed, in memory; each method walks all files. */
export const createMemoryHousekeeping = (
  { rows, allRows, contents, expected, attempts }: Tables,
  { schedule, dropReplaced, dropEvent }: Pick<Steps, "schedule" | "dropReplaced" | "dropEvent">,
): CatalogHousekeeping => ({
  expire: async ({ expiredBefore, unregisteredBefore, abandonedBefore, limit, now, createEventId }) => {
    const current = [...rows.values()]
    const expired = current
      .filter(({ file }) => file.status === "Uploading" && file.expires < expiredBefore)
      .sort((a, b) => a.file.expires - b.file.expires || a.file.id - b.file.id)
      .slice(0, limit)
    for (const row of expired) {
      const { file } = row
      row.file = { ...file, status: "Failed", epoch: file.epoch + 1, failure: expiryFailure, endedAt: now }
      schedule(row, createEventId(), now, 0)
    }
    const unregistered = current
      .filter(({ file, registration }) => file.status === "Uploaded" && file.slug !== null && registration === null)
      .filter(({ file }) => file.uploadedAt! < unregisteredBefore)
      .sort((a, b) => a.file.uploadedAt! - b.file.uploadedAt! || a.file.id - b.file.id)
      .slice(0, limit)
    for (const row of unregistered) row.file = { ...row.file, status: "Deleting", endedAt: now }
    const isUnderWay = ({ key, registrationId }: Pick<FileRecord, "key" | "registrationId">): boolean => {
      const file = rows.get(key)?.file
      return file?.status === "Uploading" && file.registrationId === registrationId
    }
    const abandoned = expected
      .all()
      .filter((upload) => upload.expires < abandonedBefore && !isUnderWay(upload))
      .sort((a, b) => a.expires - b.expires)
      .slice(0, limit)
    for (const upload of abandoned) expected.remove(upload)
    return expired.length + unregistered.length + abandoned.length
  },
  prune: async ({ before, limit }) => {
    const failed = [...allRows]
      .filter(
        ({ file, hasBytes, delivery }) =>
          file.status === "Failed" &&
          !hasBytes &&
          file.expires < before &&
          (delivery?.status !== "pending" || delivery.registration.isDev),
      )
      .slice(0, limit)
    for (const row of failed) {
      dropEvent(row)
      allRows.delete(row)
      if (rows.get(row.file.key) === row) rows.delete(row.file.key)
    }
    const old = attempts.filter(({ startedAt }) => startedAt < before).slice(0, limit)
    for (const attempt of old) attempts.splice(attempts.indexOf(attempt), 1)
    return failed.length + old.length
  },
  listReclaimable: async (limit, after = 0) =>
    [...allRows]
      .filter(({ file, hasBytes }) => file.status === "Deleting" || (file.status === "Failed" && hasBytes))
      .filter(({ file }) => file.id > after)
      .sort((a, b) => a.file.id - b.file.id)
      .slice(0, limit)
      .map(({ file, registration }) => ({ id: file.id, key: file.key, lastEpoch: findLastEpoch(file, registration) })),
  reclaimed: async ({ id, key }) => {
    const row = [...allRows].find(({ file }) => file.id === id)
    if (row === undefined) return
    if (row.file.status === "Deleting") {
      contents.delete(id)
      if (rows.get(key) === row) rows.delete(key)
      allRows.delete(row)
    } else if (row.file.status === "Failed") {
      row.hasBytes = false
      if (rows.get(key) !== row) dropReplaced(row)
    }
  },
  compact: async () => false,
})
