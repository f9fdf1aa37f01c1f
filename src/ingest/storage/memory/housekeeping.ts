import type { CatalogHousekeeping } from "../catalog-housekeeping.ts"
import { expiryFailure } from "../same-upload.ts"
import type { Tables } from "./rows.ts"
import type { Steps } from "./steps.ts"

/** Ends and forgets what nobody waits for in memory; each method walks all files. */
export const createMemoryHousekeeping = (
  { rows, allRows, contents, expected, attempts }: Tables,
  { schedule, dropReplaced }: Pick<Steps, "schedule" | "dropReplaced">,
): CatalogHousekeeping => ({
  expire: async ({ expiredBefore, unregisteredBefore, abandonedBefore, limit, now, createEventId }) => {
    let [expired, unregistered, abandoned] = [0, 0, 0]
    for (const row of rows.values()) {
      const { file } = row
      if (file.status === "Uploading" && file.expires < expiredBefore && expired < limit) {
        expired++
        row.file = { ...file, status: "Failed", epoch: file.epoch + 1, failure: expiryFailure, endedAt: now }
        schedule(row, createEventId(), now, 0)
      }
      const isUnregistered = file.slug !== null && row.registration === null
      if (
        file.status === "Uploaded" &&
        isUnregistered &&
        file.uploadedAt! < unregisteredBefore &&
        unregistered < limit
      ) {
        unregistered++
        row.file = { ...file, status: "Deleting", endedAt: now }
      }
    }
    for (const upload of expected.all()) {
      const file = rows.get(upload.key)?.file
      const isUnderWay = file?.status === "Uploading" && file.registrationId === upload.registrationId
      if (upload.expires < abandonedBefore && !isUnderWay && abandoned < limit) {
        abandoned++
        expected.remove(upload)
      }
    }
    return expired + unregistered + abandoned
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
      .map(({ file: { id, key } }) => ({ id, key })),
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
