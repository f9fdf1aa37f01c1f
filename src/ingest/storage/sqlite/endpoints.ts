import type { DatabaseSync } from "node:sqlite"
import { createSecretId } from "../../access/key-id.ts"
import {
  type CatalogEndpoints,
  type DueEvent,
  type EndpointRecord,
  type EndpointSecret,
  mostActiveSecrets,
  mostEndpoints,
} from "../catalog/endpoints.ts"
import { endpointStatements, listEvents, toEvent } from "../sql/endpoints.ts"
import type { Row } from "../sql/rows.ts"
import { all, one, prepareAll } from "./statements.ts"
import type { Transactions } from "./transactions.ts"

/** The endpoints of apps in the SQLite catalog, and what they are owed. Triggers write what that is. */
export const createEndpoints = (
  database: DatabaseSync,
  { read, write }: Transactions,
  /** Makes the database's files unreadable for other users: they hold a secret from now on. */
  closeToOthers: () => void,
  recordAttempt: (attempt: Parameters<CatalogEndpoints["recordEventAttempt"]>[0]) => void,
): CatalogEndpoints => {
  const sql = prepareAll(database, endpointStatements)

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
        const statement = database.prepare(listEvents(endpointId !== undefined, status !== undefined))
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
