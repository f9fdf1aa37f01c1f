import type { DatabaseSync } from "node:sqlite"
import { createSecretId } from "../../key-id.ts"
import {
  type CatalogEndpoints,
  type DueEvent,
  type EndpointEvent,
  type EndpointRecord,
  type EndpointSecret,
  mostActiveSecrets,
  mostEndpoints,
} from "../catalog-endpoints.ts"
import type { Row } from "./rows.ts"
import { all, one } from "./statements.ts"
import type { Transactions } from "./transactions.ts"

/** Each endpoint that is owed something, found by one step in the index however much it is. */
const owedEndpoints = `
  WITH RECURSIVE owed (endpoint_id) AS (
    SELECT min(endpoint_id) FROM endpoint_events INDEXED BY endpoint_events_due WHERE status = 'pending'
    UNION ALL
    SELECT (SELECT min(v.endpoint_id) FROM endpoint_events v INDEXED BY endpoint_events_due WHERE v.status = 'pending' AND v.endpoint_id > owed.endpoint_id)
    FROM owed WHERE owed.endpoint_id IS NOT NULL
  )`

/** The endpoints that have events due, the one that has waited longest first. What a deleted one was owed is nobody's. */
export const endpointsWithDue = `${owedEndpoints}
  SELECT owed.endpoint_id AS endpointId, (
    SELECT min(v.next_at) FROM endpoint_events v WHERE v.status = 'pending' AND v.endpoint_id = owed.endpoint_id
  ) AS oldest
  FROM owed WHERE oldest <= ? AND owed.endpoint_id IN (SELECT id FROM endpoints) ORDER BY oldest, endpointId`

/** When the next event falls due after a moment. */
export const nextEventAt = `${owedEndpoints}
  SELECT min((
    SELECT min(v.next_at) FROM endpoint_events v
    WHERE v.status = 'pending' AND v.endpoint_id = owed.endpoint_id AND v.next_at > ?
  )) AS at FROM owed WHERE owed.endpoint_id IN (SELECT id FROM endpoints)`

/** The events of an endpoint that are due. */
export const dueOfEndpoint = `
  SELECT number FROM endpoint_events WHERE status = 'pending' AND endpoint_id = ? AND next_at <= ?
  ORDER BY next_at, number LIMIT ?`

/** What endpoints were owed that have been deleted. */
export const pruneOrphans = `
  WITH RECURSIVE known (endpoint_id) AS (
    SELECT min(endpoint_id) FROM endpoint_events
    UNION ALL
    SELECT (SELECT min(v.endpoint_id) FROM endpoint_events v WHERE v.endpoint_id > known.endpoint_id)
    FROM known WHERE known.endpoint_id IS NOT NULL
  )
  DELETE FROM endpoint_events WHERE number IN (
    SELECT v.number FROM known JOIN endpoint_events v ON v.endpoint_id = known.endpoint_id
    WHERE known.endpoint_id NOT IN (SELECT id FROM endpoints) LIMIT ?)`

const columns = `number, id, endpoint_id AS endpointId, type, at, file, status, attempts, failures, next_at AS nextAt`

const ofEndpoint = (status: string): string => `
  SELECT number FROM endpoint_events WHERE endpoint_id = :endpointId AND status = ${status} AND number < :before`

/** Events of every or one endpoint, in every or one state, newest first. Each state of one is sorted in the index. */
export const listEvents = (isOfOne: boolean, hasStatus: boolean): string => {
  if (!isOfOne) {
    const where = hasStatus ? "status = :status AND number < :before" : "number < :before"
    return `SELECT ${columns} FROM endpoint_events WHERE ${where} ORDER BY number DESC LIMIT :limit`
  }
  const states = hasStatus ? [":status"] : ["'pending'", "'delivered'", "'dead'"]
  const found = states.map(ofEndpoint).join(" UNION ALL ")
  return `
    SELECT ${columns} FROM endpoint_events WHERE number IN (${found} ORDER BY number DESC LIMIT :limit)
    ORDER BY number DESC`
}

const toEvent = ({ file, ...row }: Row): EndpointEvent =>
  ({ ...row, file: file === null ? null : JSON.parse(file as string) }) as EndpointEvent

/** The endpoints of apps in the SQLite catalog, and what they are owed. Triggers write what that is. */
export const createEndpoints = (
  database: DatabaseSync,
  { read, write }: Transactions,
  /** Makes the database's files unreadable for other users: they hold a secret from now on. */
  closeToOthers: () => void,
  recordAttempt: (attempt: Parameters<CatalogEndpoints["recordEventAttempt"]>[0]) => void,
): CatalogEndpoints => {
  const prepare = (sql: string) => database.prepare(sql)
  const sql = {
    list: prepare(`
      SELECT id, app_id AS appId, url, events, created_at AS createdAt FROM endpoints ORDER BY created_at, rowid`),
    find: prepare("SELECT id, app_id AS appId, url, events, created_at AS createdAt FROM endpoints WHERE id = ?"),
    secrets: prepare(`
      SELECT id, secret, created_at AS createdAt, revoked_at AS revokedAt FROM endpoint_secrets WHERE endpoint_id = ?
      ORDER BY created_at DESC, rowid DESC`),
    countOfApp: prepare("SELECT count(*) AS count FROM endpoints WHERE app_id = ?"),
    insert: prepare("INSERT INTO endpoints (id, app_id, url, events, created_at) VALUES (?, ?, ?, ?, ?)"),
    change: prepare("UPDATE endpoints SET url = coalesce(?, url), events = coalesce(?, events) WHERE id = ?"),
    delete: prepare("DELETE FROM endpoints WHERE id = ?"),
    deleteSecrets: prepare("DELETE FROM endpoint_secrets WHERE endpoint_id = ?"),
    countSecrets: prepare(
      "SELECT count(*) AS active FROM endpoint_secrets WHERE endpoint_id = ? AND revoked_at IS NULL",
    ),
    insertSecret: prepare("INSERT INTO endpoint_secrets (id, endpoint_id, secret, created_at) VALUES (?, ?, ?, ?)"),
    revokeSecret: prepare(`
      UPDATE endpoint_secrets SET revoked_at = ?, secret = NULL WHERE endpoint_id = ? AND id = ? AND revoked_at IS NULL`),
    insertTest: prepare(`
      INSERT INTO endpoint_events (id, endpoint_id, type, at, next_at) VALUES (?1, ?2, 'test', ?3, ?3)`),
    withDue: prepare(endpointsWithDue),
    dueOf: prepare(dueOfEndpoint),
    claim: prepare(`
      UPDATE endpoint_events SET attempts = attempts + 1, next_at = ? WHERE number = ?
      RETURNING id, type, at, file, attempts AS attempt, attempts - redelivered_after - 1 AS retry`),
    end: prepare(`
      UPDATE endpoint_events SET status = ?, failures = iif(?, failures, failures + 1), next_at = coalesce(?, next_at)
      WHERE id = ? AND attempts = ? AND status = 'pending'`),
    releaseClaims: prepare(
      "UPDATE endpoint_events SET failures = attempts, next_at = ? WHERE status = 'pending' AND attempts > failures",
    ),
    pruneEnded: prepare(`
      DELETE FROM endpoint_events WHERE number IN (
        SELECT number FROM endpoint_events WHERE status <> 'pending' AND at < ? ORDER BY at LIMIT ?)`),
    pruneOrphans: prepare(pruneOrphans),
    next: prepare(nextEventAt),
    redeliver: prepare(`
      UPDATE endpoint_events SET status = 'pending', failures = attempts, redelivered_after = attempts, next_at = ?
      WHERE id = ? AND (status <> 'pending' OR attempts = failures) AND endpoint_id IN (SELECT id FROM endpoints)`),
    count: prepare(`
      SELECT (SELECT count(*) FROM (SELECT 1 FROM endpoint_events WHERE status = 'pending' LIMIT ?1)) AS pending,
        (SELECT count(*) FROM (SELECT 1 FROM endpoint_events WHERE status = 'dead' LIMIT ?1)) AS dead`),
    findEvent: prepare(`SELECT ${columns} FROM endpoint_events WHERE id = ?`),
  }

  const toEndpoint = (row: Row): EndpointRecord => ({
    ...(row as unknown as Omit<EndpointRecord, "events" | "secrets">),
    events: JSON.parse(row.events as string),
    secrets: all(sql.secrets, row.id!) as unknown as ReadonlyArray<EndpointSecret>,
  })

  const find = (id: string): EndpointRecord | undefined => {
    const row = one(sql.find, id)
    return row && toEndpoint(row)
  }

  const insertSecret = (endpointId: string, secret: string, now: number): void => {
    closeToOthers()
    sql.insertSecret.run(createSecretId(secret), endpointId, secret, now)
  }

  return {
    listEndpoints: () => read(() => all(sql.list).map(toEndpoint)),
    createEndpoint: ({ id, appId, url, events, createdAt, secret }) =>
      write(() => {
        if ((one(sql.countOfApp, appId)!.count as number) >= mostEndpoints) return "tooMany"
        sql.insert.run(id, appId, url, JSON.stringify(events), createdAt)
        insertSecret(id, secret, createdAt)
        return "created"
      }),
    changeEndpoint: (id, { url, events }) =>
      write(() => sql.change.run(url ?? null, events === undefined ? null : JSON.stringify(events), id).changes === 1),
    deleteEndpoint: (id) =>
      write(() => {
        sql.deleteSecrets.run(id)
        return sql.delete.run(id).changes === 1
      }),
    addSecret: ({ endpointId, secret, now }) =>
      write(() => {
        if (one(sql.find, endpointId) === undefined) return "unknownEndpoint"
        if ((one(sql.countSecrets, endpointId)!.active as number) >= mostActiveSecrets) return "tooMany"
        insertSecret(endpointId, secret, now)
        return "added"
      }),
    revokeSecret: ({ endpointId, id, now }) =>
      write(() => {
        if ((one(sql.countSecrets, endpointId)!.active as number) < 2) return false
        return sql.revokeSecret.run(now, endpointId, id).changes === 1
      }),
    addTestEvent: ({ id, endpointId, now }) =>
      write(() => {
        if (one(sql.find, endpointId) === undefined) return false
        sql.insertTest.run(id, endpointId, now)
        return true
      }),
    claimEvents: ({ now, claimedUntil, limit, roomOf }) =>
      write(() => {
        const claimed: Array<DueEvent> = []
        for (const { endpointId } of all(sql.withDue, now)) {
          const room = Math.min(roomOf(endpointId as string), limit - claimed.length)
          if (room <= 0) continue
          const endpoint = find(endpointId as string)!
          for (const { number } of all(sql.dueOf, endpointId!, now, room)) {
            const { file, ...event } = one(sql.claim, claimedUntil, number!)!
            const then = file === null ? null : JSON.parse(file as string)
            claimed.push({ ...(event as unknown as Omit<DueEvent, "file" | "endpoint">), file: then, endpoint })
          }
        }
        return claimed
      }),
    recordEventAttempt: (attempt) =>
      write(() => {
        const { deliveryId, outcome } = attempt
        recordAttempt(attempt)
        const [next, at] = typeof outcome === "string" ? [outcome, null] : ["pending", outcome.retryAt]
        return sql.end.run(next, Number(outcome === "delivered"), at, deliveryId, attempt.attempt).changes === 1
      }),
    releaseEventClaims: (now) =>
      write(() => {
        sql.releaseClaims.run(now)
      }),
    pruneEvents: ({ before, limit }) =>
      write(() => Number(sql.pruneEnded.run(before, limit).changes) + Number(sql.pruneOrphans.run(limit).changes)),
    nextEventAt: (now) => read(() => (one(sql.next, now)?.at as number | null | undefined) ?? null),
    redeliverEvent: ({ id, now }) => write(() => sql.redeliver.run(now, id).changes === 1),
    countEvents: (limit) =>
      read(() => {
        const { pending, dead } = one(sql.count, limit)!
        return { pending: pending as number, dead: dead as number }
      }),
    listEvents: ({ endpointId, status, before = Number.MAX_SAFE_INTEGER, limit }) =>
      read(() => {
        const statement = prepare(listEvents(endpointId !== undefined, status !== undefined))
        const values = { before, limit, ...(endpointId !== undefined && { endpointId }), ...(status && { status }) }
        return (statement.all(values) as ReadonlyArray<Row>).map(toEvent)
      }),
    findEvent: (id) =>
      read(() => {
        const row = one(sql.findEvent, id)
        return row === undefined ? null : toEvent(row)
      }),
  }
}
