import type { HostAddress, Resolve } from "../../server-kit/resolve-host.ts"
import { createBoundedMap } from "../bounded-map.ts"

/** Looks up the names of those who are called. */
export interface Lookups {
  /** All addresses of a name. Fails: as `Resolve` does. */
  readonly find: (receiver: string, hostname: string) => Promise<ReadonlyArray<HostAddress>>
  /** Ends what is under way. */
  readonly close: () => void
}

/** Names whose addresses are kept. */
const mostKept = 1000

/** How long addresses are kept at most, s. */
const longestTtl = 60

/**
 * Makes look-ups: one at a time for each receiver, so that nobody has many under way, and each name once for everybody of the
 * receiver who waits for it. What was found is kept for as long as the name's owner allows, and at most a minute.
 */
export const createLookups = (resolve: Resolve, now = () => performance.now()): Lookups => {
  const queues = new Map<string, Map<string, Promise<ReadonlyArray<HostAddress>>>>()
  const kept = createBoundedMap<{ readonly addresses: ReadonlyArray<HostAddress>; readonly until: number }>(mostKept)
  const closing = new AbortController()

  const ask = async (hostname: string): Promise<ReadonlyArray<HostAddress>> => {
    const addresses = await resolve(hostname, closing.signal)
    const ttl = Math.min(longestTtl, ...addresses.map((address) => address.ttl ?? 0))
    if (addresses.length > 0 && ttl > 0) kept.set(hostname, { addresses, until: now() + ttl * 1000 })
    return addresses
  }

  const find = (receiver: string, hostname: string): Promise<ReadonlyArray<HostAddress>> => {
    const found = kept.get(hostname)
    if (found !== undefined && found.until > now()) return Promise.resolve(found.addresses)
    const queue = queues.get(receiver) ?? new Map<string, Promise<ReadonlyArray<HostAddress>>>()
    const underWay = queue.get(hostname)
    if (underWay !== undefined) return underWay
    const before = [...queue.values()].at(-1)
    const lookup =
      before === undefined
        ? ask(hostname)
        : before.then(
            () => ask(hostname),
            () => ask(hostname),
          )
    queues.set(receiver, queue.set(hostname, lookup))
    const forget = () => {
      queue.delete(hostname)
      if (queue.size === 0) queues.delete(receiver)
    }
    lookup.then(forget, forget)
    return lookup
  }

  return { find, close: () => closing.abort() }
}
