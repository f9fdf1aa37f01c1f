import ipaddr from "ipaddr.js"

/** The range of public IPv6 addresses. Everything else is reserved, or contains an IPv4 address as `::127.0.0.1` does. */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3")

/** Public by its number only: Azure's own services for the calling machine, with its secrets. */
const platformService = ipaddr.IPv4.parse("168.63.129.16").toString()

/**
 * Whether an address is on the public Internet, and not that of this machine, its network, its cloud, or no host at
 * all.
 *
 * IPv6 that stands for an IPv4 address (mapped, NAT64, 6to4, Teredo) is never public, whatever it stands for: a name
 * with such an address has the IPv4 one too.
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
 * Names that always mean this machine or its network (RFC 6761, RFC 6762, RFC 8375, ICANN's `.internal`), and those
 * without a dot: none of them is public.
 */
const localNames = /^[^.]*$|(?:^|\.)(?:localhost|local|internal|home\.arpa)$/

/** The host of a URL in the form that rules use: without the brackets of IPv6 and dots at the end. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.+$/, "")

/** Whether the host of a URL is an address, not a name. */
export const isAddress = (url: URL): boolean => ipaddr.isValid(hostOf(url))

/**
 * Whether a URL alone shows that its host is not public: a literal address, or a name that never is. WHATWG's URL has
 * already turned `0x7f.1`, `2130706433` and the like into four numbers.
 */
export const isLocalUrl = (url: URL): boolean => {
  const host = hostOf(url)
  return ipaddr.isValid(host) ? !isPublicAddress(host) : localNames.test(host)
}
