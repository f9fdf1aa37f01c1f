/*
 * The transitions of small files that an ingest makes most often, many in one statement (docs/decisions/082). The functions
 * in the database do the common case; every other one is a transaction of its own.
 */
import type { CatalogDeliveries } from "../catalog/deliveries.ts"
import type { CatalogRegistrations } from "../catalog/registrations.ts"
import type { Begun, CatalogUploads, Committed } from "../catalog/uploads.ts"
import type { NewRegistration } from "../catalog/records.ts"
import { leastCatalogQuota, sizeExpected, sizeKey, sizeRegistration } from "../quota.ts"
import { type Row, toRegistration, toUpload } from "../sql/rows.ts"
import { describeWhole, toCommitted } from "../sql/uploads.ts"
import { untoldUrlTtl } from "../upload-rules.ts"
import { createBatches } from "./batches.ts"
import type { InTurn } from "./connections.ts"
import type { Database } from "./database.ts"
import { recordOneAttempt } from "./deliveries.ts"
import type { Writers } from "./processes.ts"
import { registerUploads } from "./registrations.ts"
import { beginUpload, commitUpload, commitWholeUpload, isBounded } from "./uploads.ts"
import { toJson } from "./values.ts"

type Begin = Parameters<CatalogUploads["begin"]>[0]
type Whole = Parameters<CatalogUploads["commitWhole"]>[0]
type Commit = Parameters<CatalogUploads["commit"]>[0]
type Attempt = Parameters<CatalogDeliveries["recordAttempt"]>[0]
type Register = Parameters<CatalogRegistrations["register"]>[0]

const toFlags = (registration: NewRegistration | undefined) =>
  registration && {
    metadata: registration.metadata,
    callback_url: registration.callbackUrl,
    callback_slug: registration.callbackSlug,
    await_server_data: Number(registration.awaitServerData),
    is_dev: Number(registration.isDev),
    traceparent: registration.trace?.traceparent,
    tracestate: registration.trace?.tracestate,
  }

/** What is said of a file that is new. */
const toFileJob = ({ grant, labels = {}, origin, now, appSince }: Begin | Whole, n: number) => ({
  n,
  key: grant.key,
  app_id: grant.appId,
  name: grant.name,
  size: grant.size,
  type: grant.type,
  custom_id: grant.customId,
  slug: grant.slug,
  content_disposition: grant.contentDisposition,
  acl: grant.acl,
  origin,
  expires: grant.expires,
  wire_id: grant.registrationId ?? "",
  issued_at: grant.issuedAt,
  owner: labels.owner,
  path: labels.path,
  keep_for: labels.keepFor,
  claim_within: labels.claimWithin,
  cache: grant.cache,
  hold: labels.hold === true ? 1 : undefined,
  at: now,
  app_since: appSince,
})

const toBeginJob = (begin: Begin, n: number) => {
  const { grant, registration } = begin
  const size = registration && { bytes: sizeRegistration(registration), keys: 1 }
  const expectedBytes = size && sizeExpected(grant.key, size)
  return { ...toFileJob(begin, n), expected_bytes: expectedBytes, ...toFlags(registration) }
}

const toWholeJob = (whole: Whole, n: number) => {
  const { registration, bytes, fileHash, eventId, claimedUntil } = whole
  return {
    ...toFileJob(whole, n),
    file_hash: fileHash,
    bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64"),
    event_id: eventId,
    claimed_until: claimedUntil,
    ...toFlags(registration),
  }
}

/** What a file that was committed is registered with: what its app has said before, or its URL. */
const toKept = (row: Row, { registration, now }: Whole) => {
  if (row.registrationId === null) return null
  if (row.metadata !== null) return toRegistration(row)
  return { ...registration!, id: row.registrationId as number, registeredAt: now }
}

const appsOf = (jobs: ReadonlyArray<{ readonly appId: string; readonly appSince: number | undefined }>) => [
  ...new Set(jobs.flatMap(({ appId, appSince }) => (appSince === undefined ? [] : [appId]))),
]

const byNumber = (rows: ReadonlyArray<Row>): ReadonlyMap<number, Row> =>
  new Map(rows.map((row) => [row.n as number, row]))

const sizeOf = (register: Register) => {
  const bytes = sizeRegistration(register)
  return { bytes, keys: register.fileKeys.length }
}

const toRegisterJob = (register: Register, n: number) => {
  const { fileKeys, bounds = {}, now, expires, appSince, appId } = register
  const size = sizeOf(register)
  const { quota, expectedFiles, expectedBytes } = bounds
  return {
    n,
    app_id: appId,
    at: now,
    expires: expires ?? now + untoldUrlTtl,
    app_since: appSince,
    files: fileKeys.length,
    bytes: fileKeys.reduce((sum, key) => sum + sizeExpected(key, size), 0),
    catalog: fileKeys.reduce((sum, key) => sum + sizeKey(key), size.bytes),
    most_files: expectedFiles,
    most_bytes: expectedBytes,
    most_catalog: quota === undefined ? undefined : Math.max(quota, leastCatalogQuota),
    ...toFlags(register),
  }
}

const toWanted = (register: Register, n: number) => {
  const size = sizeOf(register)
  const wireId = register.id ?? ""
  return register.fileKeys.map((key) => ({ n, key, wire_id: wireId, bytes: sizeExpected(key, size) }))
}

const toCommitJob = ({ key, epoch, fileHash, blobRef, now, eventId, claimedUntil }: Commit) => ({
  key,
  epoch,
  file_hash: fileHash,
  blob_ref: blobRef,
  at: now,
  event_id: eventId,
  claimed_until: claimedUntil,
})

const toAttemptJob = (job: Attempt, n: number) => {
  const { deliveryId, attempt, startedAt, latency, status, error, answer, outcome, result } = job
  return {
    n,
    delivery_id: deliveryId,
    attempt,
    started_at: startedAt,
    latency,
    status,
    error,
    answer,
    next: typeof outcome === "string" ? outcome : "pending",
    delivered: Number(outcome === "delivered"),
    retry_at: typeof outcome === "string" ? null : outcome.retryAt,
    data: result !== undefined && "data" in result ? result.data : undefined,
    failed: result !== undefined && "error" in result ? result.error : undefined,
  }
}

/**
 * @param functions the schema of the functions, as it stands in a statement
 * @param process   the process that asks
 */
export const createHotTransitions = (
  { call, write }: Database,
  functions: string,
  process: { readonly me: string; readonly writers: Writers },
  inTurn: InTurn,
): Pick<CatalogUploads, "begin" | "commit" | "commitWhole"> &
  Pick<CatalogRegistrations, "register"> &
  Pick<CatalogDeliveries, "recordAttempt"> => {
  const { me, writers } = process
  const beginning = `SELECT * FROM ${functions}.begin_new(?::text[], ?::text[], ?::json, ?)`
  const whole = `SELECT * FROM ${functions}.commit_whole(?::text[], ?::text[], ?::json, ?)`
  const committing = `SELECT * FROM ${functions}.commit(?::text[], ?::json, ?)`
  const recording = `SELECT * FROM ${functions}.record_attempt(?::json)`
  const registering = `SELECT * FROM ${functions}.register(?::text[], ?::text[], ?::json, ?::json)`

  const beginAlone = (begin: Begin) => write((sql) => beginUpload(sql, writers, begin))
  const begin = createBatches<Begin, Begun>({
    keysOf: ({ grant }) => [grant.key],
    together: async (jobs) => {
      const apps = appsOf(jobs.map(({ grant, appSince }) => ({ appId: grant.appId, appSince })))
      const keys = jobs.map(({ grant }) => grant.key)
      const found = byNumber(await call(beginning, keys, apps, toJson(jobs.map(toBeginJob)), writers.me()))
      return jobs.map((_, n) => {
        const row = found.get(n)
        return row && { kind: "granted", epoch: 1, isNew: true, id: row.id as number }
      })
    },
    alone: beginAlone,
  })

  const commitWholeAlone = (job: Whole) => write((sql) => commitWholeUpload(sql, me, job))
  const commitWhole = createBatches<Whole, Awaited<ReturnType<CatalogUploads["commitWhole"]>>>({
    keysOf: ({ grant }) => [grant.key],
    together: async (jobs) => {
      const apps = appsOf(jobs.map(({ grant, appSince }) => ({ appId: grant.appId, appSince })))
      const keys = jobs.map(({ grant }) => grant.key)
      const found = byNumber(await call(whole, keys, apps, toJson(jobs.map(toWholeJob)), me))
      return jobs.map((job, n) => {
        const row = found.get(n)
        return row && describeWhole(job, row.id as number, toKept(row, job))
      })
    },
    alone: commitWholeAlone,
  })

  const registerAlone = (job: Register) => write((sql) => registerUploads(sql, job))
  const register = createBatches<Register, Awaited<ReturnType<CatalogRegistrations["register"]>>>({
    keysOf: ({ fileKeys }) => fileKeys,
    together: async (jobs) => {
      const apps = appsOf(jobs.map(({ appId, appSince }) => ({ appId, appSince })))
      const keys = jobs.flatMap(({ fileKeys }) => fileKeys)
      const wanted = jobs.flatMap(toWanted)
      const found = byNumber(await call(registering, keys, apps, toJson(jobs.map(toRegisterJob)), toJson(wanted)))
      return jobs.map((_, n) => (found.has(n) ? "registered" : undefined))
    },
    alone: registerAlone,
  })

  const commit = createBatches<Commit, Committed>({
    keysOf: ({ key }) => [key],
    together: async (jobs) => {
      const keys = jobs.map(({ key }) => key)
      const rows = (await call(committing, keys, toJson(jobs.map(toCommitJob)), me)) as ReadonlyArray<unknown>
      const uploads = (rows as ReadonlyArray<{ readonly upload: Row }>).map(({ upload }) => toUpload(upload))
      const found = new Map(uploads.map((upload) => [upload.file.key, upload]))
      return jobs.map(({ key, claimedUntil }) => {
        const upload = found.get(key)
        return upload && toCommitted(upload, claimedUntil)
      })
    },
    alone: (job) => write((sql) => commitUpload(sql, process, job)),
  })

  const recordAttempt = createBatches<Attempt, boolean>({
    keysOf: ({ deliveryId }) => [deliveryId],
    together: async (jobs) => {
      const found = byNumber(await call(recording, toJson(jobs.map(toAttemptJob))))
      return jobs.map((_, n) => found.get(n)?.kept as boolean | undefined)
    },
    alone: (job) => write((sql) => recordOneAttempt(sql, job)),
  })

  return {
    commit,
    recordAttempt,
    // Where there may be only so much, one begins after the other.
    begin: (job) => {
      const { quota, labels = {}, grant } = job
      return isBounded(quota, labels) ? inTurn(grant.appId, () => beginAlone(job)) : begin(job)
    },
    commitWhole: (job) => {
      const { quota, labels = {}, grant } = job
      return isBounded(quota, labels) ? inTurn(grant.appId, () => commitWholeAlone(job)) : commitWhole(job)
    },
    // The same key twice is none of the common cases.
    register: (job) => (new Set(job.fileKeys).size === job.fileKeys.length ? register(job) : registerAlone(job)),
  }
}
