import type { CatalogDeliveries } from "../catalog/deliveries.ts"
import type { DueDelivery } from "../catalog/records.ts"
import { type Row, toDue } from "../sql/rows.ts"
import { statements } from "../sql/statements.ts"
import { claimStatements } from "./claim-statements.ts"
import type { Database, Sql } from "./database.ts"
import { endAttempt, keepResult } from "./steps.ts"

/** What others are claiming at this moment is theirs. */
const dueOfApp = `${statements.dueOfApp} FOR UPDATE SKIP LOCKED`

const dueOnStream = `
  SELECT file_id AS id FROM deliveries d JOIN registrations r ON r.id = d.registration_id
  WHERE d.status = 'pending' AND d.is_dev = 1 AND d.app_id = ? AND d.next_at <= ?
    AND d.id <> ALL (?::text[]) AND r.callback_slug = ?
  ORDER BY d.next_at, d.file_id LIMIT ? FOR UPDATE OF d SKIP LOCKED`

const findDue = async (
  sql: Sql,
  { channel, now, limit, except, roomOf = () => limit }: Parameters<CatalogDeliveries["claimDue"]>[0],
): Promise<ReadonlyArray<Row>> => {
  if (channel !== "callback") {
    return sql.all(dueOnStream, channel.appId, now, [...(except ?? [])], channel.callbackSlug, limit)
  }
  const found: Array<Row> = []
  for (const { appId } of await sql.all(statements.appsWithDue, now)) {
    const room = Math.min(roomOf(appId as string), limit - found.length)
    if (room > 0) found.push(...(await sql.all(dueOfApp, appId!, now, room)))
  }
  return found
}

/** Ends an attempt, and keeps the result that it brought. */
export const recordOneAttempt = async (
  sql: Sql,
  { result, ...attempt }: Parameters<CatalogDeliveries["recordAttempt"]>[0],
): Promise<boolean> => {
  const isNewest = await endAttempt(sql, attempt)
  if (result === undefined || ("error" in result && !isNewest)) return false
  const file = await sql.one(statements.fileOfEvent, attempt.deliveryId)
  return file !== undefined && keepResult(sql, file.id as number, result, attempt.startedAt + attempt.latency)
}

/**
 * The events in the PostgreSQL catalog.
 *
 * @param me the process that claims them
 */
export const createDeliveries = ({ read, write }: Database, me: string): Omit<CatalogDeliveries, "recordAttempt"> => ({
  claimDue: (claim) =>
    write(async (sql) => {
      const claimed: Array<DueDelivery> = []
      for (const { id } of await findDue(sql, claim)) {
        await sql.run(claimStatements.claimDelivery, claim.claimedUntil, me, id!)
        await sql.run(statements.forgetError, id!)
        claimed.push(toDue((await sql.one(statements.due, id!))!))
      }
      return claimed
    }),
  redeliver: ({ id, now, callbackUrl }) =>
    write(async (sql) => {
      if ((await sql.run(statements.redeliver, now, id)) !== 1) return false
      if (callbackUrl !== undefined) await sql.run(statements.moveCallbacks, callbackUrl, id)
      await sql.run(statements.forgetError, (await sql.one(statements.fileOfEvent, id))!.id!)
      return true
    }),
  nextDueAt: async (now) => ((await read.one(statements.nextDueAt, now))?.at as number | undefined) ?? null,
  countDeliveries: async (limit) => {
    const { pending, dead } = (await read.one(statements.countDeliveries, limit))!
    return { pending: pending as number, dead: dead as number }
  },
  releaseClaims: (now) => write(async (sql) => void (await sql.run(statements.releaseClaims, now))),
})
