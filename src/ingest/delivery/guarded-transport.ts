import { sendWithFetch } from "../../http/fetch-transport.ts"
import type { NodeRequest } from "../../http/node-request.ts"
import { askByNode, createAgents } from "../../http/node-transport.ts"
import type { Send } from "../../http/transport.ts"
import { canPinAddresses, requestPinned, unlessAborted } from "../../server-kit/pinned-request.ts"
import { PostFailed } from "../../server-kit/post-json.ts"
import { hostOf, isAddress, isLocalUrl, isPublicAddress } from "../../server-kit/public-address.ts"
import type { HostAddress, Resolve } from "../../server-kit/resolve-host.ts"
import { createLookups } from "./lookups.ts"

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

/** Addresses that an error names. */
const mostNamed = 4

/** Some of the addresses, and how many more there are: a name can have thousands. */
const listSome = (addresses: ReadonlyArray<HostAddress>): string => {
  const named = addresses.slice(0, mostNamed).map(({ address }) => address)
  const more = addresses.length - named.length
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join(", ") || "none"
}

const forbid = (url: URL, reason: string): PostFailed =>
  new PostFailed({
    reason: "forbidden",
    cause: new Error(
      `${hostOf(url)} ${reason}, and callbacks of this app go to the public Internet only (callbackNetworks)`,
    ),
  })

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
  const lookups = createLookups(resolve)

  const findAddresses = async (receiver: string, url: URL, signal: AbortSignal) => {
    if (isLocalUrl(url)) throw forbid(url, "is not public")
    if (isAddress(url)) return []
    const addresses = await unlessAborted(lookups.find(receiver, url.hostname), signal)
    const allowed = addresses.filter(({ address }) => isPublicAddress(address))
    if (allowed.length === 0) {
      throw forbid(url, `has no public address (${listSome(addresses)})`)
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
    close: () => {
      lookups.close()
      agents.close()
    },
  }
}
