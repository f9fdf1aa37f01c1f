import type { CatalogHistory } from "../catalog/history.ts"
import { toFileStatus } from "../file-status.ts"
import { comparePaths } from "../path-order.ts"
import type { UploadRecord, UploadWithDelivery } from "../catalog/records.ts"
import type { Tables } from "./rows.ts"
import type { Steps } from "./steps.ts"

/** Listings for operators, in memory; each walks all files. */
export const createMemoryHistory = (
  { allRows, attempts }: Tables,
  { toUpload, isCurrent }: Pick<Steps, "toUpload" | "isCurrent">,
): CatalogHistory => {
  /** All files, including those whose key was taken over since. */
  const uploads = (): ReadonlyArray<UploadRecord> => [...allRows].map(toUpload)
  const newestFirst = <A extends UploadRecord>(found: Iterable<A>, before = Infinity): ReadonlyArray<A> =>
    [...found].filter(({ file }) => file.id < before).sort((a, b) => b.file.id - a.file.id)
  const deliveries = (): ReadonlyArray<UploadWithDelivery> =>
    uploads().flatMap(({ delivery, ...upload }) => (delivery === null ? [] : [{ ...upload, delivery }]))

  return {
    list: async ({ appId, status, owner, before, limit, offset = 0 }) =>
      newestFirst(uploads(), before)
        .map(({ file }) => file)
        .filter(
          (file) =>
            isCurrent(file) &&
            (appId === undefined || file.appId === appId) &&
            (owner === undefined || file.owner === owner) &&
            (status === undefined || toFileStatus(file) === status),
        )
        .slice(offset, offset + limit),
    listByPath: async ({ appId, prefix, owner, status, after, limit }) =>
      uploads()
        .flatMap(({ file }) => (file.path === null ? [] : [{ ...file, path: file.path }]))
        .filter(
          (file) =>
            isCurrent(file) &&
            file.appId === appId &&
            file.path.startsWith(prefix) &&
            (owner === undefined || file.owner === owner) &&
            (status === undefined || toFileStatus(file) === status),
        )
        .sort((a, b) => comparePaths(a.path, b.path) || a.id - b.id)
        .filter(({ path, id }) => after === undefined || (comparePaths(path, after.path) || id - after.id) > 0)
        .slice(0, limit),
    listDeliveries: async ({ status, before, limit }) =>
      newestFirst(deliveries(), before)
        .filter(({ delivery }) => status === undefined || delivery.status === status)
        .slice(0, limit),
    findDelivery: async (id) => deliveries().find(({ delivery }) => delivery.id === id) ?? null,
    listAttempts: async (deliveryId) =>
      attempts
        .filter((record) => record.deliveryId === deliveryId)
        .map(({ deliveryId: _deliveryId, outcome: _outcome, ...attempt }) => attempt)
        .sort((a, b) => a.attempt - b.attempt),
  }
}
