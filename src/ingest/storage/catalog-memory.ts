import type {
  AttemptRecord,
  Begun,
  Catalog,
  CommitNotes,
  DeliveryRecord,
  DeliveryStatus,
  DueDelivery,
  FileRecord,
  RegistrationRecord,
  ResultRecord,
  UploadRecord,
  Usage,
} from "./catalog.ts"
import { createMemoryApps } from "./catalog-memory-apps.ts"
import { createMemoryFiles } from "./catalog-memory-files.ts"
import { createMemoryHistory } from "./catalog-memory-history.ts"
import { describeFile } from "./describe-file.ts"
import { fitsQuota } from "./quota.ts"
import { expiryFailure, isSameUpload, replacedFailure } from "./same-upload.ts"

interface Row {
  file: FileRecord
  delivery: (DeliveryRecord & { readonly redeliveredAfter: number; readonly registration: Registered }) | null
  result: ResultRecord | null
  resultAt: number | null
  hasBytes: boolean
}

interface Registered extends RegistrationRecord {
  readonly appId: string
  readonly registeredAt: number
}

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
} => {
  /** The current file of each key. */
  const rows = new Map<string, Row>()
  /** Those, and failed files whose key was taken by a new upload. */
  const allRows = new Set<Row>()
  const registrations = new Map<string, Registered>()
  const attempts: Array<AttemptRecord> = []
  let lastFile = 0
  let lastRegistration = 0

  const toUpload = (row: Row): UploadRecord => ({
    file: row.file,
    registration: row.delivery?.registration ?? registrations.get(row.file.key) ?? null,
    delivery: row.delivery,
    result: row.result,
    resultAt: row.resultAt,
  })

  /** The delivery row of a file that has ended, when its app has registered and it has none yet. */
  const schedule = (row: Row, id: string, nextAt: number, attempts: number): void => {
    const registration = registrations.get(row.file.key)
    if (row.delivery !== null || registration === undefined) return
    const hook = row.file.status === "Failed" ? "error" : "callback"
    row.delivery = { id, hook, status: "pending", attempts, failures: 0, nextAt, redeliveredAfter: 0, registration }
  }

  const complete = (row: Row, { now, eventId, claimedUntil }: CommitNotes) => {
    const isClaimed = claimedUntil !== null && registrations.get(row.file.key)?.isDev !== true
    schedule(row, eventId, isClaimed ? claimedUntil : now, isClaimed ? 1 : 0)
    const due = row.delivery === null || !isClaimed ? null : toDue(row)
    return { kind: "committed", upload: toUpload(row), due } as const
  }

  const isCurrent = ({ key, id }: FileRecord): boolean => rows.get(key)?.file.id === id

  const toDue = (row: Row): DueDelivery => ({
    id: row.delivery!.id,
    hook: row.delivery!.hook,
    attempt: row.delivery!.attempts,
    retry: row.delivery!.attempts - row.delivery!.redeliveredAfter - 1,
    file: row.file,
    registration: row.delivery!.registration,
  })

  const contents = new Map<number, Uint8Array>()

  const insert = (key: string, grant: Omit<FileRecord, "id">, now: number): number => {
    const id = ++lastFile
    const old = rows.get(key)
    if (old !== undefined) {
      old.file = {
        ...old.file,
        status: "Failed",
        failure: old.file.failure ?? replacedFailure,
        endedAt: old.file.endedAt ?? now,
      }
      if (old.delivery?.status === "pending" && old.delivery.registration.isDev) {
        old.delivery = { ...old.delivery, status: "dead" }
      }
    }
    const row: Row = { file: { ...grant, id }, delivery: null, result: null, resultAt: null, hasBytes: true }
    rows.set(key, row)
    allRows.add(row)
    return id
  }

  const findUsage = (appId: string): Usage => {
    let [files, storedBytes, announcedBytes] = [0, 0, 0]
    for (const { file } of rows.values()) {
      if (file.appId !== appId) continue
      if (file.status === "Uploaded") {
        files++
        storedBytes += file.size
      } else if (file.status === "Uploading") announcedBytes += file.size
    }
    return { files, storedBytes, announcedBytes }
  }

  return {
    abilities: { isDurable: false, isShared: false, largestContent },
    attempts,
    begin: async ({ grant, origin, now, quota }) => {
      const row = rows.get(grant.key)
      const epoch = (row?.file.epoch ?? 0) + 1
      const { key, appId, size, expires } = grant
      const fresh = describeFile(grant, origin, epoch, now)
      const start = (): Begun => {
        const usage = findUsage(appId)
        return fitsQuota(usage, size, quota, row?.file)
          ? { kind: "granted", epoch, isNew: true, id: insert(key, fresh, now) }
          : { kind: "overQuota", usage }
      }
      if (row === undefined) return start()
      const { file } = row
      const isSame = isSameUpload(file, grant)
      const isOurs = file.appId === appId
      if (!isOurs || file.status === "Deleting" || (file.status === "Uploaded" && !isSame)) return { kind: "taken" }
      if (file.status === "Uploaded") return { kind: "finished", upload: toUpload(row) }
      if (file.status === "Failed" && isSame && file.expires === expires) {
        return { kind: "failed", failure: file.failure! }
      }
      if (file.status === "Failed" || !isSame) return start()
      row.file = { ...file, epoch, expires, resumedAt: now }
      return { kind: "granted", epoch, isNew: false, id: file.id }
    },
    interrupt: async (key) => {
      const row = rows.get(key)
      if (row?.file.status !== "Uploading") return null
      row.file = { ...row.file, epoch: row.file.epoch + 1 }
      return row.file.epoch
    },
    commit: async ({ key, epoch, fileHash, ...notes }) => {
      const row = rows.get(key)
      if (row?.file.status !== "Uploading" || row.file.epoch !== epoch) return { kind: "fenced" }
      row.file = { ...row.file, status: "Uploaded", fileHash, uploadedAt: notes.now }
      return complete(row, notes)
    },
    commitWhole: async ({ grant, origin, bytes, fileHash, quota, ...notes }) => {
      if (rows.has(grant.key) || !fitsQuota(findUsage(grant.appId), grant.size, quota)) return { kind: "refused" }
      const { now } = notes
      const fresh = describeFile(grant, origin, 1, now)
      const id = insert(grant.key, { ...fresh, status: "Uploaded", fileHash, uploadedAt: now, isInline: true }, now)
      contents.set(id, bytes.slice())
      return complete(rows.get(grant.key)!, notes)
    },
    readContent: async (id) => contents.get(id) ?? null,
    fail: async ({ key, epoch, failure, now, eventId }) => {
      const row = rows.get(key)
      if (row?.file.status !== "Uploading" || row.file.epoch !== epoch) return false
      row.file = { ...row.file, status: "Failed", failure, endedAt: now }
      schedule(row, eventId, now, 0)
      return true
    },
    register: async ({ fileKeys, now, createEventId, ...rest }) => {
      const registration = { ...rest, id: ++lastRegistration, registeredAt: now }
      for (const key of fileKeys) {
        registrations.set(key, registration)
        const row = rows.get(key)
        if (row?.file.status === "Uploaded" || row?.file.status === "Failed") schedule(row, createEventId(), now, 0)
      }
    },
    recordResult: async ({ appId, key, result, now }) => {
      const row = rows.get(key)
      if (row === undefined || row.file.appId !== appId) return false
      if (row.file.status === "Uploaded" && (row.result === null || "error" in row.result)) {
        row.result = result
        row.resultAt = now
      }
      if (row.delivery?.status === "pending" && row.delivery.registration.isDev) {
        row.delivery = { ...row.delivery, status: "delivered" }
      }
      return true
    },
    claimDue: async ({ channel, now, claimedUntil, limit, except }) => {
      const isOfChannel = (registration: Registered): boolean => {
        if (channel === "callback") return !registration.isDev
        return (
          registration.isDev &&
          registration.appId === channel.appId &&
          registration.callbackSlug === channel.callbackSlug
        )
      }
      return [...allRows]
        .filter(
          (row) =>
            row.delivery?.status === "pending" &&
            row.delivery.nextAt <= now &&
            except?.has(row.delivery.id) !== true &&
            isOfChannel(row.delivery.registration),
        )
        .sort((a, b) => a.delivery!.nextAt - b.delivery!.nextAt || a.file.id - b.file.id)
        .slice(0, limit)
        .map((row) => {
          row.delivery = { ...row.delivery!, attempts: row.delivery!.attempts + 1, nextAt: claimedUntil }
          return toDue(row)
        })
    },
    recordAttempt: async (attempt) => {
      attempts.push(attempt)
      const row = [...allRows].find(({ delivery }) => delivery?.id === attempt.deliveryId)
      const delivery = row?.delivery
      if (row === undefined || delivery?.status !== "pending" || delivery.attempts !== attempt.attempt) return
      const { outcome } = attempt
      row.delivery =
        outcome === "delivered"
          ? { ...delivery, status: outcome }
          : outcome === "dead"
            ? { ...delivery, status: outcome, failures: delivery.failures + 1 }
            : { ...delivery, failures: delivery.failures + 1, nextAt: outcome.retryAt }
    },
    redeliver: async ({ id, now }) => {
      const row = [...allRows].find(({ delivery }) => delivery?.id === id)
      if (row === undefined || row.delivery === null) return false
      const { status, attempts, failures, registration } = row.delivery
      const isUnderWay = status === "pending" && attempts !== failures
      if (isUnderWay || (registration.isDev && !isCurrent(row.file))) return false
      row.delivery = {
        ...row.delivery,
        status: "pending",
        failures: attempts,
        redeliveredAfter: attempts,
        nextAt: now,
      }
      return true
    },
    nextDueAt: async () => {
      let next: number | null = null
      for (const { delivery } of allRows) {
        if (delivery?.status !== "pending" || delivery.registration.isDev) continue
        next = Math.min(next ?? delivery.nextAt, delivery.nextAt)
      }
      return next
    },
    countDeliveries: async (limit) => {
      const count = (status: DeliveryStatus) =>
        Math.min([...allRows].filter(({ delivery }) => delivery?.status === status).length, limit)
      return { pending: count("pending"), dead: count("dead") }
    },
    releaseClaims: async (now) => {
      for (const row of allRows) {
        const delivery = row.delivery
        if (delivery?.status === "pending" && delivery.attempts > delivery.failures) {
          row.delivery = { ...delivery, failures: delivery.attempts, nextAt: now }
        }
      }
    },
    get: async (key) => {
      const row = rows.get(key)
      return row === undefined ? null : toUpload(row)
    },
    findByCustomId: async (appId, customId) => {
      const files = [...rows.values()]
        .map(({ file }) => file)
        .filter((file) => file.status === "Uploaded" && file.appId === appId && file.customId === customId)
      return files.sort((a, b) => b.id - a.id)[0] ?? null
    },
    expire: async ({ expiredBefore, unregisteredBefore, abandonedBefore, limit, now, createEventId }) => {
      let [expired, unregistered, abandoned] = [0, 0, 0]
      for (const row of rows.values()) {
        const { file } = row
        if (file.status === "Uploading" && file.expires < expiredBefore && expired < limit) {
          expired++
          row.file = { ...file, status: "Failed", epoch: file.epoch + 1, failure: expiryFailure, endedAt: now }
          schedule(row, createEventId(), now, 0)
        }
        const isUnregistered = file.slug !== null && !registrations.has(file.key)
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
      for (const [key, { registeredAt }] of registrations) {
        if (registeredAt < abandonedBefore && rows.get(key)?.file.status !== "Uploading" && abandoned < limit) {
          abandoned++
          registrations.delete(key)
        }
      }
      return expired + unregistered + abandoned
    },
    usage: async (appId) => findUsage(appId),
    prune: async ({ before, limit }) => {
      const failed = [...allRows]
        .filter(
          ({ file, hasBytes, delivery }) =>
            file.status === "Failed" && !hasBytes && file.expires < before && delivery?.status !== "pending",
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
    listReclaimable: async (limit) =>
      [...allRows]
        .filter(({ file, hasBytes }) => file.status === "Deleting" || (file.status === "Failed" && hasBytes))
        .slice(0, limit)
        .map(({ file: { id, key } }) => ({ id, key })),
    reclaimed: async ({ id, key }) => {
      const row = [...allRows].find(({ file }) => file.id === id)
      if (row === undefined) return
      if (row.file.status === "Deleting") {
        contents.delete(id)
        rows.delete(key)
        allRows.delete(row)
      } else if (row.file.status === "Failed") row.hasBytes = false
    },
    ...createMemoryFiles({
      find: (key) => rows.get(key)?.file,
      files: () => [...rows.values()].map(({ file }) => file),
      replace: (file) => {
        rows.get(file.key)!.file = file
      },
      forgetEvent: ({ key }) => {
        rows.get(key)!.delivery = null
        registrations.delete(key)
      },
    }),
    ...createMemoryHistory({ uploads: () => [...allRows].map(toUpload), isCurrent, attempts }),
    ...createMemoryApps((appId) =>
      [...rows.values()].some(({ file }) => file.appId === appId && file.status !== "Failed"),
    ),
    close: async () => {},
  }
}
