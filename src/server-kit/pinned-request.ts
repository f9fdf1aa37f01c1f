import type { Agent, IncomingMessage } from "node:http"
import type { LookupFunction } from "node:net"
import { isAddress } from "./public-address.ts"

/** An address of a host name. */
export interface HostAddress {
  readonly address: string
  /** 4 or 6. */
  readonly family: number
}

/** All addresses of a name. Fails: rejects; with code ENOTFOUND where the name has none. */
export type Resolve = (hostname: string) => Promise<ReadonlyArray<HostAddress>>

/** Uses the system's resolver. */
export const resolveBySystem: Resolve = (hostname) =>
  process.getBuiltinModule("node:dns/promises").lookup(hostname, { all: true })

/** Rejects when the signal is aborted, because a look-up cannot be stopped. */
export const unlessAborted = <A>(promise: Promise<A>, signal: AbortSignal): Promise<A> =>
  new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error)
    if (signal.aborted) abort()
    signal.addEventListener("abort", abort)
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort))
  })

/**
 * Whether this runtime lets us choose the address that a request connects to. workerd has Node's modules, but looks
 * names up itself.
 */
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
  /** The addresses that the name of the host was found to have; ignored where the URL holds an address itself. */
  readonly addresses: ReadonlyArray<HostAddress>
  /** False: a connection of its own. */
  readonly agent: Agent | false
  /** Makes the error for a request that a runtime connected elsewhere on its own; undefined: that is allowed. */
  readonly refuse: (() => Error) | undefined
}

/** All values of an answer's headers. */
export const toHeaders = (values: NodeJS.Dict<Array<string>>): Headers => {
  const headers = new Headers()
  for (const [name, all = []] of Object.entries(values)) for (const value of all) headers.append(name, value)
  return headers
}

/**
 * Sends a request with `node:http` or `node:https` to exactly the addresses that were checked: we look the name up
 * once, and the connection gets the result. A proxy that the environment names is not used, because it would look the
 * name up itself.
 *
 * Fails: rejects with the error of the connection; `isReused` is set where the connection was a reused one.
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
  // Node does not look up a host that is an address.
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
      // The connection may break before anybody reads; a later reader gets the error as well.
      message.on("error", () => {})
      // A reused connection was pinned when it was made; a runtime that ignores `lookup` may have connected to any host.
      if (isPinned || outgoing.reusedSocket || refuse === undefined) return resolve(message)
      message.destroy()
      reject(refuse())
    })
    outgoing.end(body)
  })
}
