import { createSecretId } from "../../access/key-id.ts"
import { type CatalogEndpoints, type EndpointRecord, mostActiveSecrets, mostEndpoints } from "../catalog/endpoints.ts"
import type { KeptEvent, Tables } from "./rows.ts"

/** The endpoints of apps in memory, and what they are owed; each method walks all events. */
export const createMemoryEndpoints = ({ endpoints, events, eventNumbers, attempts }: Tables): CatalogEndpoints => {
  const activeOf = ({ secrets }: EndpointRecord) => secrets.filter(({ revokedAt }) => revokedAt === null)

  /** Events that are pending, of endpoints that have not been deleted. */
  const pending = (): ReadonlyArray<KeptEvent> =>
    [...events.values()].filter(({ status, endpointId }) => status === "pending" && endpoints.has(endpointId))

  const drop = (found: ReadonlyArray<KeptEvent>): number => {
    for (const { id } of found) events.delete(id)
    return found.length
  }

  return {
    listEndpoints: async () => [...endpoints.values()],
    createEndpoint: async ({ id, appId, url, events: heard, createdAt, secret }) => {
      if ([...endpoints.values()].filter((each) => each.appId === appId).length >= mostEndpoints) return "tooMany"
      const secrets = [{ id: createSecretId(secret), secret, createdAt, revokedAt: null }]
      endpoints.set(id, { id, appId, url, events: heard, createdAt, secrets })
      return "created"
    },
    changeEndpoint: async (id, { url, events: heard }) => {
      const endpoint = endpoints.get(id)
      if (endpoint === undefined) return false
      endpoints.set(id, { ...endpoint, ...(url !== undefined && { url }), ...(heard && { events: heard }) })
      return true
    },
    deleteEndpoint: async (id) => endpoints.delete(id),
    addSecret: async ({ endpointId, secret, now }) => {
      const endpoint = endpoints.get(endpointId)
      if (endpoint === undefined) return "unknownEndpoint"
      if (activeOf(endpoint).length >= mostActiveSecrets) return "tooMany"
      const added = { id: createSecretId(secret), secret, createdAt: now, revokedAt: null }
      endpoints.set(endpointId, { ...endpoint, secrets: [added, ...endpoint.secrets] })
      return "added"
    },
    revokeSecret: async ({ endpointId, id, now }) => {
      const endpoint = endpoints.get(endpointId)
      const active = endpoint === undefined ? [] : activeOf(endpoint)
      if (endpoint === undefined || active.length < 2 || !active.some((each) => each.id === id)) return false
      const secrets = endpoint.secrets.map((each) =>
        each.id === id ? { ...each, secret: null, revokedAt: now } : each,
      )
      endpoints.set(endpointId, { ...endpoint, secrets })
      return true
    },
    addTestEvent: async ({ id, endpointId, now }) => {
      if (!endpoints.has(endpointId)) return false
      const delivery = { status: "pending", attempts: 0, failures: 0, redeliveredAfter: 0, nextAt: now } as const
      events.set(id, { number: ++eventNumbers.last, id, endpointId, type: "test", at: now, file: null, ...delivery })
      return true
    },
    claimEvents: async ({ now, claimedUntil, limit, roomOf }) => {
      const due = pending()
        .filter(({ nextAt }) => nextAt <= now)
        .sort((a, b) => a.nextAt - b.nextAt || a.number - b.number)
      const claimed: Array<KeptEvent> = []
      for (const [endpointId, owed] of Map.groupBy(due, (event) => event.endpointId)) {
        const room = Math.min(roomOf(endpointId), limit - claimed.length)
        claimed.push(...owed.slice(0, Math.max(0, room)))
      }
      return claimed.map((event) => {
        const begun = { ...event, attempts: event.attempts + 1, nextAt: claimedUntil }
        events.set(event.id, begun)
        const { id, type, at, file, attempts: attempt, redeliveredAfter } = begun
        return {
          id,
          type,
          at,
          file,
          attempt,
          retry: attempt - redeliveredAfter - 1,
          endpoint: endpoints.get(event.endpointId)!,
        }
      })
    },
    recordEventAttempt: async (attempt) => {
      const { deliveryId, outcome } = attempt
      const isKnown = attempts.some((each) => each.deliveryId === deliveryId && each.attempt === attempt.attempt)
      if (!isKnown) attempts.push(attempt)
      const event = events.get(deliveryId)
      if (event?.status !== "pending" || event.attempts !== attempt.attempt) return false
      const failures = event.failures + Number(outcome !== "delivered")
      const ended = typeof outcome === "string" ? { status: outcome } : { nextAt: outcome.retryAt }
      events.set(deliveryId, { ...event, failures, ...ended })
      return true
    },
    releaseEventClaims: async (now) => {
      for (const event of events.values()) {
        if (event.status !== "pending" || event.attempts <= event.failures) continue
        events.set(event.id, { ...event, failures: event.attempts, nextAt: now })
      }
    },
    pruneEvents: async ({ before, limit }) => {
      const all = [...events.values()]
      const ended = all.filter(({ status, at }) => status !== "pending" && at < before).sort((a, b) => a.at - b.at)
      const dropped = drop(ended.slice(0, limit))
      const orphans = [...events.values()].filter(({ endpointId }) => !endpoints.has(endpointId))
      return dropped + drop(orphans.slice(0, limit))
    },
    nextEventAt: async (now) => {
      const next = pending().reduce((at, { nextAt }) => (nextAt > now ? Math.min(at, nextAt) : at), Infinity)
      return next === Infinity ? null : next
    },
    redeliverEvent: async ({ id, now }) => {
      const event = events.get(id)
      if (event === undefined || !endpoints.has(event.endpointId)) return false
      if (event.status === "pending" && event.attempts !== event.failures) return false
      const { attempts: begun } = event
      events.set(id, { ...event, status: "pending", failures: begun, redeliveredAfter: begun, nextAt: now })
      return true
    },
    countEvents: async (limit) => {
      const count = (status: KeptEvent["status"]) =>
        Math.min([...events.values()].filter((event) => event.status === status).length, limit)
      return { pending: count("pending"), dead: count("dead") }
    },
    listEvents: async ({ endpointId, status, before = Infinity, limit }) =>
      [...events.values()]
        .filter((event) => event.number < before)
        .filter((event) => endpointId === undefined || event.endpointId === endpointId)
        .filter((event) => status === undefined || event.status === status)
        .sort((a, b) => b.number - a.number)
        .slice(0, limit)
        .map(({ redeliveredAfter: _redeliveredAfter, ...event }) => event),
    findEvent: async (id) => {
      const found = events.get(id)
      if (found === undefined) return null
      const { redeliveredAfter: _redeliveredAfter, ...event } = found
      return event
    },
  }
}
