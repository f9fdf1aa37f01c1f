import type { UploadGrant } from "../../../protocol/signing/signed-url.ts"
import type { AttemptRecord, FileRecord, NewRegistration, ResultRecord, UploadRecord } from "../catalog/records.ts"
import { sizeExpected, sizeRegistration } from "../quota.ts"
import { createNoteChange } from "./note-change.ts"
import type { Registered, Row, Tables } from "./rows.ts"

/** Steps that several transitions share. */
export const createSteps = (tables: Tables) => {
  const { rows, allRows, expected, attempts, apps, registrations } = tables
  const toUpload = (row: Row): UploadRecord => ({
    file: row.file,
    registration: row.registration ?? expected.find(row.file)?.registration ?? null,
    delivery: row.delivery,
    result: row.result,
    resultAt: row.resultAt,
  })

  /** A file that has ended keeps what it was registered with. */
  const attach = (row: Row): void => {
    if (row.registration !== null) return
    row.registration = expected.find(row.file)?.registration ?? null
    expected.remove(row.file)
  }

  /** The delivery row of a file that has ended, when its app has registered. */
  const schedule = (row: Row, id: string, nextAt: number, attempts: number): void => {
    attach(row)
    const { registration } = row
    if (registration === null) return
    const hook = row.file.status === "Failed" ? "error" : "callback"
    row.delivery = { id, hook, status: "pending", attempts, failures: 0, nextAt, redeliveredAfter: 0, registration }
  }

  const isCurrent = ({ key, id }: FileRecord): boolean => rows.get(key)?.file.id === id

  /** Returns whether it was the newest attempt of a pending delivery. */
  const endAttempt = (attempt: AttemptRecord): boolean => {
    const isKnown = attempts.some((each) => each.deliveryId === attempt.deliveryId && each.attempt === attempt.attempt)
    if (!isKnown) attempts.push(attempt)
    const row = [...allRows].find(({ delivery }) => delivery?.id === attempt.deliveryId)
    const delivery = row?.delivery
    if (row === undefined || delivery?.status !== "pending" || delivery.attempts !== attempt.attempt) return false
    const { outcome } = attempt
    // On a stream an attempt may end without any report of it.
    const failures = delivery.registration.isDev ? delivery.attempts : delivery.failures + 1
    row.delivery =
      outcome === "delivered"
        ? { ...delivery, status: outcome }
        : outcome === "dead"
          ? { ...delivery, status: outcome, failures }
          : { ...delivery, failures, nextAt: outcome.retryAt }
    return true
  }

  /** Keeps the result of an `Uploaded` file, unless there are data already. Returns whether it was kept. */
  const keepResult = (row: Row, result: ResultRecord, now: number): boolean => {
    if (row.file.status !== "Uploaded" || row.file.hold || (row.result !== null && "data" in row.result)) return false
    row.result = result
    row.resultAt = now
    return true
  }

  const toRegistered = (appId: string, registration: NewRegistration, now: number): Registered => ({
    ...registration,
    appId,
    bytes: sizeRegistration(registration),
    id: ++registrations.count,
    registeredAt: now,
  })

  /** Keeps what the URL of an upload that begins says of its registration, unless that is known already. */
  const announce = ({ appId, key, ...grant }: UploadGrant, given: NewRegistration, now: number): void => {
    const upload = { key, registrationId: grant.registrationId ?? null }
    const known = expected.find(upload)
    const registration = known?.registration ?? toRegistered(appId, given, now)
    const bytes = known?.bytes ?? sizeExpected(key, { bytes: registration.bytes, keys: 1 })
    expected.set(upload, { registration, expires: grant.expires, bytes })
  }

  const dropDevEvent = (row: Row): void => {
    if (row.delivery?.status === "pending" && row.delivery.registration.isDev) {
      row.delivery = { ...row.delivery, status: "dead" }
    }
  }

  /** Drops a file whose key was taken over, whose bytes are gone and whose app is not owed an event. */
  const dropReplaced = (row: Row): void => {
    const isForgotten = row.file.registrationId === null || row.registration !== null
    if (!row.hasBytes && row.delivery === null && isForgotten) allRows.delete(row)
  }

  /** Deletes the event of a file with its attempts. */
  const dropEvent = (row: Row): void => {
    const { delivery } = row
    row.delivery = null
    for (const attempt of attempts.filter(({ deliveryId }) => deliveryId === delivery?.id)) {
      attempts.splice(attempts.indexOf(attempt), 1)
    }
  }

  /** Whether an app is no longer the one that was created then. */
  const isGone = (appId: string, appSince: number | undefined): boolean =>
    appSince !== undefined && apps.get(appId)?.createdAt !== appSince

  return {
    noteChange: createNoteChange(tables),
    toUpload,
    attach,
    schedule,
    isCurrent,
    dropDevEvent,
    dropReplaced,
    dropEvent,
    isGone,
    endAttempt,
    keepResult,
    toRegistered,
    announce,
  }
}

export type Steps = ReturnType<typeof createSteps>
