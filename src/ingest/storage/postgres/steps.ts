import type { UploadGrant } from "../../../protocol/signing/signed-url.ts"
import type {
  AttemptRecord,
  FileFailure,
  FileRecord,
  NewRegistration,
  ResultRecord,
  UploadRecord,
} from "../catalog/records.ts"
import { sizeExpected, sizeRegistration } from "../quota.ts"
import { claimStatements } from "./claim-statements.ts"
import { toUpload } from "../sql/rows.ts"
import { statements } from "../sql/statements.ts"
import type { Sql, Transaction } from "./database.ts"

/*
 * Steps that several transitions share, each inside the transaction of its caller. Who calls one that changes a file, or
 * what is expected of its key, holds the key.
 */

/** What a transaction holds that changes how much an app, or what it has, may be: no key has a space. */
export const holdApp = (sql: Transaction, appId: string): Promise<void> => sql.hold([`app ${appId}`])

export const findUpload = async (sql: Sql, key: string): Promise<UploadRecord | null> => {
  const row = await sql.one(statements.upload, key)
  return row === undefined ? null : toUpload(row)
}

/** Until when a delivery is claimed, and the process that has. */
export interface Claim {
  readonly until: number
  readonly by: string
}

/** The delivery row of a file that has ended, when its app has registered. */
export const schedule = async (
  sql: Sql,
  fileId: number,
  eventId: string,
  now: number,
  claim: Claim | null,
): Promise<void> => {
  const values = claim === null ? [0, now, now, null] : [1, now, claim.until, claim.by]
  await sql.run(claimStatements.insertDelivery, eventId, ...values, fileId)
}

/** `Uploading → Failed`; false when there is no such upload. A caller other than the writer itself fences the writer off. */
export const failUpload = async (
  sql: Sql,
  { key, epoch }: Pick<FileRecord, "key" | "epoch">,
  { code, message }: FileFailure,
  { eventId, now, isFenced }: { readonly eventId: string; readonly now: number; readonly isFenced: boolean },
): Promise<boolean> => {
  const row = await sql.one(statements.fail, Number(isFenced), code, message, now, key, epoch)
  if (row === undefined) return false
  if (row.registrationId !== null) {
    await sql.run(statements.arrived, key, row.wireId!)
    await schedule(sql, row.id as number, eventId, now, null)
  }
  return true
}

/** Whether an app is no longer the one that was created then. It stays what it is until the transaction ends. */
export const isGone = async (sql: Sql, appId: string, appSince: number | undefined): Promise<boolean> => {
  if (appSince === undefined) return false
  const row = await sql.one(`${statements.appCreatedAt} FOR KEY SHARE`, appId)
  return row?.createdAt !== appSince
}

export const insertAttempt = async (sql: Sql, attempt: AttemptRecord): Promise<void> => {
  const { deliveryId, attempt: number, startedAt, latency, status, error, answer } = attempt
  await sql.run(statements.insertAttempt, deliveryId, number, startedAt, latency, status, error, answer)
}

/** Returns whether it was the newest attempt of a pending delivery. */
export const endAttempt = async (sql: Sql, ended: AttemptRecord): Promise<boolean> => {
  const { deliveryId, attempt, outcome } = ended
  await insertAttempt(sql, ended)
  const [next, at] = typeof outcome === "string" ? [outcome, null] : ["pending", outcome.retryAt]
  const isDelivered = Number(outcome === "delivered")
  return (await sql.run(claimStatements.endAttempt, next, isDelivered, at, deliveryId, attempt)) === 1
}

/** Keeps the result of an `Uploaded` file, unless there are data already. Returns whether it was kept. */
export const keepResult = async (sql: Sql, id: number, result: ResultRecord, now: number): Promise<boolean> => {
  const [data, error] = "data" in result ? [result.data, null] : [null, result.error]
  return (await sql.run(statements.result, now, data, error, id)) === 1
}

/** Returns the id of the row. */
export const insertRegistration = async (
  sql: Sql,
  appId: string,
  registration: NewRegistration,
  now: number,
): Promise<number> => {
  const { metadata, callbackUrl, callbackSlug, awaitServerData, isDev, trace } = registration
  const flags = [Number(awaitServerData), Number(isDev)]
  const traced = [trace?.traceparent ?? null, trace?.tracestate ?? null]
  const values = [appId, metadata, callbackUrl, callbackSlug, ...flags, ...traced, now]
  return (await sql.one(statements.insertRegistration, ...values))!.id as number
}

/** Keeps what the URL of an upload that begins says of its registration, unless that is known already. */
export const announce = async (
  sql: Sql,
  grant: UploadGrant,
  registration: NewRegistration,
  now: number,
): Promise<void> => {
  const { appId, key, registrationId = "", expires } = grant
  const known = await sql.one(statements.expected, key, registrationId)
  const id = (known?.id as number | undefined) ?? (await insertRegistration(sql, appId, registration, now))
  const bytes =
    (known?.bytes as number | undefined) ?? sizeExpected(key, { bytes: sizeRegistration(registration), keys: 1 })
  await sql.run(statements.expect, key, registrationId, id, expires, appId, bytes)
}

/**
 * Drops registrations that no upload needs any more. Two transactions may take the last uploads of one from it: the second
 * one waits for the first, and then sees that none is left.
 */
export const dropRegistrations = async (sql: Sql, ids: Iterable<unknown>): Promise<void> => {
  const meant = [...new Set(ids)].filter((id): id is number => typeof id === "number").toSorted((a, b) => a - b)
  if (meant.length === 0) return
  await sql.all("SELECT id FROM registrations WHERE id = ANY (?::bigint[]) ORDER BY id FOR UPDATE", meant)
  for (const id of meant) await sql.run(statements.dropRegistration, id)
}

/** Deletes a file with everything that belongs to it. */
export const deleteFile = async (sql: Sql, id: number, registrationId: unknown): Promise<void> => {
  await sql.run(statements.deleteAttempts, id)
  await sql.run(statements.deleteDelivery, id)
  await sql.run(statements.deleteContent, id)
  await sql.run(statements.deleteFile, id)
  await dropRegistrations(sql, [registrationId])
}

/** Drops a file whose key was taken over, whose bytes are gone and whose app is not owed an event. */
export const dropReplaced = async (sql: Sql, id: number): Promise<void> => {
  const row = await sql.one(statements.replaced, id)
  if (row !== undefined) await deleteFile(sql, id, row.registrationId)
}
