import type { AttemptRecord, FileRecord, UploadRecord } from "./catalog.ts"
import type { CatalogHistory, UploadWithDelivery } from "./catalog-history.ts"

/** The reads of operators over what is in memory; each walks all files. */
export const createMemoryHistory = (memory: {
  /** Every file, also those whose key was taken since. */
  readonly uploads: () => Iterable<UploadRecord>
  readonly isCurrent: (file: FileRecord) => boolean
  readonly attempts: ReadonlyArray<AttemptRecord>
}): CatalogHistory => {
  const newestFirst = <A extends UploadRecord>(uploads: Iterable<A>, before = Infinity): ReadonlyArray<A> =>
    [...uploads].filter(({ file }) => file.id < before).sort((a, b) => b.file.id - a.file.id)
  const deliveries = (): ReadonlyArray<UploadWithDelivery> =>
    [...memory.uploads()].flatMap(({ delivery, ...upload }) => (delivery === null ? [] : [{ ...upload, delivery }]))

  return {
    list: async ({ appId, status, before, limit, offset = 0 }) =>
      newestFirst(memory.uploads(), before)
        .map(({ file }) => file)
        .filter(
          (file) =>
            memory.isCurrent(file) &&
            (appId === undefined || file.appId === appId) &&
            (status === undefined || file.status === status),
        )
        .slice(offset, offset + limit),
    listDeliveries: async ({ status, before, limit }) =>
      newestFirst(deliveries(), before)
        .filter(({ delivery }) => status === undefined || delivery.status === status)
        .slice(0, limit),
    findDelivery: async (id) => deliveries().find(({ delivery }) => delivery.id === id) ?? null,
    listAttempts: async (deliveryId) =>
      memory.attempts
        .filter((record) => record.deliveryId === deliveryId)
        .map(({ deliveryId: _deliveryId, outcome: _outcome, ...attempt }) => attempt)
        .sort((a, b) => a.attempt - b.attempt),
  }
}
