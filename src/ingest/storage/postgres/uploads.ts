import type { FileLabels } from "../../../protocol/files/file-labels.ts"
import { limits } from "../../../protocol/limits.ts"
import type { UploadGrant } from "../../../protocol/signing/signed-url.ts"
import type { FileRecord, OwnerUsage, Usage } from "../catalog/records.ts"
import type { Begun, CatalogUploads, CommitNotes, Committed } from "../catalog/uploads.ts"
import { fitsOwnerQuota, fitsQuota, noOwnerUsage, noUsage } from "../quota.ts"
import { selectUpload, toFile, toUpload } from "../sql/rows.ts"
import { statements } from "../sql/statements.ts"
import { toCommitted, toValues } from "../sql/uploads.ts"
import { type BeginVerdict, decideBegin, endByError, isNewUpload, type Replacement } from "../upload-rules.ts"
import type { Database, Sql, Transaction } from "./database.ts"
import { settle } from "./delete-steps.ts"
import type { Writers } from "./processes.ts"
import {
  announce,
  dropReplaced,
  endAttempt,
  failUpload,
  findUpload,
  holdApp,
  insertRegistration,
  isGone,
  keepResult,
  schedule,
} from "./steps.ts"
import { findRefusal } from "./tombstones.ts"
import { findOwnerUsage, findUsage } from "./usage.ts"

type Begin = Parameters<CatalogUploads["begin"]>[0]
type Whole = Parameters<CatalogUploads["commitWhole"]>[0]

/** Another upload takes over the key of this file: its app is told, and nothing is left that waits for it. */
const replace = async (
  sql: Sql,
  file: FileRecord,
  { failure, endedAt, eventId }: Replacement,
  now: number,
): Promise<void> => {
  await sql.run(statements.supersede, failure.code, failure.message, endedAt, file.id)
  if (eventId !== undefined) {
    const attached = (await sql.one(statements.attachExpected, file.id))!
    if (attached.id !== null) {
      await sql.run(statements.arrived, file.key, file.registrationId ?? "")
      await schedule(sql, file.id, eventId, now, null)
    }
  }
  // Development streams tell events apart by their keys: from now on this one cannot be acknowledged.
  await sql.run(statements.dropDevEvent, file.id)
  await dropReplaced(sql, file.id)
}

/** Whether an app, or the owner of a file, may have only so much. */
export const isBounded = (quota: number | undefined, { owner, ownerQuota }: FileLabels): boolean =>
  quota !== undefined || (owner !== undefined && ownerQuota !== undefined)

/**
 * How much there is of an app and an owner. Where either is bounded no other file of the app can begin until this
 * transaction ends; where none is, nobody asks.
 */
const findUsages = async (
  sql: Transaction,
  { appId }: UploadGrant,
  quota: number | undefined,
  labels: FileLabels,
): Promise<{ readonly usage: Usage; readonly ofOwner: OwnerUsage }> => {
  if (!isBounded(quota, labels)) return { usage: noUsage, ofOwner: noOwnerUsage }
  await holdApp(sql, appId)
  const usage = await findUsage(sql, appId)
  const { owner } = labels
  return { usage, ofOwner: owner === undefined ? noOwnerUsage : await findOwnerUsage(sql, appId, owner) }
}

/** Decides as `decideBegin` does. What an app takes is looked up only where that decides. */
const decide = async (sql: Transaction, begin: Begin, file: FileRecord | undefined): Promise<BeginVerdict> => {
  const { grant, labels = {}, quota } = begin
  let isAsked = false
  const unasked = decideBegin(
    begin,
    file,
    () => {
      isAsked = true
      return noUsage
    },
    () => noOwnerUsage,
  )
  if (!isAsked || !isBounded(quota, labels)) return unasked
  const { usage, ofOwner } = await findUsages(sql, grant, quota, labels)
  return decideBegin(
    begin,
    file,
    () => usage,
    () => ofOwner,
  )
}

/** Whether its owner was deleted since the URL of the grant was issued. */
const isOfDeletedOwner = async (
  sql: Sql,
  { appId, issuedAt = 0 }: UploadGrant,
  { owner }: FileLabels,
  now: number,
): Promise<boolean> => {
  if (owner === undefined) return false
  const row = await sql.one(statements.deletionOfOwner, appId, owner, issuedAt, now - limits.uploadLifetime)
  return row !== undefined
}

const beginOnHeld = async (sql: Transaction, writers: Writers, begin: Begin): Promise<Begun> => {
  const { grant, labels = {}, origin, now, appSince, unlessHeld = false } = begin
  if (await isGone(sql, grant.appId, appSince)) return { kind: "unknownApp" }
  const refusal = await findRefusal(sql, grant, now)
  if (refusal !== undefined) return { kind: refusal }
  const settled = (await settle(sql, grant.key, now)) ? await findRefusal(sql, grant, now) : undefined
  if (settled !== undefined) return { kind: settled }
  const upload = await findUpload(sql, grant.key)
  const file = upload?.file
  const verdict = await decide(sql, begin, file)
  if (isNewUpload(verdict) && (await isOfDeletedOwner(sql, grant, labels, now))) return { kind: "deleted" }
  if (verdict.kind === "finished") {
    if (verdict.outlasts) await sql.run(statements.noteUrlsEnd, grant.expires, grant.key, grant.appId)
    return { kind: "finished", upload: upload! }
  }
  if (verdict.kind !== "resumes" && verdict.kind !== "starts") return verdict
  const ownEpoch = verdict.kind === "starts" ? verdict.epoch : verdict.changes.epoch
  const heldEpoch = unlessHeld && file?.status === "Uploading" ? file.epoch : null
  if (await writers.take(sql, grant.key, { heldEpoch, ownEpoch })) return { kind: "held" }
  if (verdict.kind === "resumes") {
    const { epoch, resumedAt, expires, customId, contentDisposition, acl, cache } = verdict.changes
    const { id } = file!
    await sql.run(statements.resume, epoch, resumedAt, expires, customId, contentDisposition, acl, cache, id)
    return { kind: "granted", epoch, isNew: false, id }
  }
  const { epoch, replaced } = verdict
  if (file !== undefined && replaced === null) await sql.run(statements.letGo, file.id)
  if (file !== undefined && replaced !== null) await replace(sql, file, replaced, now)
  const values = toValues(grant, origin, now, labels).with(11, epoch)
  const id = (await sql.one(statements.insertFile, ...values))!.id as number
  return { kind: "granted", epoch, isNew: true, id }
}

/** Begins or resumes an upload. */
export const beginUpload = async (sql: Transaction, writers: Writers, begin: Begin): Promise<Begun> => {
  await sql.hold([begin.grant.key])
  const begun = await beginOnHeld(sql, writers, begin)
  if (begun.kind === "granted" && begin.registration !== undefined) {
    await announce(sql, begin.grant, begin.registration, begin.now)
  }
  return begun
}

/** The consequences of a file having become `Uploaded`. */
const complete = async (
  sql: Sql,
  file: { readonly id: number; readonly key: string; readonly wireId: string; readonly isHeld: boolean },
  isRegistered: boolean,
  { eventId, now, claimedUntil }: CommitNotes,
  me: string,
): Promise<Extract<Committed, { readonly kind: "committed" }>> => {
  if (isRegistered) {
    await sql.run(statements.arrived, file.key, file.wireId)
    if (!file.isHeld)
      await schedule(sql, file.id, eventId, now, claimedUntil === null ? null : { until: claimedUntil, by: me })
  }
  return toCommitted((await findUpload(sql, file.key))!, claimedUntil)
}

/** Ends an upload whose bytes are all there. */
export const commitUpload = async (
  sql: Transaction,
  { me, writers }: { readonly me: string; readonly writers: Writers },
  { key, epoch, fileHash, blobRef, ...notes }: Parameters<CatalogUploads["commit"]>[0],
): Promise<Committed> => {
  await sql.hold([key])
  await writers.end(sql, key, epoch)
  const row = await sql.one(statements.finish, fileHash, notes.now, key, epoch, blobRef)
  if (row === undefined) return { kind: "fenced" }
  const file = { id: row.id as number, key, wireId: row.wireId as string, isHeld: row.hold === 1 }
  return complete(sql, file, row.registrationId !== null, notes, me)
}

/** Keeps a small file that has arrived whole. */
export const commitWholeUpload = async (
  sql: Transaction,
  me: string,
  { grant, registration, labels = {}, origin, bytes, fileHash, quota, appSince, ...notes }: Whole,
): ReturnType<CatalogUploads["commitWhole"]> => {
  const { key, registrationId: wireId = "" } = grant
  const { now } = notes
  await sql.hold([key])
  if (await isGone(sql, grant.appId, appSince)) return { kind: "refused" }
  if ((await findRefusal(sql, grant, now)) !== undefined) return { kind: "refused" }
  if (await isOfDeletedOwner(sql, grant, labels, now)) return { kind: "refused" }
  const { usage, ofOwner } = await findUsages(sql, grant, quota, labels)
  const fitsOwner = labels.owner === undefined || fitsOwnerQuota(ofOwner, grant.size, labels)
  if (!fitsQuota(usage, grant.size, quota, labels) || !fitsOwner) return { kind: "refused" }
  const row = await sql.one(statements.insertWhole, ...toValues(grant, origin, now, labels), fileHash)
  if (row === undefined) return { kind: "refused" }
  const id = row.id as number
  await sql.run(statements.insertContent, id, bytes)
  const isExpected = row.registrationId !== null
  if (!isExpected && registration !== undefined) {
    await sql.run(statements.attach, await insertRegistration(sql, grant.appId, registration, now), id)
  }
  const file = { id, key, wireId, isHeld: labels.hold === true }
  return complete(sql, file, isExpected || registration !== undefined, notes, me)
}

const recordResult = async (
  sql: Sql,
  {
    appId,
    key,
    eventId,
    attempt,
    result,
    now,
    judge = () => ({ retryAt: now }),
  }: Parameters<CatalogUploads["recordResult"]>[0],
): Promise<boolean> => {
  const current = await sql.one(statements.ofApp, key, appId)
  const row = eventId === undefined ? current : await sql.one(statements.ofEvent, eventId, key, appId)
  // The events of a file that is being deleted no longer exist: there is nothing to keep.
  if (row === undefined) return current?.status === "Deleting"
  const id = row.id as number
  if ("data" in result) {
    await keepResult(sql, id, result, now)
    await sql.run(statements.acknowledge, id)
    return true
  }
  const pending = (await sql.one(`${statements.devAttempt} FOR UPDATE`, id)) as
    Parameters<typeof endByError>[0] | undefined
  if (pending !== undefined) {
    const ended = endByError(pending, { attempt, error: result.error, now, judge })
    if (ended === null) return true
    await endAttempt(sql, ended)
  }
  await keepResult(sql, id, result, now)
  return true
}

/** The uploads in the PostgreSQL catalog, from the first byte to the result of the app's callback. */
export const createUploads = (
  { read, write }: Database,
  writers: Writers,
): Omit<CatalogUploads, "begin" | "commit" | "commitWhole"> => ({
  interrupt: (key, unlessHeld = false) =>
    write(async (sql) => {
      await sql.hold([key])
      const file = unlessHeld ? (await findUpload(sql, key))?.file : undefined
      const heldEpoch = file?.status === "Uploading" ? file.epoch : null
      if (await writers.take(sql, key, { heldEpoch, ownEpoch: null })) return "held"
      return ((await sql.one(statements.interrupt, key))?.epoch as number | undefined) ?? null
    }),
  readContent: async (id) => ((await read.one(statements.content, id))?.bytes as unknown as Uint8Array) ?? null,
  fail: ({ key, epoch, failure, now, eventId }) =>
    write(async (sql) => {
      await sql.hold([key])
      await writers.end(sql, key, epoch)
      return failUpload(sql, { key, epoch }, failure, { eventId, now, isFenced: false })
    }),
  recordResult: (recorded) =>
    write(async (sql) => {
      await sql.hold([recorded.key])
      return recordResult(sql, recorded)
    }),
  get: (key) => findUpload(read, key),
  getMany: async (keys) =>
    (await read.all(`${selectUpload} WHERE f.key = ANY (?::text[]) AND f.is_current = 1`, keys)).map(toUpload),
  findByCustomId: async (appId, customId, among = "readable", now = -1) => {
    const row = await read.one(statements.customId, appId, customId, among, now)
    return row === undefined ? null : toFile(row)
  },
  findByPath: async ({ appId, path, owner, now }) => {
    const row =
      owner === undefined
        ? await read.one(statements.byPath, appId, path, now)
        : await read.one(statements.ofOwnerByPath, appId, path, now, owner)
    return row === undefined ? null : toFile(row)
  },
})
