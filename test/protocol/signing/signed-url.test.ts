import { createHmac } from "node:crypto"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { encodeAppId } from "../../../src/protocol/signing/app-id.ts"
import { createFileKey } from "../../../src/protocol/files/key.ts"
import { names } from "../../../src/protocol/names.ts"
import { createSigner } from "../../../src/protocol/signing/signature.ts"
import {
  encodeQueryValue,
  parseUploadUrl,
  signUploadUrl,
  signUrl,
  type UploadGrant,
  verifySignedUrl,
  verifyUploadUrl,
} from "../../../src/protocol/signing/signed-url.ts"
import { loadWithoutNodeCrypto } from "../without-node-crypto.ts"

const apiKey = "sk_live_3f9a"
const signer = createSigner(apiKey)
const ingestUrl = "https://ingest.example.com/base"
const prefix = encodeAppId("app-1")
const expires = 1_800_000_000_000
const before = { now: expires - 1 }

const grant: UploadGrant = {
  key: createFileKey(prefix, "seed"),
  appId: "app-1",
  expires,
  name: "ünï cödé (1) & #?+%.pdf",
  size: 1_572_864,
  type: "application/pdf",
  slug: "avatar",
  registrationId: "kE2xQm7PzVnYb9tR",
  issuedAt: expires - 3_600_000,
  customId: "user/42",
  contentDisposition: "attachment",
  acl: "private",
  cache: "immutable",
  transport: "direct",
}

const text = fc.string({ unit: "binary", minLength: 1, maxLength: 300 })
const grants: fc.Arbitrary<UploadGrant> = fc.record({
  key: fc.option(text, { nil: undefined }).map((seed) => createFileKey(prefix, seed?.slice(0, 60))),
  appId: text,
  expires: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
  name: text,
  size: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
  type: fc.constantFrom("image/png", "application/vnd.a+xml", "text/plain;charset=utf-8"),
  slug: fc.option(text, { nil: undefined }),
  registrationId: fc.option(fc.stringMatching(/^[\w-]{1,64}$/), { nil: undefined }),
  issuedAt: fc.option(fc.nat({ max: Number.MAX_SAFE_INTEGER }), { nil: undefined }),
  customId: fc.option(text, { nil: undefined }),
  contentDisposition: fc.constantFrom("inline", "attachment", undefined),
  acl: fc.constantFrom("public-read", "private", undefined),
  cache: fc.constantFrom("revalidate", "immutable", undefined),
  transport: fc.constantFrom("direct", undefined),
})

/** What the platform's own URL classes make of a grant, spelt as docs/protocol.md §4 spells it. */
const asThePlatformWritesIt = (grant: UploadGrant): string => {
  const url = new URL(`${ingestUrl}/${grant.key}`)
  const add = (name: string, value: string | number | undefined) => {
    if (value !== undefined) url.searchParams.append(name, String(value))
  }
  add("expires", grant.expires)
  add("x-sluice-identifier", grant.appId)
  add("x-sluice-file-name", grant.name)
  add("x-sluice-file-size", grant.size)
  add("x-sluice-file-type", grant.type)
  add("x-sluice-slug", grant.slug)
  add("x-sluice-registration", grant.registrationId)
  add("x-sluice-issued", grant.issuedAt)
  add("x-sluice-custom-id", grant.customId)
  add("x-sluice-content-disposition", grant.contentDisposition)
  add("x-sluice-acl", grant.acl)
  add("x-sluice-cache", grant.cache)
  add("x-sluice-transport", grant.transport)
  add("signature", `hmac-sha256=${createHmac("sha256", apiKey).update(url.href).digest("hex")}`)
  return url.href
}

const webSigner = (await loadWithoutNodeCrypto()).createSigner(apiKey)

describe("a signed upload URL", () => {
  it("is what URL and URLSearchParams would write, one layer of percent-encoding", () => {
    fc.assert(
      fc.property(grants, (grant) => {
        expect(signUploadUrl(ingestUrl, grant, signer)).toBe(asThePlatformWritesIt(grant))
      }),
    )
  })

  it("survives a trip through the platform's URL unchanged, so no client or server re-encodes it", () => {
    fc.assert(
      fc.property(grants, (grant) => {
        const url = signUploadUrl(ingestUrl, grant, signer) as string
        expect(new URL(url).href).toBe(url)
        expect(new Request(url).url).toBe(url)
      }),
    )
  })

  it("gives back every field of its grant", () => {
    fc.assert(
      fc.property(grants, (grant) => {
        const url = signUploadUrl(ingestUrl, { ...grant, expires }, signer) as string
        expect(verifyUploadUrl(url, signer, before)).toEqual({ ok: true, value: { ...grant, expires } })
      }),
    )
  })

  it("is the same, and verifies, with Web Crypto", async () => {
    const url = await signUploadUrl(ingestUrl, grant, webSigner)
    expect(url).toBe(signUploadUrl(ingestUrl, grant, signer))
    expect(await verifyUploadUrl(url, webSigner, before)).toEqual({ ok: true, value: grant })
    expect(await verifyUploadUrl(`${url}0`, webSigner, before)).toMatchObject({ ok: false, code: "INVALID_SIGNATURE" })
    expect(await verifyUploadUrl(url, webSigner, { now: expires })).toMatchObject({ ok: false, code: "EXPIRED_URL" })
  })

  it("carries names that break naive encoders", () => {
    const hostile = [
      "ünï cödé (1) & #?+%.pdf",
      "👩‍👩‍👧‍👦🏳️‍🌈.png",
      "a".repeat(255),
      "é".repeat(127),
      "..",
      "../../etc/passwd",
      "a\0b",
      "a\r\nset-cookie: x",
      "&signature=hmac-sha256%3D0",
      "&x-sluice-file-size=1",
      "%2e%2e%2f",
      " ",
      "~!*'()",
    ]
    for (const name of hostile) {
      const url = signUploadUrl(ingestUrl, { ...grant, name }, signer) as string
      expect(url).toMatch(/^[\x21-\x7e]+$/)
      expect(verifyUploadUrl(url, signer, before)).toEqual({ ok: true, value: { ...grant, name } })
    }
  })

  it("turns lone surrogates into U+FFFD rather than throwing", () => {
    const url = signUploadUrl(ingestUrl, { ...grant, name: "a\ud800b" }, signer) as string
    expect(verifyUploadUrl(url, signer, before)).toMatchObject({ ok: true, value: { name: "a\ufffdb" } })
    fc.assert(
      fc.property(fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)) }), (name) => {
        expect(encodeQueryValue(name)).toBe(new URLSearchParams({ a: name }).toString().slice(2))
      }),
    )
  })

  it("names the default type where the URL has none", () => {
    const url = `${ingestUrl}/${grant.key}?expires=${expires}&${names.query.identifier}=app-1&${names.query.fileName}=a&${names.query.fileSize}=1`
    expect(verifyUploadUrl(signUrl(url, signer) as string, signer, before)).toEqual({
      ok: true,
      value: {
        key: grant.key,
        appId: "app-1",
        expires,
        name: "a",
        size: 1,
        type: "application/octet-stream",
        slug: undefined,
        registrationId: undefined,
        issuedAt: undefined,
        customId: undefined,
        contentDisposition: undefined,
        acl: undefined,
        cache: undefined,
        transport: undefined,
      },
    })
  })
})

describe("an altered URL is refused", () => {
  const url = signUploadUrl(ingestUrl, grant, signer) as string
  const isRefused = (altered: string) => {
    const outcome = verifyUploadUrl(altered, signer, before)
    return "ok" in outcome && !outcome.ok && outcome.code === "INVALID_SIGNATURE"
  }
  const accepted = (alterations: Iterable<string>) => [...alterations].filter((altered) => !isRefused(altered))
  const places = Array.from({ length: url.length }, (_, place) => place)
  const characters = [..."09aAfF%&=+?/#.-_~ \0é"]

  it("with any one character replaced, in another case too", () => {
    const alterations = places.flatMap((place) =>
      [...characters, url[place]!.toUpperCase(), url[place]!.toLowerCase()]
        .filter((character) => character !== url[place])
        .map((character) => url.slice(0, place) + character + url.slice(place + 1)),
    )
    expect(alterations.length).toBeGreaterThan(5000)
    expect(accepted(alterations)).toEqual([])
  })

  it("with any one character deleted", () => {
    expect(accepted(places.map((place) => url.slice(0, place) + url.slice(place + 1)))).toEqual([])
  })

  it("with any one character inserted, at the end too", () => {
    const alterations = [...places, url.length].flatMap((place) =>
      characters.map((character) => url.slice(0, place) + character + url.slice(place)),
    )
    expect(accepted(alterations)).toEqual([])
  })

  it("cut off anywhere", () => {
    expect(accepted(places.map((place) => url.slice(0, place)))).toEqual([])
  })

  it("with two neighbours swapped", () => {
    const alterations = places
      .slice(1)
      .map((place) => url.slice(0, place - 1) + url[place]! + url[place - 1]! + url.slice(place + 1))
      .filter((altered) => altered !== url)
    expect(accepted(alterations)).toEqual([])
  })

  it("with a parameter appended, put in front, doubled, or left out", () => {
    const mark = url.indexOf("?") + 1
    const parameters = url.slice(mark).split("&")
    const alterations = parameters.flatMap((parameter, place) => [
      `${url}&${parameter}`,
      `${url.slice(0, mark)}${parameter}&${url.slice(mark)}`,
      url.slice(0, mark) + parameters.toSpliced(place, 0, parameter).join("&"),
      url.slice(0, mark) + parameters.toSpliced(place, 1).join("&"),
    ])
    alterations.push(`${url}&`, `${url}&a=b`, `${url}#`, `${url}#fragment`, `${url}?`)
    expect(accepted(alterations)).toEqual([])
  })

  it("with another origin, scheme, port, base path or key", () => {
    const otherKey = createFileKey(prefix)
    const alterations = [
      url.replace("https:", "http:"),
      url.replace("ingest.example.com", "evil.example.com"),
      url.replace("ingest.example.com", "ingest.example.com:8443"),
      url.replace("ingest.example.com", "INGEST.example.com"),
      url.replace("ingest.example.com", "user@ingest.example.com"),
      url.replace("/base/", "/"),
      url.replace("/base/", "/base//"),
      url.replace("/base/", "/base/f/"),
      url.replace("/base/", "/base/../base/"),
      url.replace("/base/", "/%62ase/"),
      url.replace(grant.key, otherKey),
      url.replace(grant.key, `${grant.key}/${otherKey}`),
    ]
    expect(new Set([...alterations, url]).size).toBe(alterations.length + 1)
    expect(accepted(alterations)).toEqual([])
  })

  it("with an equivalent encoding of the same values", () => {
    const alterations = [
      url.replaceAll("+", "%20"),
      url.replace("%3D", "="),
      url.replace("%3D", "%3d"),
      url.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase()),
      url.replace("avatar", "%61vatar"),
      decodeURI(url),
      encodeURI(url),
      url.toUpperCase(),
      url.toLowerCase(),
    ]
    expect(accepted(alterations)).toEqual([])
  })

  it("signed by another key, not at all, or with a signature of something else", () => {
    const mark = url.lastIndexOf("&signature=")
    const other = signUploadUrl(ingestUrl, { ...grant, size: grant.size + 1 }, signer) as string
    const alterations = [
      signUploadUrl(ingestUrl, grant, createSigner("sk_other")) as string,
      url.slice(0, mark),
      url.slice(0, mark) + other.slice(other.lastIndexOf("&signature=")),
      `${url.slice(0, mark)}&signature=`,
      `${url.slice(0, mark)}&signature=hmac-sha256%3D`,
      `${url.slice(0, mark)}&signature=${"0".repeat(64)}`,
      "",
      "?",
      "&signature=hmac-sha256%3D",
    ]
    expect(accepted(alterations)).toEqual([])
  })

  it("for any grant and any splice", () => {
    fc.assert(
      fc.property(grants, fc.nat(), fc.nat({ max: 5 }), fc.string({ maxLength: 5 }), (grant, at, removed, inserted) => {
        const url = signUploadUrl(ingestUrl, { ...grant, expires }, signer) as string
        const place = at % (url.length + 1)
        const altered = url.slice(0, place) + inserted + url.slice(place + removed)
        fc.pre(altered !== url)
        expect(isRefused(altered)).toBe(true)
      }),
      { numRuns: 500 },
    )
  })

  it("and junk never throws", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.webUrl()), (junk) => {
        expect(isRefused(junk)).toBe(true)
        expect(parseUploadUrl(junk)).toMatchObject({ ok: false, code: "BAD_REQUEST" })
      }),
    )
  })

  it("a forged URL is not told whether it has expired", () => {
    expect(verifyUploadUrl(`${url}0`, signer, { now: expires * 2 })).toMatchObject({ code: "INVALID_SIGNATURE" })
  })
})

describe("expiry", () => {
  const url = signUploadUrl(ingestUrl, grant, signer) as string
  const day = 24 * 60 * 60 * 1000

  it("a URL is good until the millisecond it expires in", () => {
    expect(verifyUploadUrl(url, signer, { now: 0 })).toMatchObject({ ok: true })
    expect(verifyUploadUrl(url, signer, { now: expires - 1 })).toMatchObject({ ok: true })
    expect(verifyUploadUrl(url, signer, { now: expires })).toMatchObject({ ok: false, code: "EXPIRED_URL" })
    expect(verifyUploadUrl(url, signer, { now: expires + 1 })).toMatchObject({ ok: false, code: "EXPIRED_URL" })
  })

  it("says whose URL has expired and what to do", () => {
    expect(verifyUploadUrl(url, signer, { now: expires })).toMatchObject({
      detail: `The upload URL of "${grant.name}" has expired. Ask the app for a new one.`,
    })
  })

  it("a renewal is granted within its grace, no longer", () => {
    const renew = (now: number) => verifyUploadUrl(url, signer, { now, grace: day })
    expect(renew(expires - 1)).toMatchObject({ ok: true })
    expect(renew(expires)).toMatchObject({ ok: true })
    expect(renew(expires + day - 1)).toMatchObject({ ok: true })
    expect(renew(expires + day)).toMatchObject({ ok: false, code: "EXPIRED_URL" })
  })
})

describe("parseUploadUrl", () => {
  const query = new URL(signUploadUrl(ingestUrl, grant, signer) as string).search
  const without = (name: string, value?: string) => {
    const url = new URL(`${ingestUrl}/${grant.key}${query}`)
    if (value === undefined) url.searchParams.delete(name)
    else url.searchParams.set(name, value)
    return parseUploadUrl(url.href)
  }

  it("refuses a key with path tricks or one too long", () => {
    const keys = [
      "",
      ".",
      "..",
      "%2e%2e",
      "a%2Fb",
      "a%00",
      "a.b",
      "a\\b",
      "a#b",
      "a b",
      "ü",
      "a\0b",
      "a;b",
      "x".repeat(513),
    ]
    for (const key of keys) {
      expect(parseUploadUrl(`${ingestUrl}/${key}${query}`)).toMatchObject({ ok: false, code: "BAD_REQUEST" })
    }
    expect(parseUploadUrl(`${ingestUrl}/${"x".repeat(512)}${query}`)).toMatchObject({ ok: true })
  })

  it("does not take a slash in the query for one of the path", () => {
    const name = "a/b?c"
    const url = signUploadUrl(ingestUrl, { ...grant, name }, signer) as string
    for (const written of [url, url.replace("a%2Fb%3Fc", name)]) {
      expect(parseUploadUrl(written)).toMatchObject({ value: { key: grant.key, name } })
    }
  })

  describe("holds a query to its grammar, however well it is signed", () => {
    const base = `${ingestUrl}/${grant.key}?`
    const [first = "", ...rest] = query.slice(1).split("&")
    const fields = rest.slice(0, -1)
    const sign = (query: string) => signUrl(base + query, signer) as string
    const verify = (url: string) => verifyUploadUrl(url, signer, before)
    const refusal = { ok: false, code: "BAD_REQUEST" }

    it("takes the known names in any order between expires and signature", () => {
      const shuffled = fc.shuffledSubarray(fields, { minLength: fields.length })
      fc.assert(
        fc.property(shuffled, (fields) => {
          expect(verify(sign([first, ...fields].join("&")))).toEqual({ ok: true, value: grant })
        }),
      )
    })

    it.each<[string, ReadonlyArray<string>]>([
      ["expires is not first", [...fields, first]],
      ["expires is second", [fields[0]!, first, ...fields.slice(1)]],
      ["expires is there twice", [first, first, ...fields]],
      ["a field is there twice, once with another value", [first, ...fields, `${names.query.fileSize}=1`]],
      ["a field is there twice with the same value", [first, ...fields, fields[0]!]],
      ["a name is unknown", [first, ...fields, "x-sluice-more=1"]],
      ["a name has another case", [first, ...fields.map((field) => field.replace("x-sluice-acl", "X-Sluice-ACL"))]],
      ["a name is percent-encoded", [first, ...fields.map((field) => field.replace("x-sluice-acl", "x%2Dsluice-acl"))]],
      ["a name is that of an object", [first, ...fields, "__proto__=1"]],
      ["a field has no value", [first, ...fields, names.query.customId]],
      ["a field is empty", [first, ...fields, ""]],
      ["a field has no name", [first, ...fields, "=1"]],
      ["a value is not UTF-8", [first, ...fields.filter((field) => !/slug/.test(field)), `${names.query.slug}=%ff`]],
      ["a value is cut in an escape", [first, ...fields.filter((f) => !/slug/.test(f)), `${names.query.slug}=%f`]],
      ["a signature stands before the last one", [first, `signature=hmac-sha256%3D${"0".repeat(64)}`, ...fields]],
      ["two signatures stand at the end", [first, ...fields, `signature=hmac-sha256%3D${"0".repeat(64)}`]],
    ])("refuses it when %s", (_, parts) => {
      const url = sign(parts.join("&"))
      expect(verifySignedUrl(url, signer)).toMatchObject({ ok: true })
      expect(parseUploadUrl(url)).toMatchObject(refusal)
      expect(verify(url)).toMatchObject(refusal)
    })

    it("refuses a field after the signature", () => {
      expect(parseUploadUrl(`${sign([first, ...fields].join("&"))}&${names.query.acl}=private`)).toMatchObject(refusal)
    })

    it("refuses an id of a registration, or a time of issue, that the handler would not write", () => {
      for (const value of ["", "a b", "a".repeat(65), "../x", "ü"]) {
        expect(without(names.query.registration, value)).toMatchObject(refusal)
      }
      for (const value of ["", "-1", "1.5", "x"]) expect(without(names.query.issued, value)).toMatchObject(refusal)
    })
  })

  it.each([names.query.expires, names.query.identifier, names.query.fileName, names.query.fileSize])(
    "refuses a URL without %s, or with an empty one, and names it",
    (name) => {
      const refusal = {
        ok: false,
        code: "BAD_REQUEST",
        detail: `The upload URL has no valid ${name}. Use the URL exactly as it was issued.`,
      }
      expect(without(name)).toEqual(refusal)
      expect(without(name, "")).toEqual(refusal)
    },
  )

  it("refuses numbers that are no whole numbers", () => {
    for (const value of [
      "-1",
      "1.5",
      "1e3",
      "0x10",
      " 1",
      "1 ",
      "+1",
      "NaN",
      "Infinity",
      "9007199254740992",
      "0".repeat(17),
      "١",
    ]) {
      expect(without(names.query.fileSize, value)).toMatchObject({ ok: false, code: "BAD_REQUEST" })
      expect(without(names.query.expires, value)).toMatchObject({ ok: false, code: "BAD_REQUEST" })
    }
    expect(without(names.query.fileSize, "0")).toMatchObject({ value: { size: 0 } })
    expect(without(names.query.fileSize, "9007199254740991")).toMatchObject({ value: { size: 2 ** 53 - 1 } })
  })

  it("refuses an ACL, disposition, cache rule or transport it does not know", () => {
    for (const value of ["", "PRIVATE", "public", "constructor", "inline\r\nx: y"]) {
      expect(without(names.query.acl, value)).toMatchObject({ ok: false, code: "BAD_REQUEST" })
      expect(without(names.query.contentDisposition, value)).toMatchObject({ ok: false, code: "BAD_REQUEST" })
      expect(without(names.query.cache, value)).toMatchObject({ ok: false, code: "BAD_REQUEST" })
      expect(without(names.query.transport, value)).toMatchObject({ ok: false, code: "BAD_REQUEST" })
    }
  })
})

describe("any signed URL", () => {
  it("gives back what was signed", () => {
    const url = "https://ingest.example.com/f/key?expires=5"
    const signed = signUrl(url, signer) as string
    expect(signed).toBe(`${url}&signature=hmac-sha256%3D${createHmac("sha256", apiKey).update(url).digest("hex")}`)
    expect(verifySignedUrl(signed, signer)).toEqual({ ok: true, value: url })
  })

  it("a signed reading URL grants no upload", () => {
    const signed = signUrl(`${ingestUrl}/f/${grant.key}?expires=${expires}`, signer) as string
    expect(verifyUploadUrl(signed, signer, before)).toMatchObject({ ok: false, code: "BAD_REQUEST" })
  })
})
