import type { promises } from "node:dns"

/** An address of a host name. */
export interface HostAddress {
  readonly address: string
  /** 4 or 6. */
  readonly family: number
  /** How long it may be kept, s; undefined: it is asked for each time. */
  readonly ttl?: number | undefined
}

/** All addresses of a name, until the signal is aborted. Fails: rejects; with code ENOTFOUND where the name has none. */
export type Resolve = (hostname: string, signal?: AbortSignal) => Promise<ReadonlyArray<HostAddress>>

/** Whom {@link createResolveByNameServers} asks. */
export interface NameServers {
  /** Their addresses; those of the system by default. */
  readonly servers?: ReadonlyArray<string>
  /** How long one is waited for, ms. It is asked twice, and waited for longer then. */
  readonly timeout?: number
  /** Takes over where no name server can be reached. */
  readonly fallback?: Resolve
}

/**
 * Has the system look a name up, in its hosts file too.
 *
 * It does few look-ups at a time, two with Node's usual settings: names whose name servers hang keep all others of the
 * process waiting. So this is for names that we or the operator chose.
 */
export const resolveBySystem: Resolve = (hostname) =>
  process.getBuiltinModule("node:dns/promises").lookup(hostname, { all: true })

/** How long IPv6 addresses are waited for once there are others, ms. */
const familyPause = 50

/** Addresses of a family that are kept: Node tries them one after the other, and fails where there are thousands. */
const mostAddresses = 8

/** What name servers say where there is no address. */
const absences: ReadonlySet<unknown> = new Set(["ENOTFOUND", "ENODATA"])

/** The code of an error of Node's. */
const codeOf = (cause: unknown): unknown => (cause as { readonly code?: unknown } | null)?.code

/** The records of one family, or why there are none. */
type Found =
  | { readonly ok: true; readonly addresses: ReadonlyArray<HostAddress> }
  | { readonly ok: false; readonly cause: unknown }

const settle = (
  records: Promise<ReadonlyArray<{ readonly address: string; readonly ttl: number }>>,
  family: 4 | 6,
): Promise<Found> =>
  records.then(
    (found) => ({
      ok: true,
      addresses: found.slice(0, mostAddresses).map(({ address, ttl }) => ({ address, family, ttl })),
    }),
    (cause: unknown) => ({ ok: false, cause }),
  )

/** Resolvers say only `queryA ESERVFAIL app.example`. */
const toFailure = (hostname: string, cause: unknown): Error => {
  const code = absences.has(codeOf(cause)) ? "ENOTFOUND" : codeOf(cause)
  const message = code === "ENOTFOUND" ? "has no address" : `could not be looked up (${String(code)})`
  return Object.assign(new Error(`${hostname} ${message}.`), { code })
}

/**
 * Asks the name servers themselves, for names that others chose: no name waits for another one, however long the servers of
 * that one take. The system's hosts file and search domains do not count. IPv4 addresses come first, and where there are some
 * nobody waits for a look-up of IPv6 ones that hangs.
 *
 * Fails: rejects with the error of the look-up, also when the signal is aborted.
 */
export const createResolveByNameServers = ({
  servers,
  timeout = 2000,
  fallback = resolveBySystem,
}: NameServers = {}): Resolve => {
  const findBoth = async (hostname: string, resolver: promises.Resolver): Promise<Found> => {
    const of6 = settle(resolver.resolve6(hostname, { ttl: true }), 6)
    const first = await settle(resolver.resolve4(hostname, { ttl: true }), 4)
    if (!first.ok) {
      const second = await of6
      // There is no address only where both say so.
      return second.ok || absences.has(codeOf(first.cause)) ? second : first
    }
    const { setTimeout } = process.getBuiltinModule("node:timers/promises")
    const second = await Promise.race([of6, setTimeout(familyPause, undefined, { ref: false })])
    return second?.ok === true ? { ok: true, addresses: [...first.addresses, ...second.addresses] } : first
  }

  return async (hostname, signal) => {
    signal?.throwIfAborted()
    const { Resolver } = process.getBuiltinModule("node:dns/promises")
    // One for each look-up: it reads the system's settings anew, and is cancelled alone.
    const resolver = new Resolver({ timeout, tries: 2 })
    if (servers !== undefined) resolver.setServers(servers)
    const cancel = () => resolver.cancel()
    signal?.addEventListener("abort", cancel)
    try {
      const found = await findBoth(hostname, resolver)
      if (found.ok) return found.addresses
      const code = codeOf(found.cause)
      if (code === "ECONNREFUSED") return await fallback(hostname, signal)
      throw toFailure(hostname, found.cause)
    } finally {
      signal?.removeEventListener("abort", cancel)
      cancel()
    }
  }
}

/** Asks the system's name servers. */
export const resolveByNameServers: Resolve = (hostname, signal) => createResolveByNameServers()(hostname, signal)
