import type { SupportedValueType } from "node:sqlite"
import type { FileLabels } from "../../../protocol/files/file-labels.ts"
import { limits } from "../../../protocol/limits.ts"
import type { UploadGrant } from "../../../protocol/signing/signed-url.ts"
import type { FileRecord } from "../catalog/records.ts"
import type { Begun, CatalogUploads, CommitNotes, Committed } from "../catalog/uploads.ts"
import { fitsOwnerQuota, fitsQuota } from "../quota.ts"
import type { TombstoneSteps } from "../tombstone.ts"
import { decideBegin, endByError, isNewUpload, type Replacement } from "../upload-rules.ts"
import type { DeleteSteps } from "./delete-steps.ts"
import { toFile, toUpload } from "../sql/rows.ts"
import { describeWhole, toCommitted, toValues } from "../sql/uploads.ts"
import { all, one, type Statements } from "./statements.ts"
import type { Steps } from "./steps.ts"
import type { Transactions } from "./transactions.ts"
import { findOwnerUsage, findUsage } from "./usage.ts"

/** The uploads in the SQLite catalog, from the first byte to the result of the app's callback. */
export const createUploads = (
  sql: Statements,
  { read, write }: Transactions,
  {
    findUpload,
    schedule,
    failUpload,
    isGone,
    dropReplaced,
    endAttempt,
    keepResult,
    insertRegistration,
    announce,
    findRefusal,
    settle,
  }: Pick<
    Steps,
    | "findUpload"
    | "schedule"
    | "failUpload"
    | "isGone"
    | "dropReplaced"
    | "endAttempt"
    | "keepResult"
    | "insertRegistration"
    | "announce"
  > &
    Pick<TombstoneSteps, "findRefusal"> &
    Pick<DeleteSteps, "settle">,
): CatalogUploads => {
  /** Another upload takes over the key of this file: its app is told, and nothing is left that waits for it. */
  const replace = (file: FileRecord, { failure, endedAt, eventId }: Replacement, now: number): void => {
    sql.supersede.run(failure.code, failure.message, endedAt, file.id)
    if (eventId !== undefined) {
      const attached = one(sql.attachExpected, file.id)!
      if (attached.id !== null) {
        sql.arrived.run(file.key, file.registrationId ?? "")
        schedule(file.id, eventId, now, null)
      }
    }
    // Development streams tell events apart by their keys: from now on this one cannot be acknowledged.
    sql.dropDevEvent.run(file.id)
    dropReplaced(file.id)
  }

  /** Whether a file has the key. An insertion that meets it changes no row, but notes the id it was going to have: a page of the log. */
  const isTaken = ({ key }: UploadGrant): boolean => one(sql.isTaken, key) !== undefined

  /** Whether there is room for a new file, whose key nobody has. */
  const hasRoom = ({ appId, size }: UploadGrant, quota: number | undefined, labels: FileLabels): boolean => {
    if (quota !== undefined && !fitsQuota(findUsage(sql, appId), size, quota, labels)) return false
    const { owner, ownerQuota } = labels
    if (owner === undefined || ownerQuota === undefined) return true
    return fitsOwnerQuota(findOwnerUsage(sql, appId, owner), size, labels)
  }

  /** Whether its owner was deleted since the URL of the grant was issued. */
  const isOfDeletedOwner = ({ appId, issuedAt = 0 }: UploadGrant, { owner }: FileLabels, now: number): boolean =>
    owner !== undefined && one(sql.deletionOfOwner, appId, owner, issuedAt, now - limits.uploadLifetime) !== undefined

  /** Begins an upload on a known key, or where the quota has no room for a new file of the app. */
  const beginOnKnown = (
    values: ReadonlyArray<SupportedValueType>,
    begin: Parameters<CatalogUploads["begin"]>[0],
  ): Begun => {
    const { grant, labels = {}, now } = begin
    const upload = findUpload(grant.key)
    const file = upload?.file
    const verdict = decideBegin(
      begin,
      file,
      () => findUsage(sql, grant.appId),
      (owner) => findOwnerUsage(sql, grant.appId, owner),
    )
    if (isNewUpload(verdict) && isOfDeletedOwner(grant, labels, now)) return { kind: "deleted" }
    if (verdict.kind === "finished") {
      if (verdict.outlasts) sql.noteUrlsEnd.run(grant.expires, grant.key, grant.appId)
      return { kind: "finished", upload: upload! }
    }
    if (verdict.kind === "resumes") {
      const { epoch, resumedAt, expires, customId, contentDisposition, acl, cache } = verdict.changes
      const { id } = file!
      sql.resume.run(epoch, resumedAt, expires, customId, contentDisposition, acl, cache, id)
      return { kind: "granted", epoch, isNew: false, id }
    }
    if (verdict.kind !== "starts") return verdict
    const { epoch, replaced } = verdict
    if (file !== undefined && replaced === null) sql.letGo.run(file.id)
    if (file !== undefined && replaced !== null) replace(file, replaced, now)
    const id = one(sql.insertFile, ...values.with(11, epoch))!.id as number
    return { kind: "granted", epoch, isNew: true, id }
  }

  /** The consequences of a file having become `Uploaded`. */
  const complete = (
    key: string,
    id: number,
    wireId: SupportedValueType,
    registrationId: SupportedValueType | undefined,
    isHeld: boolean,
    { eventId, now, claimedUntil }: CommitNotes,
  ): Extract<Committed, { readonly kind: "committed" }> => {
    if (registrationId !== null) {
      sql.arrived.run(key, wireId)
      if (!isHeld) schedule(id, eventId, now, claimedUntil)
    }
    return toCommitted(findUpload(key)!, claimedUntil)
  }

  return {
    begin: async (begin) => {
      const { grant, registration, labels = {}, origin, now, quota, appSince } = begin
      const values = toValues(grant, origin, now, labels)
      const decide = (): Begun => {
        if (isGone(grant.appId, appSince)) return { kind: "unknownApp" }
        const refusal = findRefusal(grant, now)
        if (refusal !== undefined) return { kind: refusal }
        if (isOfDeletedOwner(grant, labels, now) && findUpload(grant.key) === null) return { kind: "deleted" }
        const inserted = !isTaken(grant) && hasRoom(grant, quota, labels) ? one(sql.insertNew, ...values) : undefined
        if (inserted === undefined) {
          const settled = settle(grant.key, now) ? findRefusal(grant, now) : undefined
          return settled === undefined ? beginOnKnown(values, begin) : { kind: settled }
        }
        const id = inserted.id as number
        return { kind: "granted", epoch: 1, isNew: true, id }
      }
      return write(() => {
        const begun = decide()
        if (begun.kind === "granted" && registration !== undefined) announce(grant, registration, now)
        return begun
      })
    },
    interrupt: (key) => write(() => (one(sql.interrupt, key)?.epoch as number | undefined) ?? null),
    commit: ({ key, epoch, fileHash, blobRef, ...notes }) =>
      write((): Committed => {
        const row = one(sql.finish, fileHash, notes.now, key, epoch, blobRef)
        if (row === undefined) return { kind: "fenced" }
        return complete(key, row.id as number, row.wireId!, row.registrationId, row.hold === 1, notes)
      }),
    commitWhole: ({ grant, registration, labels = {}, origin, bytes, fileHash, quota, appSince, ...notes }) =>
      write(() => {
        if (isGone(grant.appId, appSince)) return { kind: "refused" }
        if (findRefusal(grant, notes.now) !== undefined) return { kind: "refused" }
        if (isOfDeletedOwner(grant, labels, notes.now)) return { kind: "refused" }
        if (isTaken(grant) || !hasRoom(grant, quota, labels)) return { kind: "refused" }
        const row = one(sql.insertWhole, ...toValues(grant, origin, notes.now, labels), fileHash)
        if (row === undefined) return { kind: "refused" }
        const id = row.id as number
        sql.insertContent.run(id, bytes)
        const { key, registrationId: wireId = "" } = grant
        if (row.registrationId !== null)
          return complete(key, id, wireId, row.registrationId, labels.hold === true, notes)
        const whole = { grant, labels, origin, fileHash, ...notes }
        if (registration === undefined) return describeWhole(whole, id, null)
        const registrationId = insertRegistration(grant.appId, registration, notes.now)
        sql.attach.run(registrationId, id)
        if (labels.hold !== true) schedule(id, notes.eventId, notes.now, notes.claimedUntil)
        return describeWhole(whole, id, { ...registration, id: registrationId, registeredAt: notes.now })
      }),
    readContent: (id) => read(() => (sql.content.get(id)?.bytes as Uint8Array | undefined) ?? null),
    fail: async ({ key, epoch, failure, now, eventId }) =>
      write(() => failUpload({ key, epoch }, failure, { eventId, now, isFenced: false })),
    recordResult: async ({ appId, key, eventId, attempt, result, now, judge = () => ({ retryAt: now }) }) =>
      write(() => {
        const current = one(sql.ofApp, key, appId)
        const row = eventId === undefined ? current : one(sql.ofEvent, eventId, key, appId)
        // The events of a file that is being deleted no longer exist: there is nothing to keep.
        if (row === undefined) return current?.status === "Deleting"
        const id = row.id as number
        if ("data" in result) {
          keepResult(id, result, now)
          sql.acknowledge.run(id)
          return true
        }
        const pending = one(sql.devAttempt, id) as Parameters<typeof endByError>[0] | undefined
        if (pending !== undefined) {
          const ended = endByError(pending, { attempt, error: result.error, now, judge })
          if (ended === null) return true
          endAttempt(ended)
        }
        keepResult(id, result, now)
        return true
      }),
    get: (key) => read(() => findUpload(key)),
    getMany: (keys) => read(() => all(sql.uploads, JSON.stringify(keys)).map(toUpload)),
    findByCustomId: (appId, customId, among = "readable", now = -1) =>
      read(() => {
        const row = one(sql.customId, appId, customId, among, now)
        return row === undefined ? null : toFile(row)
      }),
    findByPath: ({ appId, path, owner, now }) =>
      read(() => {
        const row =
          owner === undefined ? one(sql.byPath, appId, path, now) : one(sql.ofOwnerByPath, appId, path, now, owner)
        return row === undefined ? null : toFile(row)
      }),
  }
}
