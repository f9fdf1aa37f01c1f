import type { LookupFunction } from "node:net"
import { type NodeAnswer, type NodeRequest, requestByNode } from "../http/node-request.ts"
import { isAddress } from "./public-address.ts"
import type { HostAddress } from "./resolve-host.ts"

/** Addresses that a connection tries at most, of whatever was found. */
const mostTried = 16

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
export interface PinnedRequest extends Omit<NodeRequest, "lookup"> {
  /** The addresses that the name of the host was found to have; ignored where the URL holds an address itself. */
  readonly addresses: ReadonlyArray<HostAddress>
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
 * Fails: as {@link requestByNode} does, and with the error of `refuse`.
 */
export const requestPinned = async ({ addresses, refuse, ...request }: PinnedRequest): Promise<NodeAnswer> => {
  // Node does not look up a host that is an address.
  let isPinned = isAddress(request.url)
  const lookup: LookupFunction = (_hostname, options, callback) => {
    isPinned = true
    const [first] = addresses
    if (first === undefined) callback(new Error(`There is no address of ${request.url.hostname}`), "")
    else if (options.all === true) callback(null, addresses.slice(0, mostTried))
    else callback(null, first.address, first.family)
  }
  const answer = await requestByNode({ ...request, lookup })
  // A reused connection was pinned when it was made; a runtime that ignores `lookup` may have connected to any host.
  if (isPinned || answer.isReused || refuse === undefined) return answer
  answer.message.destroy()
  throw refuse()
}
