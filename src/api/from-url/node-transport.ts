import type { LookupFunction } from "node:net"
import ipaddr from "ipaddr.js"
import { UploadError } from "../../protocol/upload-error.ts"
import { addressRefused } from "./host-rules.ts"
import { isPublicAddress } from "./public-address.ts"
import type { RemoteRequest, Transport } from "./remote-answer.ts"
import { describeUrl, hostOf } from "./remote-url.ts"

/** An address that a name has. */
export interface HostAddress {
  readonly address: string
  readonly family: number
}

/** All addresses of a name. */
export type Resolve = (hostname: string) => Promise<ReadonlyArray<HostAddress>>

const resolveBySystem: Resolve = (hostname) =>
  process.getBuiltinModule("node:dns/promises").lookup(hostname, { all: true })

/** Rejects when the signal does: a look-up cannot be stopped. */
const unlessAborted = <A>(promise: Promise<A>, signal: AbortSignal): Promise<A> =>
  new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error)
    if (signal.aborted) abort()
    signal.addEventListener("abort", abort)
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort))
  })

/** One text for two causes: or a URL would tell which names there are in a private network. */
const nameRefused = (url: URL): UploadError =>
  new UploadError({
    code: "FORBIDDEN",
    message: `The host of ${describeUrl(url)} has no public address: there is none of this name, or it is one of a private network. Check the URL; for a network of your own set \`allowPrivateNetwork\`.`,
  })

/** The addresses a request may go to. */
const resolveAllowed = async (resolve: Resolve, { url, rules, signal }: RemoteRequest) => {
  const addresses = await unlessAborted(resolve(url.hostname), signal).catch((cause: unknown) => {
    if ((cause as { code?: unknown } | undefined)?.code !== "ENOTFOUND") throw cause
    return []
  })
  const allowed = rules.allowPrivateNetwork ? addresses : addresses.filter(({ address }) => isPublicAddress(address))
  if (allowed.length === 0) throw nameRefused(url)
  return allowed
}

const toHeaders = (values: NodeJS.Dict<Array<string>>): Headers => {
  const headers = new Headers()
  for (const [name, all = []] of Object.entries(values)) for (const value of all) headers.append(name, value)
  return headers
}

/**
 * Requests by `node:http` and `node:https`, which connect to the very addresses that were checked: the name is looked up
 * once, by us, and what the connection is told is the result. A name that has public addresses and others is fetched
 * from the public ones.
 *
 * Each request has a connection of its own. A proxy that the environment names is not used: it would do the looking up.
 *
 * @param resolve where names get their addresses from
 */
export const createNodeTransport = (resolve: Resolve = resolveBySystem): Transport => {
  const http = process.getBuiltinModule("node:http")
  const https = process.getBuiltinModule("node:https")

  return async (asked) => {
    const { url, headers, signal } = asked
    // Node asks nobody for the address of what is one; `checkHost` has seen it.
    const isLiteral = ipaddr.isValid(hostOf(url))
    const addresses = isLiteral ? [] : await resolveAllowed(resolve, asked)
    let isPinned = isLiteral
    const lookup: LookupFunction = (_hostname, options, callback) => {
      isPinned = true
      const [first] = addresses
      if (first === undefined) callback(addressRefused(url), "")
      else if (options.all === true) callback(null, [...addresses])
      else callback(null, first.address, first.family)
    }
    return new Promise((resolve, reject) => {
      const { request } = url.protocol === "https:" ? https : http
      const outgoing = request(url, { agent: false, headers: Object.fromEntries(headers), signal, lookup })
      outgoing.on("error", reject)
      outgoing.on("response", (message) => {
        // Nobody may be reading yet when the connection breaks; whoever does is told again.
        message.on("error", () => {})
        try {
          // A runtime that passes over `lookup` connected to who knows whom.
          if (!isPinned && !asked.rules.allowPrivateNetwork) throw addressRefused(url)
          const { statusCode: status = 0 } = message
          resolve({ status, headers: toHeaders(message.headersDistinct), body: message, isDecoded: false })
        } catch (cause) {
          reject(cause)
        }
      })
      outgoing.end()
    })
  }
}
