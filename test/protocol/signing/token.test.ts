import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { encodeToken, parseToken, resolveIngestUrl, type Token } from "../../../src/protocol/signing/token.ts"

const token: Token = {
  apiKey: "sk_live_3f9a",
  appId: "app-1",
  regions: ["local"],
  ingestUrl: "http://localhost:4790",
}
const toBase64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64")

const apiKeys = fc
  .string({
    unit: fc.constantFrom(..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~+/="),
    minLength: 12,
    maxLength: 60,
  })
  .map((secret) => `sk_${secret}`)
const words = fc.string({ unit: "binary", minLength: 1 })
const tokens: fc.Arbitrary<Token> = fc.record({
  apiKey: apiKeys,
  appId: words,
  regions: fc.tuple(words, words).map(([first, second]) => [first, second] as const satisfies Token["regions"]),
  ingestUrl: fc.constantFrom("https://{region}.ingest.example.com/x", "http://localhost:1", undefined),
})

describe("a token", () => {
  it("is padded standard base64 of its JSON", () => {
    expect(encodeToken(token)).toBe(toBase64(token))
    expect(JSON.parse(Buffer.from(encodeToken({ ...token, ingestUrl: undefined }), "base64").toString())).toEqual({
      apiKey: "sk_live_3f9a",
      appId: "app-1",
      regions: ["local"],
    })
  })

  it("is read back as it was written, app ids and regions in any script", () => {
    fc.assert(
      fc.property(tokens, (token) => {
        expect(encodeToken(token)).toMatch(/^[A-Za-z0-9+/]+={0,2}$/)
        expect(encodeToken(token).length % 4).toBe(0)
        expect(parseToken(encodeToken(token))).toEqual({ ok: true, value: token })
      }),
    )
  })

  it("may be surrounded by white space and broken over lines, as terminals and secret stores do", () => {
    const text = encodeToken(token)
    for (const variant of [` ${text}\n`, `${text}\r\n`, `${text.slice(0, 40)}\n${text.slice(40)}`]) {
      expect(parseToken(variant)).toEqual({ ok: true, value: token })
    }
  })

  it("is taken without its padding, but not in the URL-safe alphabet", () => {
    const unpadded = encodeToken({ ...token, appId: "ab" }).replace(/=+$/, "")
    expect(unpadded.length % 4).not.toBe(0)
    expect(parseToken(unpadded)).toMatchObject({ ok: true })
    const urlSafe = toBase64({ ...token, appId: "???>>>" })
      .replaceAll("+", "-")
      .replaceAll("/", "_")
    expect(urlSafe).toMatch(/[-_]/)
    expect(parseToken(urlSafe)).toMatchObject({
      ok: false,
      detail: expect.stringContaining("The token is not base64."),
    })
  })

  it("may hold fields of a later version", () => {
    expect(parseToken(toBase64({ ...token, plan: "pro" }))).toEqual({ ok: true, value: token })
  })
})

describe("a bad token", () => {
  const details: ReadonlyArray<readonly [what: string, text: string, detail: string]> = [
    ["that is empty", "", "There is no token. Set SLUICE_TOKEN to what `sluice token` prints."],
    ["of blanks", " \n", "There is no token."],
    ["that is no base64", "???", "The token is not base64."],
    ["that is a bare API key", "sk_live_3f9a", "The token is not base64."],
    ["of bytes that are no UTF-8", Buffer.from([0xff, 0xfe, 0xfd]).toString("base64"), "The token is not base64."],
    ["that is no JSON", Buffer.from("sk_live_3f9a").toString("base64"), "The token's content is not JSON."],
    ["that is null", toBase64(null), "The token's content is not a JSON object."],
    ["that is a list", toBase64([token]), "The token's content is not a JSON object."],
    ["that is a string", toBase64("x"), "The token's content is not a JSON object."],
    ["without apiKey", toBase64({ ...token, apiKey: undefined }), "field `apiKey` is missing"],
    ["with a numeric apiKey", toBase64({ ...token, apiKey: 1 }), "field `apiKey` is missing or not a string"],
    ["with a public key", toBase64({ ...token, apiKey: "pk_x" }), "field `apiKey` does not start with `sk_`"],
    ["with nothing after sk_", toBase64({ ...token, apiKey: "sk_" }), "field `apiKey` does not start with `sk_`"],
    ["with a line end in apiKey", toBase64({ ...token, apiKey: "sk_a\nb" }), "field `apiKey` holds characters"],
    ["with an umlaut in apiKey", toBase64({ ...token, apiKey: "sk_ü" }), "field `apiKey` holds characters"],
    ["without appId", toBase64({ ...token, appId: undefined }), "field `appId`"],
    ["with an empty appId", toBase64({ ...token, appId: "" }), "field `appId`"],
    ["without regions", toBase64({ ...token, regions: undefined }), "field `regions` is missing"],
    ["with regions as a string", toBase64({ ...token, regions: "local" }), "field `regions` is missing or not a list"],
    ["with an empty region", toBase64({ ...token, regions: ["local", ""] }), "field `regions`"],
    ["with no region", toBase64({ ...token, regions: [] }), "field `regions` is empty"],
    ["with ingestUrl null", toBase64({ ...token, ingestUrl: null }), "field `ingestUrl` is not an http(s) URL"],
    ["with a javascript: URL", toBase64({ ...token, ingestUrl: "javascript:0" }), "field `ingestUrl`"],
    ["with fields only inherited", toBase64(JSON.parse(`{"__proto__":${JSON.stringify(token)}}`)), "field `apiKey`"],
  ]

  it.each(details)("%s says so", (_, text, detail) => {
    const outcome = parseToken(text)
    expect(outcome).toMatchObject({ ok: false, code: "INVALID_TOKEN" })
    expect((outcome as { detail: string }).detail).toContain(detail)
    expect((outcome as { detail: string }).detail).not.toContain("3f9a")
  })

  it.each([
    ["a line of .env", `SLUICE_TOKEN='${encodeToken(token)}'`],
    ["one with double quotes", `SLUICE_TOKEN="${encodeToken(token)}"`],
    ["one without quotes", `SLUICE_TOKEN=${encodeToken(token)}`],
    ["one with spaces", `  SLUICE_TOKEN = '${encodeToken(token)}'\n`],
    ["a shell's export", `export SLUICE_TOKEN='${encodeToken(token)}'`],
    ["another variable", `UPLOAD2_TOKEN='${encodeToken(token)}'`],
    ["quotes alone", `'${encodeToken(token)}'`],
    ["double quotes alone", `"${encodeToken(token)}"`],
    ["quotes around a line end", `"${encodeToken(token)}\n"`],
  ])("pasted as %s is recognised", (_, text) => {
    expect(parseToken(text)).toEqual({
      ok: false,
      code: "INVALID_TOKEN",
      detail:
        "The token holds the whole line or its quotes. Keep only what stands between the quotes of SLUICE_TOKEN='…'.",
    })
  })

  it("never shows its key, however it is broken", () => {
    const breakages: ReadonlyArray<(token: Token) => string> = [
      (token) => token.apiKey,
      (token) => `SLUICE_TOKEN='${token.apiKey}'`,
      (token) => JSON.stringify(token),
      (token) => `${toBase64(token)}!`,
      (token) => toBase64(token.apiKey),
      (token) => toBase64([token]),
      (token) => Buffer.from(`{"apiKey":"${token.apiKey}"`).toString("base64"),
      (token) => Buffer.from(`"apiKey":"${token.apiKey}"`).toString("base64"),
      (token) => toBase64({ ...token, apiKey: token.apiKey.slice(3) }),
      (token) => toBase64({ ...token, apiKey: `${token.apiKey} ` }),
      (token) => toBase64({ ...token, apiKey: { [token.apiKey]: token.apiKey } }),
      (token) => toBase64({ ...token, appId: null }),
      (token) => toBase64({ ...token, regions: token.apiKey }),
      (token) => toBase64({ ...token, regions: [] }),
      (token) => toBase64({ ...token, ingestUrl: token.apiKey }),
      (token) => toBase64({ [token.apiKey]: 1 }),
    ]
    fc.assert(
      fc.property(tokens, fc.constantFrom(...breakages), (token, breakIt) => {
        const outcome = parseToken(breakIt(token))
        if (outcome.ok) throw new Error("The broken token was taken.")
        expect(outcome.code).toBe("INVALID_TOKEN")
        expect(outcome.detail).not.toContain(token.apiKey.slice(3))
      }),
    )
  })

  it("never throws", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.base64String(), fc.json().map(btoaUtf8)), (text) => {
        expect(parseToken(text)).toMatchObject({ ok: false, code: "INVALID_TOKEN" })
      }),
    )
  })
})

const btoaUtf8 = (text: string) => Buffer.from(text).toString("base64")

describe("the ingest's URL", () => {
  const resolve = (ingestUrl: string | undefined, option?: string) => resolveIngestUrl({ ...token, ingestUrl }, option)

  it("is the token's, with the first region filled in everywhere", () => {
    const regional = {
      ...token,
      regions: ["eu-1", "us-1"],
      ingestUrl: "https://{region}.example.com/{region}",
    } as const
    expect(resolveIngestUrl(regional)).toEqual({ ok: true, value: "https://eu-1.example.com/eu-1" })
  })

  it("is the option's where there is one: region plays no part then", () => {
    expect(resolve("https://token.example.com", "https://option.example.com")).toEqual({
      ok: true,
      value: "https://option.example.com",
    })
    expect(resolve(undefined, "http://localhost:4790/base")).toEqual({ ok: true, value: "http://localhost:4790/base" })
  })

  it("is spelt in one way, so that both ends sign the same text", () => {
    for (const spelling of [
      "https://ingest.example.com/base",
      "https://ingest.example.com/base/",
      "https://ingest.example.com/base///",
      "HTTPS://INGEST.example.com:443/base",
      " https://ingest.example.com/base\n",
      "https://ingest.example.com/x/../base",
    ]) {
      expect(resolve(undefined, spelling)).toEqual({ ok: true, value: "https://ingest.example.com/base" })
    }
    expect(resolve("https://ingest.example.com/")).toEqual({ ok: true, value: "https://ingest.example.com" })
    expect(resolve("https://bücher.example")).toEqual({ ok: true, value: "https://xn--bcher-kva.example" })
  })

  it("is missing when neither names it", () => {
    expect(resolve(undefined)).toEqual({
      ok: false,
      code: "INVALID_CONFIG",
      detail: "Neither the token nor the option `ingestUrl` (SLUICE_INGEST_URL) says where the ingest is.",
    })
  })

  it("is refused when paths cannot be added to it", () => {
    for (const url of [
      "",
      "localhost:4790",
      "ftp://x",
      "/relative",
      "http://",
      "https://x?y=1",
      "https://x/?",
      "https://x#y",
    ]) {
      expect(resolve(undefined, url)).toMatchObject({ ok: false, code: "INVALID_CONFIG" })
    }
  })

  it("is refused with a password in it, which is not shown", () => {
    const outcome = resolve(undefined, "https://user:hunter2@example.com")
    expect(outcome).toMatchObject({ ok: false, code: "INVALID_CONFIG" })
    expect(JSON.stringify(outcome)).not.toContain("hunter2")
  })
})
