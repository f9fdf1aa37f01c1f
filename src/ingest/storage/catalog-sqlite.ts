/*
 * Configuration: `file`, the database, made when missing; `largestContent`, bytes of the largest file whose content is kept
 * here and not in the blob store (64 KiB; 0: none).
 *
 * What is stored where: tables `files`, `contents`, `registrations`, `expected_files`, `deliveries`, `attempts`, `apps`, `app_keys` in that file, beside
 * it SQLite's `-wal` and `-shm`. catalog-sqlite-schema.ts has the columns.
 *
 * Considerations: the driver is Node's own (`node:sqlite`), WAL. What a method resolved with is on disk: SQLite itself
 * flushes its log only before a checkpoint (`synchronous = NORMAL`), after each transaction we do, off the calling thread
 * (docs/decisions/013). Writes of one turn of the event loop share a transaction and its flush, and so do all that come
 * while the disk is busy. The log grows to some 32 MiB before it is moved into the database: pages that change with every
 * upload are moved once and not each time. One ingest per file; other processes may read and write it meanwhile (the
 * command line does). Statements run on the calling thread, each for some microseconds.
 */
import type { StatementSync, SupportedValueType } from "node:sqlite"
import type { UploadGrant } from "../../protocol/signed-url.ts"
import type { Begun, Catalog, CommitNotes, Committed, Usage, FileRecord } from "./catalog.ts"
import { toCatalogError } from "./catalog-sqlite-error.ts"
import { createGroupCommit } from "./catalog-sqlite-group.ts"
import { describeFile } from "./describe-file.ts"
import { createAppTable } from "./catalog-sqlite-apps.ts"
import { createFiles } from "./catalog-sqlite-files.ts"
import { createHistory } from "./catalog-sqlite-history.ts"
import { openLog } from "./catalog-sqlite-log.ts"
import { type Row, toDue, toFile, toUpload } from "./catalog-sqlite-rows.ts"
import { migrate } from "./catalog-sqlite-schema.ts"
import { prepareStatements } from "./catalog-sqlite-statements.ts"
import { fitsQuota } from "./quota.ts"
import { expiryFailure, isSameUpload, replacedFailure } from "./same-upload.ts"

/** Keeps the catalog in an SQLite file. Node, Deno. */
export const createSqliteCatalog = ({
  file,
  largestContent = 64 * 1024,
}: {
  readonly file: string
  readonly largestContent?: number | undefined
}): Catalog => {
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite")
  const { chmodSync, existsSync, mkdirSync } = process.getBuiltinModule("node:fs")
  const { dirname } = process.getBuiltinModule("node:path")
  const isDurable = file !== ":memory:"
  if (isDurable) mkdirSync(dirname(file), { recursive: true })
  const database = new DatabaseSync(file)
  database.exec(
    "PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 8000",
  )
  migrate(database)
  const log = isDurable ? openLog(database, `${file}-wal`) : undefined

  const sql = prepareStatements(database)
  const group = createGroupCommit(database, log?.flush ?? (async () => {}))
  const rethrow = (cause: unknown): never => {
    throw toCatalogError(cause, file)
  }
  const write = <A>(work: () => A): Promise<A> => group.run(work).catch(rethrow)
  const read = async <A>(work: () => A): Promise<A> => {
    try {
      return work()
    } catch (cause) {
      return rethrow(cause)
    }
  }

  const one = (statement: StatementSync, ...values: ReadonlyArray<SupportedValueType>): Row | undefined =>
    statement.get(...values) as Row | undefined
  const all = (statement: StatementSync, ...values: ReadonlyArray<SupportedValueType>): ReadonlyArray<Row> =>
    statement.all(...values) as ReadonlyArray<Row>

  const findUpload = (key: string) => {
    const row = one(sql.upload, key)
    return row === undefined ? null : toUpload(row)
  }

  const schedule = (fileId: number, eventId: string, now: number, claimedUntil: number | null): void => {
    sql.insertDelivery.run(eventId, claimedUntil === null ? 0 : 1, now, claimedUntil ?? now, fileId)
  }

  /** `Uploading → Failed` inside a transaction; false when there is no such upload. */
  const failUpload = (
    key: string,
    epoch: number,
    code: string,
    message: string,
    eventId: string,
    now: number,
  ): boolean => {
    const row = one(sql.fail, code, message, now, key, epoch)
    if (row === undefined) return false
    if (row.registrationId !== null) {
      sql.arrived.run(key)
      schedule(row.id as number, eventId, now, null)
    }
    return true
  }

  const findUsage = (appId: string): Usage =>
    (one(sql.usage, appId) as Usage | undefined) ?? { files: 0, storedBytes: 0, announcedBytes: 0 }

  /** Forgets a file with all that hangs on it. */
  const deleteFile = (id: number, registrationId: SupportedValueType = null): void => {
    sql.deleteAttempts.run(id)
    sql.deleteDelivery.run(id)
    sql.deleteContent.run(id)
    sql.deleteFile.run(id)
    if (registrationId !== null) sql.dropRegistration.run(registrationId)
  }

  /** What begins on a key that is known, or where the quota has no room for a file the app did not have. */
  const goOn = (
    values: ReadonlyArray<SupportedValueType>,
    { grant, now, quota }: Parameters<Catalog["begin"]>[0],
  ): Begun => {
    const upload = findUpload(grant.key)
    if (upload === null) return { kind: "overQuota", usage: findUsage(grant.appId) }
    const { file } = upload
    const isSame = isSameUpload(file, grant)
    const isOurs = file.appId === grant.appId
    if (!isOurs || file.status === "Deleting" || (file.status === "Uploaded" && !isSame)) return { kind: "taken" }
    if (file.status === "Uploaded") return { kind: "finished", upload }
    if (file.status === "Failed" && isSame && file.expires === grant.expires) {
      return { kind: "failed", failure: file.failure! }
    }
    const epoch = file.epoch + 1
    if (file.status === "Uploading" && isSame) {
      sql.goOn.run(epoch, grant.expires, now, file.id)
      return { kind: "granted", epoch, isNew: false, id: file.id }
    }
    const usage = findUsage(grant.appId)
    if (!fitsQuota(usage, grant.size, quota, file)) return { kind: "overQuota", usage }
    sql.supersede.run(replacedFailure.code, replacedFailure.message, now, file.id)
    // Results name files, not events: from now on none can acknowledge it.
    sql.dropDevEvent.run(file.id)
    const id = one(sql.insertFile, ...values.with(11, epoch))!.id as number
    return { kind: "granted", epoch, isNew: true, id }
  }

  /** The values of a new row of `files`. */
  const toValues = (grant: UploadGrant, origin: string, now: number): Array<SupportedValueType> => {
    const { key, appId, name, size, type, customId = null, slug = null, contentDisposition = null, acl = null } = grant
    return [key, appId, name, size, type, customId, slug, contentDisposition, acl, origin, grant.expires, 1, now]
  }

  /** What follows from a file having become `Uploaded`. */
  const complete = (
    key: string,
    id: number,
    registrationId: SupportedValueType | undefined,
    { eventId, now, claimedUntil }: CommitNotes,
  ): Extract<Committed, { readonly kind: "committed" }> => {
    if (registrationId !== null) {
      sql.arrived.run(key)
      schedule(id, eventId, now, claimedUntil)
    }
    const upload = findUpload(key)!
    const { file, registration, delivery } = upload
    const isClaimed = registration !== null && delivery !== null && !registration.isDev && claimedUntil !== null
    const due = isClaimed
      ? { id: delivery.id, hook: delivery.hook, attempt: delivery.attempts, retry: 0, file, registration }
      : null
    return { kind: "committed", upload, due }
  }

  return {
    abilities: { isDurable, isShared: false, largestContent },
    begin: async (begin) => {
      const { grant, origin, now, quota } = begin
      const values = toValues(grant, origin, now)
      return write((): Begun => {
        const hasRoom = quota === undefined || fitsQuota(findUsage(grant.appId), grant.size, quota)
        const inserted = hasRoom ? one(sql.insertNew, ...values) : undefined
        return inserted === undefined
          ? goOn(values, begin)
          : { kind: "granted", epoch: 1, isNew: true, id: inserted.id as number }
      })
    },
    interrupt: (key) => write(() => (one(sql.interrupt, key)?.epoch as number | undefined) ?? null),
    commit: ({ key, epoch, fileHash, ...notes }) =>
      write((): Committed => {
        const row = one(sql.finish, fileHash, notes.now, key, epoch)
        return row === undefined ? { kind: "fenced" } : complete(key, row.id as number, row.registrationId, notes)
      }),
    commitWhole: ({ grant, origin, bytes, fileHash, quota, ...notes }) =>
      write(() => {
        if (quota !== undefined && !fitsQuota(findUsage(grant.appId), grant.size, quota)) return { kind: "refused" }
        const row = one(sql.insertWhole, ...toValues(grant, origin, notes.now), fileHash)
        if (row === undefined) return { kind: "refused" }
        const id = row.id as number
        sql.insertContent.run(id, bytes)
        if (row.registrationId !== null) return complete(grant.key, id, row.registrationId, notes)
        // Nothing hangs on it yet: what would be read back is known.
        const { now } = notes
        const begun = describeFile(grant, origin, 1, now)
        const file: FileRecord = { ...begun, id, status: "Uploaded", uploadedAt: now, fileHash, isInline: true }
        return {
          kind: "committed",
          upload: { file, registration: null, delivery: null, result: null, resultAt: null },
          due: null,
        }
      }),
    readContent: (id) => read(() => (sql.content.get(id)?.bytes as Uint8Array | undefined) ?? null),
    fail: async ({ key, epoch, failure, now, eventId }) =>
      write(() => failUpload(key, epoch, failure.code, failure.message, eventId, now)),
    register: async ({
      appId,
      fileKeys,
      metadata,
      callbackUrl,
      callbackSlug,
      awaitServerData,
      isDev,
      trace,
      now,
      createEventId,
    }) =>
      write(() => {
        const { id } = one(
          sql.insertRegistration,
          appId,
          metadata,
          callbackUrl,
          callbackSlug,
          Number(awaitServerData),
          Number(isDev),
          trace?.traceparent ?? null,
          trace?.tracestate ?? null,
          now,
        )!
        for (const key of fileKeys) {
          const ended = one(sql.ended, key, appId)
          if (ended !== undefined && ended.deliveryId === null) {
            sql.attach.run(id as number, ended.id as number)
            schedule(ended.id as number, createEventId(), now, null)
          }
          // A failed file's key may be taken by a new upload: this registration is for that one.
          if (ended?.status !== "Uploaded") sql.expect.run(key, id as number, now)
        }
        sql.dropRegistration.run(id as number)
      }),
    recordResult: async ({ appId, key, result, now }) =>
      write(() => {
        const [data, error] = "data" in result ? [result.data, null] : [null, result.error]
        const row = one(sql.ofApp, key, appId)
        if (row === undefined) return false
        sql.result.run(now, data, error, row.id as number)
        sql.acknowledge.run(row.id as number)
        return true
      }),
    claimDue: async ({ channel, now, claimedUntil, limit, except }) => {
      const excepted = JSON.stringify([...(except ?? [])])
      return write(() => {
        const claimed =
          channel === "callback"
            ? all(sql.claim, claimedUntil, now, excepted, limit)
            : all(sql.claimDev, claimedUntil, now, excepted, channel.appId, channel.callbackSlug, limit)
        return claimed.map(({ id }) => toDue(one(sql.due, id!)!)).sort((a, b) => a.file.id - b.file.id)
      })
    },
    recordAttempt: async ({ deliveryId, attempt, startedAt, latency, status, error, answer, outcome }) =>
      write(() => {
        sql.insertAttempt.run(deliveryId, attempt, startedAt, latency, status, error, answer)
        const [next, at] = typeof outcome === "string" ? [outcome, null] : ["pending", outcome.retryAt]
        sql.endAttempt.run(next, outcome === "delivered" ? 0 : 1, at, deliveryId, attempt)
      }),
    redeliver: ({ id, now }) => write(() => sql.redeliver.run(now, id).changes === 1),
    nextDueAt: () => read(() => (one(sql.nextDueAt)?.at as number | undefined) ?? null),
    countDeliveries: (limit) =>
      read(() => {
        const { pending, dead } = one(sql.countDeliveries, limit)!
        return { pending: pending as number, dead: dead as number }
      }),
    releaseClaims: (now) =>
      write(() => {
        sql.releaseClaims.run(now)
      }),
    get: (key) => read(() => findUpload(key)),
    findByCustomId: (appId, customId) =>
      read(() => {
        const row = one(sql.customId, appId, customId)
        return row === undefined ? null : toFile(row)
      }),
    usage: (appId) => read(() => ({ ...findUsage(appId) })),
    expire: async ({ expiredBefore, unregisteredBefore, abandonedBefore, limit, now, createEventId }) =>
      write(() => {
        const { code, message } = expiryFailure
        const expired = all(sql.expired, expiredBefore, limit)
        for (const { key, epoch } of expired) {
          failUpload(key as string, epoch as number, code, message, createEventId(), now)
        }
        const { changes } = sql.dropUnregistered.run(now, unregisteredBefore, limit)
        const abandoned = all(sql.abandoned, abandonedBefore, limit)
        for (const id of new Set(abandoned.map((row) => row.id!))) sql.dropRegistration.run(id)
        return expired.length + Number(changes) + abandoned.length
      }),
    prune: async ({ before, limit }) =>
      write(() => {
        const failed = all(sql.failedHistory, before, limit)
        for (const { id, registrationId } of failed) deleteFile(id as number, registrationId)
        const { changes } = sql.pruneAttempts.run(before, limit)
        return failed.length + Number(changes)
      }),
    listReclaimable: (limit) =>
      read(() => all(sql.reclaimable, limit).map((row) => ({ id: row.id as number, key: row.key as string }))),
    reclaimed: async ({ id, key }) =>
      write(() => {
        sql.keepFailed.run(id)
        const row = one(sql.deleting, id, key)
        if (row === undefined) return
        deleteFile(id, row.registrationId)
      }),
    ...createFiles(database, sql, write),
    ...createHistory(database),
    ...createAppTable(database, {
      read,
      write,
      closeToOthers: () => {
        for (const part of [file, `${file}-wal`, `${file}-shm`]) if (existsSync(part)) chmodSync(part, 0o600)
      },
    }),
    close: async () => {
      if (!database.isOpen) return
      await group.close()
      await log?.close()
      database.close()
    },
  }
}
