import type { FileLabels } from "../../../protocol/files/file-labels.ts"
import { limits } from "../../../protocol/limits.ts"
import type { UploadGrant } from "../../../protocol/signing/signed-url.ts"
import type { FileRecord } from "../catalog/records.ts"
import type { Begun, CatalogUploads, CommitNotes } from "../catalog/uploads.ts"
import { fitsOwnerQuota, fitsQuota } from "../quota.ts"
import { isReadable } from "../readable.ts"
import type { TombstoneSteps } from "../tombstone.ts"
import {
  decideBegin,
  decideDeadlines,
  describeFile,
  endByError,
  isNewUpload,
  isOverdue,
  type Replacement,
} from "../upload-rules.ts"
import { createRow, type Row, type Tables, toDue } from "./rows.ts"
import type { Steps } from "./steps.ts"
import { findOwnerUsage, findUsage } from "./usage.ts"

/** The uploads in memory, from the first byte to the result of the app's callback. */
export const createMemoryUploads = (
  tables: Tables,
  {
    toUpload,
    attach,
    schedule,
    dropDevEvent,
    dropReplaced,
    isGone,
    endAttempt,
    keepResult,
    announce,
    noteChange,
    findRefusal,
  }: Pick<
    Steps,
    | "toUpload"
    | "attach"
    | "schedule"
    | "dropDevEvent"
    | "dropReplaced"
    | "isGone"
    | "endAttempt"
    | "keepResult"
    | "announce"
    | "noteChange"
  > &
    Pick<TombstoneSteps, "findRefusal">,
): CatalogUploads => {
  const { rows, allRows, contents, expected, deletions } = tables
  let lastFile = 0

  const insert = (file: Omit<FileRecord, "id">): Row => {
    const row = createRow({ ...file, id: ++lastFile }, noteChange)
    noteChange(row, undefined)
    rows.set(file.key, row)
    allRows.add(row)
    return row
  }

  /** Another upload takes over the key of this one: its app is told, and nothing is left that waits for it. */
  const replace = (row: Row, { failure, endedAt, eventId }: Replacement, now: number): void => {
    row.file = { ...row.file, status: "Failed", failure, endedAt }
    if (eventId !== undefined) schedule(row, eventId, now, 0)
    dropDevEvent(row)
    dropReplaced(row)
  }

  const complete = (row: Row, { now, eventId, claimedUntil }: CommitNotes) => {
    if (row.file.hold) {
      attach(row)
      return { kind: "committed", upload: toUpload(row), due: null } as const
    }
    const isClaimed = claimedUntil !== null && expected.find(row.file)?.registration.isDev !== true
    schedule(row, eventId, isClaimed ? claimedUntil : now, isClaimed ? 1 : 0)
    const due = row.delivery === null || !isClaimed ? null : toDue(row)
    return { kind: "committed", upload: toUpload(row), due } as const
  }

  /** Whether there is room for a new file, whose key nobody has. */
  const hasRoom = ({ appId, size }: UploadGrant, quota: number | undefined, labels: FileLabels): boolean =>
    fitsQuota(findUsage(tables, appId), size, quota, labels) &&
    (labels.owner === undefined || fitsOwnerQuota(findOwnerUsage(tables, appId, labels.owner), size, labels))

  /** Whether its owner was deleted since the URL of the grant was issued. */
  const isOfDeletedOwner = ({ appId, issuedAt = 0 }: UploadGrant, { owner }: FileLabels, now: number): boolean =>
    owner !== undefined &&
    [...deletions.values()].some(
      (each) =>
        each.appId === appId &&
        each.owner === owner &&
        each.prefix === null &&
        each.askedAt >= issuedAt &&
        each.askedAt > now - limits.uploadLifetime,
    )

  const decide = (begin: Parameters<CatalogUploads["begin"]>[0]): Begun => {
    const { grant, labels, origin, now, appSince } = begin
    if (isGone(grant.appId, appSince)) return { kind: "unknownApp" }
    const refusal = findRefusal(grant, now)
    if (refusal !== undefined) return { kind: refusal }
    const row = rows.get(grant.key)
    const verdict = decideBegin(
      begin,
      row?.file,
      () => findUsage(tables, grant.appId),
      (owner) => findOwnerUsage(tables, grant.appId, owner),
    )
    if (isNewUpload(verdict) && isOfDeletedOwner(grant, labels ?? {}, now)) return { kind: "deleted" }
    if (verdict.kind === "finished") {
      row!.urlsEnd = Math.max(row!.urlsEnd, grant.expires)
      return { kind: "finished", upload: toUpload(row!) }
    }
    if (verdict.kind === "resumes") {
      row!.file = { ...row!.file, ...verdict.changes }
      return { kind: "granted", epoch: row!.file.epoch, isNew: false, id: row!.file.id }
    }
    if (verdict.kind !== "starts") return verdict
    const { epoch, replaced } = verdict
    if (row !== undefined && replaced !== null) replace(row, replaced, now)
    const { file } = insert(describeFile(grant, origin, epoch, now, labels))
    return { kind: "granted", epoch, isNew: true, id: file.id }
  }

  return {
    begin: async (begin) => {
      const begun = decide(begin)
      const { grant, registration, now } = begin
      if (begun.kind === "granted" && registration !== undefined) announce(grant, registration, now)
      return begun
    },
    interrupt: async (key) => {
      const row = rows.get(key)
      if (row?.file.status !== "Uploading") return null
      row.file = { ...row.file, epoch: row.file.epoch + 1 }
      return row.file.epoch
    },
    commit: async ({ key, epoch, fileHash, blobRef, ...notes }) => {
      const row = rows.get(key)
      if (row?.file.status !== "Uploading" || row.file.epoch !== epoch) return { kind: "fenced" }
      const deadlines = decideDeadlines(row.file, notes.now)
      row.file = { ...row.file, status: "Uploaded", fileHash, blobRef, uploadedAt: notes.now, ...deadlines }
      return complete(row, notes)
    },
    commitWhole: async ({ grant, registration, labels = {}, origin, bytes, fileHash, quota, appSince, ...notes }) => {
      if (isGone(grant.appId, appSince)) return { kind: "refused" }
      if (findRefusal(grant, notes.now) !== undefined) return { kind: "refused" }
      if (isOfDeletedOwner(grant, labels, notes.now)) return { kind: "refused" }
      if (rows.has(grant.key) || !hasRoom(grant, quota, labels)) return { kind: "refused" }
      const { now } = notes
      const fresh = describeFile(grant, origin, 1, now, labels)
      const arrived = { status: "Uploaded", fileHash, uploadedAt: now, isInline: true } as const
      const file = { ...fresh, ...arrived, ...decideDeadlines(fresh, now) }
      const row = insert(file)
      contents.set(row.file.id, bytes.slice())
      if (registration !== undefined) announce(grant, registration, now)
      return complete(row, notes)
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
          const pending = { ...delivery, retry: delivery.attempts - delivery.redeliveredAfter - 1 }
          const ended = endByError(pending, { attempt, error: result.error, now, judge })
          if (ended === null) return true
          endAttempt(ended)
        }
      }
      keepResult(row, result, now)
      return true
    },
    get: async (key) => {
      const row = rows.get(key)
      return row === undefined ? null : toUpload(row)
    },
    getMany: async (keys) => keys.flatMap((key) => (rows.has(key) ? [toUpload(rows.get(key)!)] : [])),
    findByCustomId: async (appId, customId, among = "readable", now = -Infinity) => {
      const files = [...rows.values()]
        .map(({ file }) => file)
        .filter(
          ({ key, status, slug, ...file }) =>
            status === "Uploaded" &&
            file.appId === appId &&
            file.customId === customId &&
            (among === "all" || (!file.hold && file.claimBy === null && !isOverdue(file, now))) &&
            (among === "all" || slug === null || toUpload(rows.get(key)!).registration !== null),
        )
      return files.sort((a, b) => b.id - a.id)[0] ?? null
    },
    findByPath: async ({ appId, path, owner, now }) => {
      const files = [...rows.values()]
        .filter(({ file }) => file.path === path && file.appId === appId && file.claimBy === null)
        .filter((row) => isReadable(toUpload(row), now) && (owner === undefined || row.file.owner === owner))
        .map(({ file }) => file)
      return files.sort((a, b) => b.id - a.id)[0] ?? null
    },
  }
}
