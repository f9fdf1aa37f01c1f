import type { ProblemCode } from "../../../protocol/errors/problem.ts"
import type { TraceContext } from "../../../protocol/trace-context.ts"
import type {
  DeliveryRecord,
  DueDelivery,
  FileRecord,
  Reclaimable,
  RegistrationRecord,
  ResultRecord,
  UploadRecord,
} from "../catalog/catalog.ts"
import { isMeant } from "./is-meant.ts"

/** A row of {@link uploadColumns}. */
export type Row = Record<string, string | number | null>

const fileColumns = `f.id, f.key, f.app_id AS "appId",
  CASE WHEN ${isMeant("f")} THEN 'Deleting' ELSE f.status END AS status, f.name, f.size, f.type, f.custom_id AS "customId", f.slug,
  f.wire_id AS "wireId", f.issued_at AS "issuedAt",
  f.content_disposition AS "contentDisposition", f.acl, f.cache, f.origin, f.expires, f.epoch, f.created_at AS "createdAt",
  f.resumed_at AS "resumedAt", f.ended_at AS "endedAt", f.uploaded_at AS "uploadedAt", f.file_hash AS "fileHash",
  f.failure_code AS "failureCode", f.failure_message AS "failureMessage", f.is_inline AS "isInline", f.blob_ref AS "blobRef",
  f.owner, f.path, f.keep_for AS "keepFor", f.claim_within AS "claimWithin", f.hold, f.remove_at AS "removeAt", f.claim_by AS "claimBy",
  f.released_at AS "releasedAt", f.claimed_at AS "claimedAt"`

const registrationColumns = `r.id AS "registrationId", r.metadata, r.callback_url AS "callbackUrl",
  r.callback_slug AS "callbackSlug", r.await_server_data AS "awaitServerData", r.is_dev AS "isDev",
  r.registered_at AS "registeredAt", r.traceparent, r.tracestate`

/** A file with everything that belongs to it. */
export const selectUpload = `
  SELECT ${fileColumns}, ${registrationColumns}, f.result_data AS "resultData", f.result_error AS "resultError",
    f.result_at AS "resultAt", d.next_at AS "nextAt",
    d.id AS "deliveryId", d.hook, d.status AS "deliveryStatus", d.attempts, d.failures
  FROM files f
  LEFT JOIN expected_files e ON e.key = f.key AND e.wire_id = f.wire_id AND f.registration_id IS NULL
  LEFT JOIN registrations r ON r.id = coalesce(f.registration_id, e.registration_id)
  LEFT JOIN deliveries d ON d.file_id = f.id`

/** The registration of an upload: `?1` its key, `?2` the id in its URL, `?3` its app. */
export const selectRegistration = `
  SELECT ${registrationColumns} FROM registrations r WHERE r.app_id = ?3 AND r.id IN (
    SELECT e.registration_id FROM expected_files e WHERE e.key = ?1 AND e.wire_id = ?2
      AND NOT EXISTS (SELECT 1 FROM files f WHERE f.key = ?1 AND f.is_current = 1 AND f.status IN ('Uploaded', 'Deleting'))
    UNION ALL
    SELECT f.registration_id FROM files f
      WHERE f.key = ?1 AND f.is_current = 1 AND f.status = 'Uploaded' AND f.wire_id = ?2)`

/** A delivery with its file and the registration it was made for. */
export const selectDue = `
  SELECT ${fileColumns}, ${registrationColumns}, d.id AS "deliveryId", d.hook, d.attempts,
    d.redelivered_after AS "redeliveredAfter"
  FROM deliveries d JOIN files f ON f.id = d.file_id JOIN registrations r ON r.id = d.registration_id`

/** What has to be known of files to delete them. */
export const selectDeletable = `
  SELECT id, key, app_id AS "appId", expires, created_at AS "createdAt", resumed_at AS "resumedAt", urls_end AS "urlsEnd",
    issued_at AS "issuedAt", owner
  FROM files`

export const selectFile = `SELECT ${fileColumns} FROM files f`

export const toFile = (row: Row): FileRecord => ({
  id: row.id as number,
  key: row.key as string,
  appId: row.appId as string,
  status: row.status as FileRecord["status"],
  name: row.name as string,
  size: row.size as number,
  type: row.type as string,
  customId: row.customId as string | null,
  slug: row.slug as string | null,
  registrationId: row.wireId === "" ? null : (row.wireId as string),
  issuedAt: row.issuedAt as number | null,
  contentDisposition: row.contentDisposition as FileRecord["contentDisposition"],
  acl: row.acl as FileRecord["acl"],
  cache: row.cache as FileRecord["cache"],
  origin: row.origin as string,
  expires: row.expires as number,
  epoch: row.epoch as number,
  createdAt: row.createdAt as number,
  resumedAt: row.resumedAt as number | null,
  uploadedAt: row.uploadedAt as number | null,
  fileHash: row.fileHash as string | null,
  failure:
    row.failureCode === null
      ? null
      : { code: row.failureCode as ProblemCode, message: (row.failureMessage ?? "") as string },
  isInline: row.isInline === 1,
  blobRef: row.blobRef as string | null,
  endedAt: row.endedAt as number | null,
  owner: row.owner as string | null,
  path: row.path as string | null,
  keepFor: row.keepFor as number | null,
  claimWithin: row.claimWithin as number | null,
  hold: row.hold === 1,
  removeAt: row.removeAt as number | null,
  claimBy: row.claimBy as number | null,
  releasedAt: row.releasedAt as number | null,
  claimedAt: row.claimedAt as number | null,
})

const toTrace = ({ traceparent, tracestate }: Row): TraceContext | null => {
  if (traceparent === null) return null
  return { traceparent: traceparent as string, ...(tracestate !== null && { tracestate: tracestate as string }) }
}

export const toRegistration = (row: Row): RegistrationRecord => ({
  id: row.registrationId as number,
  metadata: row.metadata as string,
  callbackUrl: row.callbackUrl as string,
  callbackSlug: row.callbackSlug as string,
  awaitServerData: row.awaitServerData === 1,
  isDev: row.isDev === 1,
  trace: toTrace(row),
  registeredAt: row.registeredAt as number | null,
})

const toResult = (row: Row): ResultRecord | null => {
  if (row.resultData !== null) return { data: row.resultData as string }
  return row.resultError === null ? null : { error: row.resultError as string }
}

export const toUpload = (row: Row): UploadRecord => ({
  file: toFile(row),
  registration: row.registrationId === null ? null : toRegistration(row),
  delivery:
    row.deliveryId === null
      ? null
      : {
          id: row.deliveryId as string,
          hook: row.hook as DeliveryRecord["hook"],
          status: row.deliveryStatus as DeliveryRecord["status"],
          attempts: row.attempts as number,
          failures: row.failures as number,
          nextAt: row.nextAt as number,
        },
  result: toResult(row),
  resultAt: row.resultAt as number | null,
})

export const toReclaimable = (row: Row): Reclaimable => ({
  id: row.id as number,
  key: row.key as string,
  lastEpoch: row.lastEpoch as number,
})

export const toDue = (row: Row): DueDelivery => ({
  id: row.deliveryId as string,
  hook: row.hook as DueDelivery["hook"],
  attempt: row.attempts as number,
  retry: (row.attempts as number) - (row.redeliveredAfter as number) - 1,
  file: toFile(row),
  registration: toRegistration(row),
})
