import { describe, expect, it } from "vitest"
import { encode, toBucketAddress } from "../../../../../src/ingest/storage/s3/client/address.ts"

const hrefOf = (endpoint: string, addressing: "path" | "virtual-host" | undefined, bucket = "my-bucket") => {
  const { origin, toPath } = toBucketAddress({ endpoint, bucket, addressing })
  return origin + toPath("a b/c+ü.txt")
}

describe("the address of a bucket", () => {
  it.each([
    ["https://s3.eu-central-1.amazonaws.com", undefined, "https://s3.eu-central-1.amazonaws.com/my-bucket/"],
    ["https://s3.eu-central-1.amazonaws.com/", "virtual-host", "https://my-bucket.s3.eu-central-1.amazonaws.com/"],
    ["http://127.0.0.1:9000", "path", "http://127.0.0.1:9000/my-bucket/"],
    ["https://example.com:8443/s3/", "path", "https://example.com:8443/s3/my-bucket/"],
    ["https://example.com/s3", "virtual-host", "https://my-bucket.example.com/s3/"],
    ["https://example.com:443", "path", "https://example.com/my-bucket/"],
  ] as const)("%s by %s", (endpoint, addressing, expected) => {
    expect(hrefOf(endpoint, addressing)).toBe(`${expected}a%20b/c%2B%C3%BC.txt`)
  })

  it("takes buckets with dots both ways", () => {
    expect(hrefOf("https://example.com", "path", "a.b")).toMatch(/^https:\/\/example\.com\/a\.b\//)
    expect(hrefOf("https://example.com", "virtual-host", "a.b")).toMatch(/^https:\/\/a\.b\.example\.com\//)
  })

  it("of the bucket itself has no key", () => {
    const path = (addressing: "path" | "virtual-host") =>
      toBucketAddress({ endpoint: "https://example.com", bucket: "b", addressing }).toPath(undefined)
    expect([path("path"), path("virtual-host")]).toEqual(["/b", "/"])
  })

  it.each(["", "example.com", "ftp://example.com", "https://user:secret@example.com", "https://example.com/?a=secret"])(
    "%s is refused, and what may be secret is not repeated",
    (endpoint) => {
      expect(() => hrefOf(endpoint, "path")).toThrow(TypeError)
      expect(() => hrefOf(endpoint, "path")).not.toThrow(/secret/)
    },
  )

  it.each(["", "a/b", "..", "a b"])("the bucket %j is refused", (bucket) => {
    expect(() => hrefOf("https://example.com", "path", bucket)).toThrow(TypeError)
  })

  it("an IP address has no names below it", () => {
    expect(() => hrefOf("http://127.0.0.1:9000", "virtual-host")).toThrow(TypeError)
    expect(() => hrefOf("http://[::1]:9000", "virtual-host")).toThrow(TypeError)
  })

  it.each(["", ".", "..", "a/../b", "a/."])("the key %j is refused, as URLs lose it on their way", (key) => {
    const { toPath } = toBucketAddress({ endpoint: "https://example.com", bucket: "b" })
    expect(() => toPath(key)).toThrow(TypeError)
  })

  it("encodes everything but what RFC 3986 leaves alone", () => {
    const signs = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).join("")
    expect(encode(signs).replaceAll(/%[0-9A-F]{2}/g, "")).toBe(
      "-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~",
    )
    expect(decodeURIComponent(encode(signs))).toBe(signs)
  })
})
