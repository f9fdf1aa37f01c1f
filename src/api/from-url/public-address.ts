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
