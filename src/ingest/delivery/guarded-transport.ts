import { sendWithFetch } from "../../http/fetch-transport.ts"
import type { NodeRequest } from "../../http/node-request.ts"
import { askByNode, createAgents } from "../../http/node-transport.ts"
import type { Send } from "../../http/transport.ts"
import {
  canPinAddresses,
  type HostAddress,
  requestPinned,
  type Resolve,
  unlessAborted,
} from "../../server-kit/pinned-request.ts"
import { PostFailed } from "../../server-kit/post-json.ts"
import { hostOf, isAddress, isLocalUrl, isPublicAddress } from "../../server-kit/public-address.ts"

/** Sends callbacks to hosts on the public Internet, and to no others. */
export interface GuardedTransport {
  /**
   * Sends to one receiver: an app, or one of its endpoints.
   *
   * Fails: rejects with `PostFailed` `forbidden` before anything is sent.
   */
  readonly of: (receiver: string) => Send
  readonly close: () => void
}

const forbid = (url: URL, reason: string): PostFailed =>
  new PostFailed({
    reason: "forbidden",
    cause: new Error(
      `${hostOf(url)} ${reason}, and callbacks of this app go to the public Internet only (callbackNetworks)`,
    ),
  })

/**
 * Looks names up, one at a time for each receiver, and each name once for everybody who waits for it: the system does few
 * look-ups at once, and a receiver whose name servers hang would block all others.
 */
const createLookups = (resolve: Resolve) => {
  const queues = new Map<string, Map<string, Promise<ReadonlyArray<HostAddress>>>>()
  return (receiver: string, hostname: string): Promise<ReadonlyArray<HostAddress>> => {
    const queue = queues.get(receiver) ?? new Map<string, Promise<ReadonlyArray<HostAddress>>>()
    const known = queue.get(hostname)
    if (known !== undefined) return known
    const ask = () => resolve(hostname)
    const before = [...queue.values()].at(-1)
    const lookup = before === undefined ? ask() : before.then(ask, ask)
    queues.set(receiver, queue.set(hostname, lookup))
    const forget = () => {
      queue.delete(hostname)
      if (queue.size === 0) queues.delete(receiver)
    }
    lookup.then(forget, forget)
    return lookup
  }
}

/** Where the runtime looks names up itself, only the URL can be checked. */
const createUncheckedTransport = (): GuardedTransport => {
  const send = sendWithFetch(async (url, init) => {
    if (isLocalUrl(new URL(url))) throw forbid(new URL(url), "is not public")
    return globalThis.fetch(url, init)
  })
  return { of: () => send, close: () => {} }
}

/**
 * Sends callbacks whose URL somebody else chose. We look the name up ourselves and connect to exactly the address that
 * was checked, whatever the name resolves to a moment later.
 *
 * @param resolve looks up the addresses of a name
 * @param maxSockets connections to one origin at the same time
 */
export const createGuardedTransport = (resolve: Resolve, maxSockets: number): GuardedTransport => {
  if (!canPinAddresses()) return createUncheckedTransport()
  const agents = createAgents(maxSockets)
  const lookUp = createLookups(resolve)

  const findAddresses = async (receiver: string, url: URL, signal: AbortSignal) => {
    if (isLocalUrl(url)) throw forbid(url, "is not public")
    if (isAddress(url)) return []
    const addresses = await unlessAborted(lookUp(receiver, url.hostname), signal)
    const allowed = addresses.filter(({ address }) => isPublicAddress(address))
    if (allowed.length === 0) {
      throw forbid(url, `has no public address (${addresses.map(({ address }) => address).join(", ") || "none"})`)
    }
    return allowed
  }

  const requestOf = (receiver: string) => async (request: NodeRequest) => {
    const { url, signal = new AbortController().signal } = request
    const addresses = await findAddresses(receiver, url, signal)
    const refuse = () => forbid(url, "was connected to at an address that was not checked")
    return requestPinned({ ...request, addresses, refuse })
  }

  return {
    of:
      (receiver) =>
      ({ url, ...request }) =>
        askByNode(agents, { ...request, url: new URL(url) }, requestOf(receiver)),
    close: agents.close,
  }
}
