import ipaddr from "ipaddr.js"

/** Where public IPv6 addresses are allotted; what is outside is reserved, or has an IPv4 address in it as `::127.0.0.1` does. */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3")

/** Public by its number only: Azure's own services for the machine that asks, with its secrets. */
const platformService = ipaddr.IPv4.parse("168.63.129.16").toString()

/**
 * Whether an address is one of the public Internet, and not of this machine, its network, its cloud, or of no host at all.
 *
 * IPv6 that stands for an IPv4 address (mapped, NAT64, 6to4, Teredo) is never public, whatever it stands for: a name that
 * has such an address has the IPv4 one too.
 *
 * Source: the special-purpose registries of IANA, by `ipaddr.js`.
 */
export const isPublicAddress = (text: string): boolean => {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.parse(text)
  if (address.range() !== "unicast") return false
  return address instanceof ipaddr.IPv6 ? address.match(globalUnicast) : address.toString() !== platformService
}

/**
 * Names that mean this machine or its network wherever they are asked for (RFC 6761, RFC 6762, RFC 8375, ICANN's
 * `.internal`), and those without a dot: nothing public is there.
 */
const localNames = /^[^.]*$|(?:^|\.)(?:localhost|local|internal|home\.arpa)$/

/** The host of a URL as rules speak of it: without the brackets of IPv6 and dots at the end. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.+$/, "")

/** Whether the host of a URL is an address, and no name. */
export const isAddress = (url: URL): boolean => ipaddr.isValid(hostOf(url))

/**
 * Whether a URL says by itself that its host is not public: a literal address, or a name that never is. WHATWG's URL has
 * already turned `0x7f.1`, `2130706433` and the like into four numbers.
 */
export const isLocalUrl = (url: URL): boolean => {
  const host = hostOf(url)
  return ipaddr.isValid(host) ? !isPublicAddress(host) : localNames.test(host)
}
