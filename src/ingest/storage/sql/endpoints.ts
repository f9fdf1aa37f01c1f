import type { EndpointEvent, EventFile } from "../catalog/endpoints.ts"
import type { Row } from "./rows.ts"

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
  SELECT waiting.endpoint_id AS "endpointId", waiting.oldest FROM (
    SELECT owed.endpoint_id, (
      SELECT min(v.next_at) FROM endpoint_events v WHERE v.status = 'pending' AND v.endpoint_id = owed.endpoint_id
    ) AS oldest
    FROM owed WHERE owed.endpoint_id IN (SELECT id FROM endpoints)
  ) AS waiting
  WHERE waiting.oldest <= ? ORDER BY waiting.oldest, waiting.endpoint_id`

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

const columns = `number, id, endpoint_id AS "endpointId", type, at, file, status, attempts, failures, next_at AS "nextAt"`

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

/** The file of an event: JSON, which a driver may have read already. */
export const toEventFile = (file: unknown): EventFile | null =>
  typeof file === "string" ? JSON.parse(file) : ((file ?? null) as EventFile | null)

/** A row of {@link listEvents}. */
export const toEvent = ({ file, ...row }: Row): EndpointEvent => ({ ...row, file: toEventFile(file) }) as EndpointEvent

/** @param also what is set beside, with a comma before it */
export const claimEvent = (also = ""): string => `
    UPDATE endpoint_events SET attempts = attempts + 1, next_at = ?${also} WHERE number = ?
    RETURNING id, type, at, file, attempts AS attempt, attempts - redelivered_after - 1 AS retry`

/**
 * @param also   what is set beside, with a comma before it
 * @param failed how many attempts have failed once this one has
 */
export const endEvent = (also = "", failed = "failures + 1"): string => `
    UPDATE endpoint_events SET status = ?, failures = CASE WHEN ? = 1 THEN failures ELSE ${failed} END,
      next_at = coalesce(?, next_at)${also}
    WHERE id = ? AND attempts = ? AND status = 'pending'`

/** By name. */
export const endpointStatements = {
  list: `
    SELECT id, app_id AS "appId", url, events, created_at AS "createdAt" FROM endpoints ORDER BY created_at, rowid`,
  find: `SELECT id, app_id AS "appId", url, events, created_at AS "createdAt" FROM endpoints WHERE id = ?`,
  secrets: `
    SELECT id, secret, created_at AS "createdAt", revoked_at AS "revokedAt" FROM endpoint_secrets WHERE endpoint_id = ?
    ORDER BY created_at DESC, rowid DESC`,
  countOfApp: "SELECT count(*) AS count FROM endpoints WHERE app_id = ?",
  insert: "INSERT INTO endpoints (id, app_id, url, events, created_at) VALUES (?, ?, ?, ?, ?)",
  change: "UPDATE endpoints SET url = coalesce(?, url), events = coalesce(?, events) WHERE id = ?",
  delete: "DELETE FROM endpoints WHERE id = ?",
  deleteSecrets: "DELETE FROM endpoint_secrets WHERE endpoint_id = ?",
  countSecrets: "SELECT count(*) AS active FROM endpoint_secrets WHERE endpoint_id = ? AND revoked_at IS NULL",
  insertSecret: "INSERT INTO endpoint_secrets (id, endpoint_id, secret, created_at) VALUES (?, ?, ?, ?)",
  revokeSecret: `
    UPDATE endpoint_secrets SET revoked_at = ?, secret = NULL WHERE endpoint_id = ? AND id = ? AND revoked_at IS NULL`,
  insertTest: `
    INSERT INTO endpoint_events (id, endpoint_id, type, at, next_at) VALUES (?1, ?2, 'test', ?3, ?3)`,
  withDue: endpointsWithDue,
  dueOf: dueOfEndpoint,
  claim: claimEvent(),
  end: endEvent(),
  releaseClaims:
    "UPDATE endpoint_events SET failures = attempts, next_at = ? WHERE status = 'pending' AND attempts > failures",
  pruneEnded: `
    DELETE FROM endpoint_events WHERE number IN (
      SELECT number FROM endpoint_events WHERE status <> 'pending' AND at < ? ORDER BY at LIMIT ?)`,
  pruneOrphans,
  next: nextEventAt,
  redeliver: `
    UPDATE endpoint_events SET status = 'pending', failures = attempts, redelivered_after = attempts, next_at = ?
    WHERE id = ? AND (status <> 'pending' OR attempts = failures) AND endpoint_id IN (SELECT id FROM endpoints)`,
  count: `
    SELECT (SELECT count(*) FROM (SELECT 1 FROM endpoint_events WHERE status = 'pending' LIMIT ?1) AS few) AS pending,
      (SELECT count(*) FROM (SELECT 1 FROM endpoint_events WHERE status = 'dead' LIMIT ?1) AS few) AS dead`,
  findEvent: `SELECT ${columns} FROM endpoint_events WHERE id = ?`,
} as const
