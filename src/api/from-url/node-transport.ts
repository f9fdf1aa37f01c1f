import { requestPinned, toHeaders, unlessAborted } from "../../server-kit/pinned-request.ts"
import { isAddress, isPublicAddress } from "../../server-kit/public-address.ts"
import { type HostAddress, type Resolve, resolveByNameServers, resolveBySystem } from "../../server-kit/resolve-host.ts"
import { UploadError } from "../../protocol/errors/upload-error.ts"
import { addressRefused } from "./host-rules.ts"
import type { RemoteRequest, Transport } from "./remote-answer.ts"
import { describeUrl } from "./remote-url.ts"

/** One text for two causes, because a URL could otherwise reveal which names exist in a private network. */
const nameRefused = (url: URL): UploadError =>
  new UploadError({
    code: "FORBIDDEN",
    message: `The host of ${describeUrl(url)} has no public address: there is none of this name, or it is one of a private network. Check the URL; for a network of your own set \`allowPrivateNetwork\`.`,
  })

/** The addresses a request may go to. */
const resolveAllowed = async (
  resolve: Resolve,
  { url, rules, signal }: RemoteRequest,
): Promise<ReadonlyArray<HostAddress>> => {
  const addresses = await unlessAborted(resolve(url.hostname, signal), signal).catch((cause: unknown) => {
    if ((cause as { code?: unknown } | undefined)?.code !== "ENOTFOUND") throw cause
    return []
  })
  const allowed = rules.allowPrivateNetwork ? addresses : addresses.filter(({ address }) => isPublicAddress(address))
  if (allowed.length === 0) throw nameRefused(url)
  return allowed
}

/**
 * Sends requests to exactly the addresses that were checked. A name that has public and other addresses is fetched
 * from the public ones. Each request has a connection of its own.
 *
 * @param resolve looks up the addresses of a name; by default the name servers are asked, and the system where all hosts are allowed
 */
export const createNodeTransport =
  (resolve?: Resolve): Transport =>
  async (asked) => {
    const { url, headers, signal, rules } = asked
    // Names of a network of one's own may be those of its hosts file.
    const usual = rules.allowPrivateNetwork ? resolveBySystem : resolveByNameServers
    // `checkHost` has checked literal addresses.
    const addresses = isAddress(url) ? [] : await resolveAllowed(resolve ?? usual, asked)
    const { message } = await requestPinned({
      url,
      method: "GET",
      headers: Object.fromEntries(headers),
      signal,
      addresses,
      agent: false,
      refuse: rules.allowPrivateNetwork ? undefined : () => addressRefused(url),
    })
    return {
      status: message.statusCode ?? 0,
      headers: toHeaders(message.headersDistinct),
      body: message,
      isDecoded: false,
    }
  }
