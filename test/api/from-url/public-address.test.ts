import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { checkHost, parseAllowedHost } from "../../../src/api/from-url/host-rules.ts"
import { isPublicAddress } from "../../../src/server-kit/public-address.ts"
import { describeUrl, parseRemoteUrl } from "../../../src/api/from-url/remote-url.ts"

/** Special-purpose addresses, most of them as IANA lists them, at the edges of their ranges. */
const notPublic: Readonly<Record<string, ReadonlyArray<string>>> = {
  "this host": ["0.0.0.0", "0.255.255.255", "::"],
  loopback: ["127.0.0.1", "127.255.255.254", "::1"],
  private: ["10.0.0.0", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1", "192.168.255.255"],
  "unique local": ["fc00::1", "fd00:ec2::254", "fdff:ffff::1"],
  "link local": ["169.254.169.254", "169.254.0.1", "169.254.170.2", "fe80::1", "febf::1", "fe80::1%eth0"],
  "shared by carriers": ["100.64.0.1", "100.100.100.200", "100.127.255.255"],
  "of a cloud's host": ["168.63.129.16"],
  protocols: ["192.0.0.1", "192.0.0.192", "192.88.99.1", "192.31.196.1", "192.52.193.1", "192.175.48.1"],
  documentation: ["192.0.2.1", "198.51.100.1", "203.0.113.255", "2001:db8::1", "3fff::1"],
  benchmarks: ["198.18.0.1", "198.19.255.255", "2001:2::1"],
  multicast: ["224.0.0.1", "239.255.255.255", "ff02::1", "ff0e::1"],
  reserved: ["240.0.0.1", "255.255.255.255", "4000::1", "8000::1", "fec0::1", "100::1", "5f00::1", "2001::1"],
  "IPv4 in IPv6": [
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "::ffff:0:127.0.0.1",
    "::127.0.0.1",
    "::8.8.8.8",
    "64:ff9b::127.0.0.1",
    "64:ff9b::8.8.8.8",
    "64:ff9b:1::10.0.0.1",
    "2002:7f00:1::",
    "2002:808:808::1",
    "2001:0:7f00:1::1",
  ],
  "no address": ["", "localhost", "1.2.3", "8.8.8.8.", "[2606:4700::1]", "8.8.8.8/32"],
}

describe("addresses that are not public", () => {
  for (const [kind, addresses] of Object.entries(notPublic)) {
    it.each(addresses.map((address) => [address]))(`${kind}: %s`, (address) => {
      // Three numbers are an address to some; WHATWG's URL has made four of them.
      if (address !== "1.2.3") expect(isPublicAddress(address)).toBe(false)
    })
  }
})

it.each([
  ["1.1.1.1"],
  ["8.8.8.8"],
  ["93.184.216.34"],
  ["172.15.255.255"],
  ["172.32.0.1"],
  ["100.63.255.255"],
  ["100.128.0.1"],
  ["169.253.0.1"],
  ["168.63.129.17"],
  ["223.255.255.255"],
  ["2606:4700::1111"],
  ["2a00:1450:4001:80b::200e"],
])("%s is public", (address) => {
  expect(isPublicAddress(address)).toBe(true)
})

const strict = { allowedHosts: undefined, allowPrivateNetwork: false }
const check = (url: string, allowedHosts?: ReadonlyArray<string>) =>
  checkHost(parseRemoteUrl(url), { ...strict, allowedHosts: allowedHosts?.map(parseAllowedHost) })

describe("URLs of this machine and its network", () => {
  it.each([
    ["http://127.0.0.1/"],
    ["http://127.1/"],
    ["http://127.0.1:8080/"],
    ["http://2130706433/"],
    ["http://0x7f000001/"],
    ["http://0x7f.1/"],
    ["http://0177.0.0.1/"],
    ["http://017700000001/"],
    ["http://127.0.0.1./"],
    ["http://%31%32%37.0.0.1/"],
    ["http://１２７.0.0.1/"],
    ["http://127。0。0。1/"],
    ["http://0/"],
    ["http://[::]/"],
    ["http://[::1]/"],
    ["http://[0:0:0:0:0:0:0:1]:80/"],
    ["http://[::ffff:127.0.0.1]/"],
    ["http://[::ffff:7f00:1]/"],
    ["http://[64:ff9b::a9fe:a9fe]/"],
    ["http://[2002:a9fe:a9fe::]/"],
    ["http://[fe80::1]/"],
    ["http://[fd00:ec2::254]/latest/meta-data/"],
    ["http://169.254.169.254/latest/meta-data/"],
    ["http://2852039166/"],
    ["http:\\\\169.254.169.254\\"],
    ["http:/169.254.169.254/"],
    ["http://localhost/"],
    ["http://LOCALHOST./"],
    ["http://localhost../"],
    ["http://app.localhost:3000/"],
    ["http://metadata.google.internal/"],
    ["http://printer.local/"],
    ["http://redis:6379/"],
    ["http://router.home.arpa./"],
  ])("%s is refused", (url) => {
    expect(() => check(url)).toThrow(expect.objectContaining({ code: "FORBIDDEN" }))
  })

  it("is refused however an IPv4 address is written", () => {
    const radix = fc.constantFrom(
      (n: number) => `${n}`,
      (n: number) => `0x${n.toString(16)}`,
      (n: number) => `0X${n.toString(16).toUpperCase()}`,
      (n: number) => `0${n.toString(8)}`,
    )
    const privateIpv4 = fc.oneof(
      fc.tuple(fc.constantFrom(0, 10, 127), fc.nat(255), fc.nat(255), fc.nat(255)),
      fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), fc.nat(255), fc.nat(255)),
      fc.tuple(fc.constant(192), fc.constant(168), fc.nat(255), fc.nat(255)),
      fc.tuple(fc.constant(169), fc.constant(254), fc.nat(255), fc.nat(255)),
      fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), fc.nat(255), fc.nat(255)),
      fc.tuple(fc.integer({ min: 224, max: 255 }), fc.nat(255), fc.nat(255), fc.nat(255)),
    )
    const parts = fc.integer({ min: 1, max: 4 })
    fc.assert(
      fc.property(privateIpv4, parts, fc.array(radix, { minLength: 4, maxLength: 4 }), (octets, count, write) => {
        const last = octets.slice(count - 1).reduce((sum, octet) => sum * 256 + octet, 0)
        const host = [...octets.slice(0, count - 1), last].map((part, i) => write[i]!(part)).join(".")
        const hex = octets.map((octet) => octet.toString(16).padStart(2, "0"))
        const [high, low] = [`${hex[0]}${hex[1]}`, `${hex[2]}${hex[3]}`]
        for (const form of [
          host,
          `${host}.`,
          `[::ffff:${octets.join(".")}]`,
          `[::${high}:${low}]`,
          `[0:0:0:0:0:FFFF:${high}:${low}]`,
          `[64:ff9b::${octets.join(".")}]`,
          `[2002:${high}:${low}::1]`,
        ]) {
          expect(() => check(`http://${form}/file`), form).toThrow(expect.objectContaining({ code: "FORBIDDEN" }))
        }
      }),
    )
  })

  it("is refused for any IPv6 address outside of 2000::/3", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 }), (parts) => {
        fc.pre(parts[0]! >> 13 !== 1)
        const host = `[${parts.map((part) => part.toString(16)).join(":")}]`
        expect(() => check(`https://${host}/`)).toThrow(expect.objectContaining({ code: "FORBIDDEN" }))
      }),
    )
  })
})

describe("allowedHosts", () => {
  it.each([
    ["https://example.com/a", ["example.com"]],
    ["https://EXAMPLE.com./a", ["example.com"]],
    ["https://example.com:8443/a", ["Example.COM"]],
    ["https://a.b.example.com/a", ["*.example.com"]],
    ["https://bücher.example/a", ["bücher.example"]],
    ["https://1.1.1.1/a", ["1.1.1.1"]],
    ["https://[2606:4700::1111]/a", ["[2606:4700:0::1111]"]],
  ])("%s is one of %j", (url, hosts) => {
    expect(() => check(url, hosts)).not.toThrow()
  })

  it.each([
    ["https://example.com/a", ["*.example.com"]],
    ["https://example.com.evil.test/a", ["example.com", "*.example.com"]],
    ["https://evilexample.com/a", ["*.example.com"]],
    ["https://sub.example.com/a", ["example.com"]],
    ["https://evil.test/example.com", ["example.com"]],
    ["https://evil.test/a", []],
    // Allowed, but not public.
    ["https://127.0.0.1/a", ["127.0.0.1"]],
    ["https://localhost/a", ["localhost"]],
  ])("%s is none of %j", (url, hosts) => {
    expect(() => check(url, hosts)).toThrow(expect.objectContaining({ code: "FORBIDDEN" }))
  })

  it.each([["https://example.com"], ["example.com:443"], ["example.com/path"], ["*"], ["a.*.com"], [""], ["[::1]:80"]])(
    "%j is not a host",
    (host) => {
      expect(() => parseAllowedHost(host)).toThrow(expect.objectContaining({ code: "INVALID_CONFIG" }))
    },
  )
})

describe("URLs", () => {
  it.each([
    ["file:///etc/passwd"],
    ["ftp://example.com/a"],
    ["data:text/plain,a"],
    ["gopher://example.com/"],
    ["javascript:alert(1)"],
    ["example.com/a.png"],
    ["//example.com/a.png"],
    ["http://"],
    ["http://1.2.3.4.5/"],
    ["http://[fe80::1%25eth0]/"],
    [""],
    ["https://user@example.com/"],
    ["https://user:password@example.com/"],
    ["https://:password@example.com/"],
  ])("%s is refused", (url) => {
    expect(() => parseRemoteUrl(url)).toThrow(expect.objectContaining({ code: "BAD_REQUEST" }))
  })

  it("are named without what may be secret, whole or not", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("https://", "http://", "", "//", "ftp://", "https:/\\"),
        fc.string(),
        (start, end) => {
          for (const text of [`${start}user:s3cret@example.com/a${end}`, `${start}example.com/a?token=s3cret${end}`]) {
            expect(describeUrl(text)).not.toContain("s3cret")
            let message = ""
            try {
              message = describeUrl(parseRemoteUrl(text))
            } catch (error) {
              message = (error as Error).message
            }
            expect(message).not.toContain("s3cret")
          }
        },
      ),
    )
  })
})
