import type { SQLOutputValue } from "node:sqlite"
import type { CatalogDeliveries } from "../catalog/deliveries.ts"
import { type Row, toDue } from "../sql/rows.ts"
import { one, type Statements } from "./statements.ts"
import type { Steps } from "./steps.ts"
import type { Transactions } from "./transactions.ts"

/** The events in the SQLite catalog. */
export const createDeliveries = (
  sql: Statements,
  { read, write }: Transactions,
  { endAttempt, keepResult }: Pick<Steps, "endAttempt" | "keepResult">,
): CatalogDeliveries => ({
  claimDue: async ({ channel, now, claimedUntil, limit, except, roomOf = () => limit }) => {
    const findDue = () => {
      if (channel !== "callback") {
        const excepted = JSON.stringify([...(except ?? [])])
        return sql.dueOnStream.all(channel.appId, now, excepted, channel.callbackSlug, limit)
      }
      const found: Array<Record<string, SQLOutputValue>> = []
      for (const { appId } of sql.appsWithDue.all(now)) {
        const room = Math.min(roomOf(appId as string), limit - found.length)
        if (room > 0) found.push(...sql.dueOfApp.all(appId!, now, room))
      }
      return found
    }
    return write(() =>
      findDue().map(({ id }) => {
        sql.claim.run(claimedUntil, id!)
        sql.forgetError.run(id!)
        return toDue(sql.due.get(id!) as Row)
      }),
    )
  },
  recordAttempt: async ({ result, ...attempt }) =>
    write(() => {
      const isNewest = endAttempt(attempt)
      if (result === undefined || ("error" in result && !isNewest)) return false
      const file = sql.fileOfEvent.get(attempt.deliveryId)
      return file !== undefined && keepResult(file.id!, result, attempt.startedAt + attempt.latency)
    }),
  redeliver: ({ id, now, callbackUrl }) =>
    write(() => {
      if (sql.redeliver.run(now, id).changes !== 1) return false
      if (callbackUrl !== undefined) {
        sql.countCallbackUrl.run(callbackUrl, id)
        sql.moveCallbacks.run(callbackUrl, id)
      }
      sql.forgetError.run(one(sql.fileOfEvent, id)!.id!)
      return true
    }),
  nextDueAt: (now) => read(() => (sql.nextDueAt.get(now)?.at as number | undefined) ?? null),
  countDeliveries: (limit) =>
    read(() => {
      const { pending, dead } = sql.countDeliveries.get(limit)!
      return { pending: pending as number, dead: dead as number }
    }),
  releaseClaims: (now) =>
    write(() => {
      sql.releaseClaims.run(now)
    }),
})
