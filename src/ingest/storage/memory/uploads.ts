import type { FileRecord } from "../catalog-records.ts"
import type { Begun, CatalogUploads, CommitNotes } from "../catalog-uploads.ts"
import { describeFile } from "../describe-file.ts"
import { fitsQuota } from "../quota.ts"
import { isFailureOf, relateGrant, replacedFailure } from "../same-upload.ts"
import type { TombstoneSteps } from "../tombstone.ts"
import { type Row, type Tables, toDue } from "./rows.ts"
import type { Steps } from "./steps.ts"
import { findUsage } from "./usage.ts"

/** The uploads in memory, from the first byte to the result of the app's callback. */
export const createMemoryUploads = (
  tables: Tables,
  {
    toUpload,
    schedule,
    dropDevEvent,
    dropReplaced,
    isGone,
    endAttempt,
    findRefusal,
  }: Pick<Steps, "toUpload" | "schedule" | "dropDevEvent" | "dropReplaced" | "isGone" | "endAttempt"> &
    Pick<TombstoneSteps, "findRefusal">,
): CatalogUploads => {
  const { rows, allRows, contents, expected } = tables
  let lastFile = 0

  const insert = (key: string, grant: Omit<FileRecord, "id">, now: number, eventId?: string): number => {
    const id = ++lastFile
    const old = rows.get(key)
    if (old !== undefined && old.file.status !== "Deleting") {
      const isGivenUp = old.file.status === "Uploading" && old.file.registrationId !== grant.registrationId
      old.file = {
        ...old.file,
        status: "Failed",
        failure: old.file.failure ?? replacedFailure,
        endedAt: old.file.endedAt ?? now,
      }
      if (isGivenUp && eventId !== undefined) schedule(old, eventId, now, 0)
      dropDevEvent(old)
      dropReplaced(old)
    }
    const nothing = { registration: null, delivery: null, result: null, resultAt: null }
    const row: Row = { file: { ...grant, id }, ...nothing, hasBytes: true, urlsEnd: 0 }
    rows.set(key, row)
    allRows.add(row)
    return id
  }

  const complete = (row: Row, { now, eventId, claimedUntil }: CommitNotes) => {
    const isClaimed = claimedUntil !== null && expected.find(row.file)?.registration.isDev !== true
    schedule(row, eventId, isClaimed ? claimedUntil : now, isClaimed ? 1 : 0)
    const due = row.delivery === null || !isClaimed ? null : toDue(row)
    return { kind: "committed", upload: toUpload(row), due } as const
  }

  return {
    begin: async ({ grant, origin, now, quota, eventId, appSince }) => {
      if (isGone(grant.appId, appSince)) return { kind: "unknownApp" }
      const row = rows.get(grant.key)
      const epoch = (row?.file.epoch ?? 0) + 1
      const { key, appId, size, expires } = grant
      const refusal = findRefusal(grant, now)
      if (refusal !== undefined) return { kind: refusal }
      const fresh = describeFile(grant, origin, epoch, now)
      const start = (): Begun => {
        const usage = findUsage(tables, appId)
        return fitsQuota(usage, size, quota, row?.file)
          ? { kind: "granted", epoch, isNew: true, id: insert(key, fresh, now, eventId) }
          : { kind: "overQuota", usage }
      }
      if (row === undefined) return start()
      const { file } = row
      const relation = relateGrant(file, grant)
      if (relation === "refused") return { kind: "taken" }
      if (file.status === "Uploaded") {
        row.urlsEnd = Math.max(row.urlsEnd, expires)
        return { kind: "finished", upload: toUpload(row) }
      }
      const isSame = relation === "same"
      if (file.status === "Failed" && isSame && isFailureOf(file, grant)) {
        return { kind: "failed", failure: file.failure! }
      }
      if (file.status === "Failed" || !isSame) return start()
      const { customId, contentDisposition, acl } = fresh
      const signed = expires < file.expires ? undefined : { expires, customId, contentDisposition, acl }
      row.file = { ...file, epoch, resumedAt: now, ...signed }
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
    commitWhole: async ({ grant, origin, bytes, fileHash, quota, appSince, ...notes }) => {
      if (isGone(grant.appId, appSince)) return { kind: "refused" }
      const isOpen = !rows.has(grant.key) && findRefusal(grant, notes.now) === undefined
      if (!isOpen || !fitsQuota(findUsage(tables, grant.appId), grant.size, quota)) return { kind: "refused" }
      const { now } = notes
      const fresh = describeFile(grant, origin, 1, now)
      const file = { ...fresh, status: "Uploaded", fileHash, uploadedAt: now, isInline: true } as const
      const id = insert(grant.key, file, now)
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
    recordResult: async ({ appId, key, eventId, attempt, result, now, judge = () => ({ retryAt: now }) }) => {
      const isOf = ({ file }: Row) => file.key === key && file.appId === appId
      const current = rows.get(key)
      const row =
        eventId === undefined ? current : [...allRows].find((each) => each.delivery?.id === eventId && isOf(each))
      if (row === undefined) return current !== undefined && isOf(current) && current.file.status === "Deleting"
      if (!isOf(row)) return false
      const { delivery } = row
      if (delivery?.status === "pending" && delivery.registration.isDev) {
        if ("data" in result) row.delivery = { ...delivery, status: "delivered" }
        else {
          const { attempts: newest, failures, redeliveredAfter, nextAt: startedAt } = delivery
          if (newest === failures || newest !== (attempt ?? newest)) return true
          const facts = { attempt: newest, startedAt, latency: now - startedAt, status: null, answer: null }
          const outcome = judge(newest - redeliveredAfter - 1)
          endAttempt({ ...facts, deliveryId: delivery.id, error: result.error, outcome })
        }
      }
      if (row.file.status === "Uploaded" && (row.result === null || "error" in row.result)) {
        row.result = result
        row.resultAt = now
      }
      return true
    },
    get: async (key) => {
      const row = rows.get(key)
      return row === undefined ? null : toUpload(row)
    },
    findByCustomId: async (appId, customId, among = "readable") => {
      const files = [...rows.values()]
        .map(({ file }) => file)
        .filter(
          ({ key, status, slug, ...file }) =>
            status === "Uploaded" &&
            file.appId === appId &&
            file.customId === customId &&
            (among === "all" || slug === null || toUpload(rows.get(key)!).registration !== null),
        )
      return files.sort((a, b) => b.id - a.id)[0] ?? null
    },
  }
}
