import { createSecretId } from "../../access/key-id.ts"
import {
  type CatalogEndpoints,
  type DueEvent,
  type EndpointRecord,
  type EndpointSecret,
  mostActiveSecrets,
  mostEndpoints,
} from "../catalog/endpoints.ts"
import { endpointStatements as statements, listEvents, toEvent, toEventFile } from "../sql/endpoints.ts"
import type { Row } from "../sql/rows.ts"
import { claimStatements } from "./claim-statements.ts"
import type { Database, Sql } from "./database.ts"
import { insertAttempt } from "./steps.ts"

const toEndpoint = async (sql: Sql, row: Row): Promise<EndpointRecord> => ({
  ...(row as unknown as Omit<EndpointRecord, "events" | "secrets">),
  events: JSON.parse(row.events as string),
  secrets: (await sql.all(statements.secrets, row.id!)) as unknown as ReadonlyArray<EndpointSecret>,
})

const listAll = async (sql: Sql): Promise<ReadonlyArray<EndpointRecord>> => {
  const endpoints: Array<EndpointRecord> = []
  for (const row of await sql.all(statements.list)) endpoints.push(await toEndpoint(sql, row))
  return endpoints
}

/** The endpoint; nobody else changes it, or its secrets, until the transaction ends. */
const holdEndpoint = (sql: Sql, id: string): Promise<Row | undefined> => sql.one(`${statements.find} FOR UPDATE`, id)

const insertSecret = (sql: Sql, endpointId: string, secret: string, now: number): Promise<number> =>
  sql.run(statements.insertSecret, createSecretId(secret), endpointId, secret, now)

const countSecrets = async (sql: Sql, endpointId: string): Promise<number> =>
  (await sql.one(statements.countSecrets, endpointId))!.active as number

const claimEvents = async (
  sql: Sql,
  me: string,
  { now, claimedUntil, limit, roomOf }: Parameters<CatalogEndpoints["claimEvents"]>[0],
): Promise<ReadonlyArray<DueEvent>> => {
  const claimed: Array<DueEvent> = []
  for (const { endpointId } of await sql.all(statements.withDue, now)) {
    const room = Math.min(roomOf(endpointId as string), limit - claimed.length)
    if (room <= 0) continue
    const row = await sql.one(statements.find, endpointId!)
    if (row === undefined) continue
    const endpoint = await toEndpoint(sql, row)
    for (const { number } of await sql.all(`${statements.dueOf} FOR UPDATE SKIP LOCKED`, endpointId!, now, room)) {
      const { file, ...event } = (await sql.one(claimStatements.claimEvent, claimedUntil, me, number!))!
      claimed.push({ ...(event as unknown as Omit<DueEvent, "file" | "endpoint">), file: toEventFile(file), endpoint })
    }
  }
  return claimed
}

/**
 * The endpoints of apps in the PostgreSQL catalog, and what they are owed. Triggers write what that is.
 *
 * @param me the process that claims events
 */
export const createEndpoints = ({ read, write }: Database, me: string): CatalogEndpoints => ({
  listEndpoints: () => listAll(read),
  createEndpoint: ({ id, appId, url, events, createdAt, secret }) =>
    write(async (sql) => {
      await sql.hold([`endpoints ${appId}`])
      if (((await sql.one(statements.countOfApp, appId))!.count as number) >= mostEndpoints) return "tooMany"
      await sql.run(statements.insert, id, appId, url, JSON.stringify(events), createdAt)
      await insertSecret(sql, id, secret, createdAt)
      return "created"
    }),
  changeEndpoint: (id, { url, events }) =>
    write(async (sql) => {
      const heard = events === undefined ? null : JSON.stringify(events)
      return (await sql.run(statements.change, url ?? null, heard, id)) === 1
    }),
  deleteEndpoint: (id) =>
    write(async (sql) => {
      await holdEndpoint(sql, id)
      await sql.run(statements.deleteSecrets, id)
      return (await sql.run(statements.delete, id)) === 1
    }),
  addSecret: ({ endpointId, secret, now }) =>
    write(async (sql) => {
      if ((await holdEndpoint(sql, endpointId)) === undefined) return "unknownEndpoint"
      if ((await countSecrets(sql, endpointId)) >= mostActiveSecrets) return "tooMany"
      await insertSecret(sql, endpointId, secret, now)
      return "added"
    }),
  revokeSecret: ({ endpointId, id, now }) =>
    write(async (sql) => {
      await holdEndpoint(sql, endpointId)
      if ((await countSecrets(sql, endpointId)) < 2) return false
      return (await sql.run(statements.revokeSecret, now, endpointId, id)) === 1
    }),
  addTestEvent: ({ id, endpointId, now }) =>
    write(async (sql) => {
      if ((await holdEndpoint(sql, endpointId)) === undefined) return false
      await sql.run(statements.insertTest, id, endpointId, now)
      return true
    }),
  claimEvents: (claim) => write((sql) => claimEvents(sql, me, claim)),
  recordEventAttempt: (attempt) =>
    write(async (sql) => {
      const { deliveryId, outcome } = attempt
      await insertAttempt(sql, attempt)
      const [next, at] = typeof outcome === "string" ? [outcome, null] : ["pending", outcome.retryAt]
      const isDelivered = Number(outcome === "delivered")
      return (await sql.run(claimStatements.endEvent, next, isDelivered, at, deliveryId, attempt.attempt)) === 1
    }),
  releaseEventClaims: (now) => write(async (sql) => void (await sql.run(statements.releaseClaims, now))),
  pruneEvents: ({ before, limit }) =>
    write(
      async (sql) =>
        (await sql.run(statements.pruneEnded, before, limit)) + (await sql.run(statements.pruneOrphans, limit)),
    ),
  nextEventAt: async (now) => ((await read.one(statements.next, now))?.at as number | null | undefined) ?? null,
  redeliverEvent: ({ id, now }) => write(async (sql) => (await sql.run(statements.redeliver, now, id)) === 1),
  countEvents: async (limit) => {
    const { pending, dead } = (await read.one(statements.count, limit))!
    return { pending: pending as number, dead: dead as number }
  },
  listEvents: async ({ endpointId, status, before = Number.MAX_SAFE_INTEGER, limit }) => {
    const values = { before, limit, ...(endpointId !== undefined && { endpointId }), ...(status && { status }) }
    return (await read.all(listEvents(endpointId !== undefined, status !== undefined), values)).map(toEvent)
  },
  findEvent: async (id) => {
    const row = await read.one(statements.findEvent, id)
    return row === undefined ? null : toEvent(row)
  },
})
