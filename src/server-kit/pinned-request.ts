import type { Agent, IncomingMessage } from "node:http"
import type { LookupFunction } from "node:net"
import { isAddress } from "./public-address.ts"

/** An address that a name has. */
export interface HostAddress {
  readonly address: string
  /** 4 or 6. */
  readonly family: number
}

/** All addresses of a name. Fails: rejects; with code ENOTFOUND where there is none of the name. */
export type Resolve = (hostname: string) => Promise<ReadonlyArray<HostAddress>>

/** What the system says. */
export const resolveBySystem: Resolve = (hostname) =>
  process.getBuiltinModule("node:dns/promises").lookup(hostname, { all: true })

/** Rejects when the signal does: a look-up cannot be stopped. */
export const unlessAborted = <A>(promise: Promise<A>, signal: AbortSignal): Promise<A> =>
  new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error)
    if (signal.aborted) abort()
    signal.addEventListener("abort", abort)
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort))
  })

/** Whether this runtime lets us say which address a request connects to. workerd has Node's modules, but looks up itself. */
export const canPinAddresses = (): boolean => {
  const { process, navigator } = globalThis as Partial<typeof globalThis>
  const isNodeLike = typeof process?.getBuiltinModule === "function" && navigator?.userAgent !== "Cloudflare-Workers"
  return isNodeLike && process.getBuiltinModule("node:http") !== undefined
}

/** A request, and where it may connect to. */
export interface PinnedRequest {
  readonly url: URL
  readonly method?: string | undefined
  readonly headers: Headers
  readonly body?: string | undefined
  readonly signal: AbortSignal
  /** Those the name of the host was found to have; of no meaning where the URL holds an address itself. */
  readonly addresses: ReadonlyArray<HostAddress>
  /** False: a connection of its own. */
  readonly agent: Agent | false
  /** Makes the failure of a request that a runtime connected elsewhere on its own; undefined: it may. */
  readonly refuse: (() => Error) | undefined
}

/** All values of an answer's headers. */
export const toHeaders = (values: NodeJS.Dict<Array<string>>): Headers => {
  const headers = new Headers()
  for (const [name, all = []] of Object.entries(values)) for (const value of all) headers.append(name, value)
  return headers
}

/**
 * Sends a request by `node:http` or `node:https` to the very addresses that were checked: the name is looked up once, by
 * us, and what the connection is told is the result. A proxy that the environment names is not used: it would do the
 * looking up.
 *
 * Fails: rejects with the error of the connection; `isReused` where it was one that had been kept.
 */
export const requestPinned = ({
  url,
  method = "GET",
  headers,
  body,
  signal,
  addresses,
  agent,
  refuse,
}: PinnedRequest): Promise<IncomingMessage> => {
  const { request } = process.getBuiltinModule(url.protocol === "https:" ? "node:https" : "node:http")
  // Node asks nobody for the address of what is one.
  let isPinned = isAddress(url)
  const lookup: LookupFunction = (_hostname, options, callback) => {
    isPinned = true
    const [first] = addresses
    if (first === undefined) callback(new Error(`There is no address of ${url.hostname}`), "")
    else if (options.all === true) callback(null, [...addresses])
    else callback(null, first.address, first.family)
  }
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, agent, headers: Object.fromEntries(headers), signal, lookup })
    outgoing.on("error", (cause) => reject(outgoing.reusedSocket ? Object.assign(cause, { isReused: true }) : cause))
    outgoing.on("response", (message) => {
      // Nobody may be reading yet when the connection breaks; whoever does is told again.
      message.on("error", () => {})
      // A connection that is used again was pinned when it was made; a runtime that passes over `lookup` connected to
      // who knows whom.
      if (isPinned || outgoing.reusedSocket || refuse === undefined) return resolve(message)
      message.destroy()
      reject(refuse())
    })
    outgoing.end(body)
  })
}
