import ipaddr from "ipaddr.js"
import { UploadError } from "../../protocol/upload-error.ts"
import { isPublicAddress } from "./public-address.ts"
import { describeUrl, hostOf } from "./remote-url.ts"

/** Which hosts files may be fetched from. */
export interface HostRules {
  /** Undefined: any. */
  readonly allowedHosts: ReadonlyArray<string> | undefined
  readonly allowPrivateNetwork: boolean
}

/**
 * A host of the option `allowedHosts`, spelt as URLs spell it: `*.BÜCHER.example` → `*.xn--bcher-kva.example`.
 *
 * Fails: throws INVALID_CONFIG.
 */
export const parseAllowedHost = (text: string): string => {
  const [, wildcard = "", name = ""] = /^(\*\.)?([^*/?#@\\\s]+)$/.exec(text) ?? []
  const url = URL.parse(`http://${name}/`)
  if (name !== "" && url !== null && !name.replace(/^\[.*\]/, "").includes(":")) return wildcard + hostOf(url)
  throw new UploadError({
    code: "INVALID_CONFIG",
    message: `"${text}" in \`allowedHosts\` is not a host. Write "example.com", or "*.example.com" for those below it, without scheme and port.`,
  })
}

export const addressRefused = (url: URL): UploadError =>
  new UploadError({
    code: "FORBIDDEN",
    message: `${describeUrl(url)} leads to an address that is not public, so it was not fetched. If it is meant to be one of your own network, set \`allowPrivateNetwork\`.`,
  })

/**
 * Names that mean this machine or its network wherever they are asked for (RFC 6761, RFC 6762, RFC 8375, ICANN's
 * `.internal`), and those without a dot: no public file is there.
 */
const localNames = /^[^.]*$|(?:^|\.)(?:localhost|local|internal|home\.arpa)$/

/**
 * Checks what can be seen of a URL's host without asking for its addresses: the list of allowed ones, literal addresses,
 * names that are never public. WHATWG's URL has already turned `0x7f.1`, `2130706433` and the like into four numbers.
 *
 * Fails: throws FORBIDDEN.
 */
export const checkHost = (url: URL, { allowedHosts, allowPrivateNetwork }: HostRules): void => {
  const host = hostOf(url)
  const isAllowed = (allowed: string) =>
    allowed.startsWith("*.") ? host.endsWith(allowed.slice(1)) && !ipaddr.isValid(host) : host === allowed
  if (allowedHosts !== undefined && !allowedHosts.some(isAllowed)) {
    const message = `${describeUrl(url)} was not fetched: ${host} is not among the \`allowedHosts\`.`
    throw new UploadError({ code: "FORBIDDEN", message })
  }
  if (allowPrivateNetwork) return
  const isLocal = ipaddr.isValid(host) ? !isPublicAddress(host) : localNames.test(host)
  if (isLocal) throw addressRefused(url)
}
