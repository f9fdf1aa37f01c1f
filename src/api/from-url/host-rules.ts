import ipaddr from "ipaddr.js"
import { hostOf, isLocalUrl } from "../../server-kit/public-address.ts"
import { UploadError } from "../../protocol/errors/upload-error.ts"
import { describeUrl } from "./remote-url.ts"

/** Which hosts files may be fetched from. */
export interface HostRules {
  /** Undefined: any. */
  readonly allowedHosts: ReadonlyArray<string> | undefined
  readonly allowPrivateNetwork: boolean
}

/**
 * A host of the option `allowedHosts`, spelt as in URLs: `*.BÜCHER.example` → `*.xn--bcher-kva.example`.
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
 * Checks everything about a URL's host that needs no look-up of its addresses: the list of allowed hosts, literal
 * addresses, names that are never public.
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
  if (!allowPrivateNetwork && isLocalUrl(url)) throw addressRefused(url)
}
