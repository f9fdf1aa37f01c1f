import { PostFailed } from "../../server-kit/post-json.ts"
import {
  canPinAddresses,
  type HostAddress,
  requestPinned,
  type Resolve,
  toHeaders,
  unlessAborted,
} from "../../server-kit/pinned-request.ts"
import { hostOf, isAddress, isLocalUrl, isPublicAddress } from "../../server-kit/public-address.ts"
import { names } from "../../protocol/names.ts"

/** How long a connection that is not in use is kept for the next callback, ms; apps keep theirs 5 s and more. */
const idleTime = 4000

/** Sends callbacks to hosts on the public Internet, and to no others. */
export interface GuardedFetch {
  /** Like `fetch`, as far as callbacks need it. Fails: rejects with `PostFailed` `forbidden` before anything is sent. */
  readonly of: (appId: string) => (url: string, init: RequestInit) => Promise<Response>
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
 * Looks names up, one at a time for each app, and each name once for everybody who waits for it: the system does few
 * look-ups at once, and an app whose name servers hang would block all others.
 */
const createLookups = (resolve: Resolve) => {
  const queues = new Map<string, Map<string, Promise<ReadonlyArray<HostAddress>>>>()
  return (appId: string, hostname: string): Promise<ReadonlyArray<HostAddress>> => {
    const queue = queues.get(appId) ?? new Map<string, Promise<ReadonlyArray<HostAddress>>>()
    const known = queue.get(hostname)
    if (known !== undefined) return known
    const ask = () => resolve(hostname)
    const before = [...queue.values()].at(-1)
    const lookup = before === undefined ? ask() : before.then(ask, ask)
    queues.set(appId, queue.set(hostname, lookup))
    const forget = () => {
      queue.delete(hostname)
      if (queue.size === 0) queues.delete(appId)
    }
    lookup.then(forget, forget)
    return lookup
  }
}

/** Where the runtime looks names up itself, only the URL can be checked. */
const createUncheckedFetch = (): GuardedFetch => ({
  of: () => async (url, init) => {
    if (isLocalUrl(new URL(url))) throw forbid(new URL(url), "is not public")
    return globalThis.fetch(url, init)
  },
  close: () => {},
})

const bodiless: ReadonlySet<number> = new Set([204, 205, 304])

/**
 * Makes the `fetch` for callbacks whose URL somebody else chose. We look the name up ourselves and connect to exactly
 * the address that was checked, whatever the name resolves to a moment later. Redirects are not followed.
 *
 * @param resolve looks up the addresses of a name
 */
export const createGuardedFetch = (resolve: Resolve): GuardedFetch => {
  if (!canPinAddresses()) return createUncheckedFetch()
  const { Readable } = process.getBuiltinModule("node:stream")
  const options = { keepAlive: true, timeout: idleTime }
  const agents = {
    http: new (process.getBuiltinModule("node:http").Agent)(options),
    https: new (process.getBuiltinModule("node:https").Agent)(options),
  }
  const lookUp = createLookups(resolve)

  const findAddresses = async (appId: string, url: URL, signal: AbortSignal) => {
    if (isLocalUrl(url)) throw forbid(url, "is not public")
    if (isAddress(url)) return []
    const addresses = await unlessAborted(lookUp(appId, url.hostname), signal)
    const allowed = addresses.filter(({ address }) => isPublicAddress(address))
    if (allowed.length === 0) {
      throw forbid(url, `has no public address (${addresses.map(({ address }) => address).join(", ") || "none"})`)
    }
    return allowed
  }

  const send = async (appId: string, url: URL, init: RequestInit, isAgain = false): Promise<Response> => {
    const signal = init.signal ?? new AbortController().signal
    const addresses = await findAddresses(appId, url, signal)
    const headers = new Headers(init.headers)
    headers.set("accept", "*/*")
    headers.set("user-agent", names.word)
    try {
      const message = await requestPinned({
        url,
        method: init.method,
        headers,
        body: init.body as string,
        signal,
        addresses,
        agent: isAgain ? false : url.protocol === "https:" ? agents.https : agents.http,
        refuse: () => forbid(url, "was connected to at an address that was not checked"),
      })
      const { statusCode: status = 0 } = message
      const body = bodiless.has(status) ? null : (Readable.toWeb(message) as ReadableStream<Uint8Array>)
      if (body === null) message.resume()
      return new Response(body, { status, headers: toHeaders(message.headersDistinct) })
    } catch (cause) {
      if (signal.aborted) throw signal.reason
      // The other side closed a connection just when it was to be reused.
      if (!isAgain && (cause as { isReused?: boolean }).isReused === true) return send(appId, url, init, true)
      throw cause
    }
  }

  return {
    of: (appId) => (url, init) => send(appId, new URL(url), init),
    close: () => {
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}
