import type { CatalogDeliveries } from "../catalog/deliveries.ts"
import type { DeliveryStatus } from "../catalog/records.ts"
import { sizeRegistration } from "../quota.ts"
import { type Registered, type Row, type Tables, toDue } from "./rows.ts"
import type { Steps } from "./steps.ts"

const forgetError = (row: Row): void => {
  if (row.result !== null && "error" in row.result) row.result = null
}

/** The events of the catalog in memory; each method walks all files. */
export const createMemoryDeliveries = (
  { allRows, expected }: Tables,
  { isCurrent, endAttempt, keepResult }: Pick<Steps, "isCurrent" | "endAttempt" | "keepResult">,
): CatalogDeliveries => {
  /** Replaces a registration by its changed version, for all its files. */
  const replaceRegistration = (before: Registered, after: Registered): void => {
    for (const row of allRows) {
      if (row.registration === before) row.registration = after
      if (row.delivery?.registration === before) row.delivery = { ...row.delivery, registration: after }
    }
    for (const each of expected.all()) {
      if (each.registration === before) expected.set(each, { ...each, registration: after })
    }
  }

  return {
    claimDue: async ({ channel, now, claimedUntil, limit, except, roomOf = () => limit }) => {
      const isOfChannel = (registration: Registered): boolean => {
        if (channel === "callback") return !registration.isDev
        return (
          registration.isDev &&
          registration.appId === channel.appId &&
          registration.callbackSlug === channel.callbackSlug
        )
      }
      const due = [...allRows]
        .filter(
          (row) =>
            row.delivery?.status === "pending" &&
            row.delivery.nextAt <= now &&
            !(channel !== "callback" && except?.has(row.delivery.id)) &&
            isOfChannel(row.delivery.registration),
        )
        .sort((a, b) => a.delivery!.nextAt - b.delivery!.nextAt || a.file.id - b.file.id)
      const claimed: Array<Row> = []
      for (const [appId, ofApp] of Map.groupBy(due, ({ file }) => file.appId)) {
        const room = channel === "callback" ? roomOf(appId) : limit
        claimed.push(...ofApp.slice(0, Math.max(0, Math.min(room, limit - claimed.length))))
      }
      return claimed.map((row) => {
        row.delivery = { ...row.delivery!, attempts: row.delivery!.attempts + 1, nextAt: claimedUntil }
        forgetError(row)
        return toDue(row)
      })
    },
    recordAttempt: async ({ result, ...attempt }) => {
      const isNewest = endAttempt(attempt)
      if (result === undefined || ("error" in result && !isNewest)) return false
      const row = [...allRows].find(({ delivery }) => delivery?.id === attempt.deliveryId)
      return row !== undefined && keepResult(row, result, attempt.startedAt + attempt.latency)
    },
    redeliver: async ({ id, now, callbackUrl }) => {
      const row = [...allRows].find(({ delivery }) => delivery?.id === id)
      if (row === undefined || row.delivery === null) return false
      const { status, attempts, failures, registration } = row.delivery
      const isUnderWay = status === "pending" && attempts !== failures
      if (isUnderWay || (registration.isDev && !isCurrent(row.file))) return false
      row.delivery = {
        ...row.delivery,
        status: "pending",
        failures: attempts,
        redeliveredAfter: attempts,
        nextAt: now,
      }
      forgetError(row)
      if (callbackUrl !== undefined) {
        const moved = { ...registration, callbackUrl }
        replaceRegistration(registration, { ...moved, bytes: sizeRegistration(moved) })
      }
      return true
    },
    nextDueAt: async (now) => {
      let next: number | null = null
      for (const { delivery } of allRows) {
        if (delivery?.status !== "pending" || delivery.registration.isDev || delivery.nextAt <= now) continue
        next = Math.min(next ?? delivery.nextAt, delivery.nextAt)
      }
      return next
    },
    countDeliveries: async (limit) => {
      const count = (status: DeliveryStatus) =>
        Math.min([...allRows].filter(({ delivery }) => delivery?.status === status).length, limit)
      return { pending: count("pending"), dead: count("dead") }
    },
    releaseClaims: async (now) => {
      for (const row of allRows) {
        const delivery = row.delivery
        if (delivery?.status === "pending" && delivery.attempts > delivery.failures) {
          row.delivery = { ...delivery, failures: delivery.attempts, nextAt: now }
        }
      }
    },
  }
}
