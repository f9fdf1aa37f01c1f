import type { SQLOutputValue, SupportedValueType } from "node:sqlite"
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
import { toUpload } from "../sql/rows.ts"
import { one, type Statements } from "./statements.ts"

/**
 * Steps that several transitions share, each inside its own transaction.
 *
 * @param noteDeletion is called for every file that is deleted
 */
export const createSteps = (sql: Statements, noteDeletion: () => void) => {
  const findUpload = (key: string): UploadRecord | null => {
    const row = one(sql.upload, key)
    return row === undefined ? null : toUpload(row)
  }

  /** The delivery row of a file that has ended, when its app has registered. */
  const schedule = (fileId: number, eventId: string, now: number, claimedUntil: number | null): void => {
    sql.insertDelivery.run(eventId, claimedUntil === null ? 0 : 1, now, claimedUntil ?? now, fileId)
  }

  /** `Uploading → Failed`; false when there is no such upload. A caller other than the writer itself fences the writer off. */
  const failUpload = (
    { key, epoch }: Pick<FileRecord, "key" | "epoch">,
    { code, message }: FileFailure,
    { eventId, now, isFenced }: { readonly eventId: string; readonly now: number; readonly isFenced: boolean },
  ): boolean => {
    const row = one(sql.fail, Number(isFenced), code, message, now, key, epoch)
    if (row === undefined) return false
    if (row.registrationId !== null) {
      sql.arrived.run(key, row.wireId!)
      schedule(row.id as number, eventId, now, null)
    }
    return true
  }

  /** Whether an app is no longer the one that was created then. */
  const isGone = (appId: string, appSince: number | undefined): boolean =>
    appSince !== undefined && one(sql.appCreatedAt, appId)?.createdAt !== appSince

  const insertAttempt = ({ deliveryId, attempt, startedAt, latency, status, error, answer }: AttemptRecord): void => {
    sql.insertAttempt.run(deliveryId, attempt, startedAt, latency, status, error, answer)
  }

  /** Returns whether it was the newest attempt of a pending delivery. */
  const endAttempt = (ended: AttemptRecord): boolean => {
    const { deliveryId, attempt, outcome } = ended
    insertAttempt(ended)
    const [next, at] = typeof outcome === "string" ? [outcome, null] : ["pending", outcome.retryAt]
    return sql.endAttempt.run(next, Number(outcome === "delivered"), at, deliveryId, attempt).changes === 1
  }

  /** Keeps the result of an `Uploaded` file, unless there are data already. Returns whether it was kept. */
  const keepResult = (id: SQLOutputValue, result: ResultRecord, now: number): boolean => {
    const [data, error] = "data" in result ? [result.data, null] : [null, result.error]
    return sql.result.run(now, data, error, id).changes === 1
  }

  /** Returns the id of the row. */
  const insertRegistration = (appId: string, registration: NewRegistration, now: number): number => {
    const { metadata, callbackUrl, callbackSlug, awaitServerData, isDev, trace } = registration
    const flags = [Number(awaitServerData), Number(isDev)]
    const traced = [trace?.traceparent ?? null, trace?.tracestate ?? null]
    return one(sql.insertRegistration, appId, metadata, callbackUrl, callbackSlug, ...flags, ...traced, now)!
      .id as number
  }

  /** Keeps what the URL of an upload that begins says of its registration, unless that is known already. */
  const announce = (grant: UploadGrant, registration: NewRegistration, now: number): void => {
    const { appId, key, registrationId = "", expires } = grant
    const known = one(sql.expected, key, registrationId)
    const id = (known?.id as number | undefined) ?? insertRegistration(appId, registration, now)
    const bytes =
      (known?.bytes as number | undefined) ?? sizeExpected(key, { bytes: sizeRegistration(registration), keys: 1 })
    sql.expect.run(key, registrationId, id, expires, appId, bytes)
  }

  /** Deletes a file with everything that belongs to it. */
  const deleteFile = (id: number, registrationId: SupportedValueType = null): void => {
    noteDeletion()
    sql.deleteAttempts.run(id)
    sql.deleteDelivery.run(id)
    sql.deleteContent.run(id)
    sql.deleteFile.run(id)
    if (registrationId !== null) sql.dropRegistration.run(registrationId)
  }

  /** Drops a file whose key was taken over, whose bytes are gone and whose app is not owed an event. */
  const dropReplaced = (id: number): void => {
    const row = one(sql.replaced, id)
    if (row !== undefined) deleteFile(id, row.registrationId)
  }

  return {
    findUpload,
    schedule,
    failUpload,
    isGone,
    insertAttempt,
    endAttempt,
    keepResult,
    insertRegistration,
    announce,
    deleteFile,
    dropReplaced,
  }
}

export type Steps = ReturnType<typeof createSteps>
