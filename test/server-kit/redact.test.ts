import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { redact } from "../../src/server-kit/redact.ts"
import { encodeAppId } from "../../src/protocol/signing/app-id.ts"
import { createFileKey } from "../../src/protocol/files/key.ts"
import { sealPrefixUrl } from "../../src/protocol/signing/prefix-grant.ts"
import { createSealer } from "../../src/protocol/signing/seal.ts"
import { createSigner } from "../../src/protocol/signing/signature.ts"
import { signUploadUrl } from "../../src/protocol/signing/signed-url.ts"
import { standardWebhookHeaders } from "../../src/protocol/signing/standard-webhooks.ts"
import { encodeToken, parseToken } from "../../src/protocol/signing/token.ts"

const urlSafe = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
const apiKeys = fc
  .string({ unit: fc.constantFrom(...urlSafe, ..."~.+/="), minLength: 12, maxLength: 60 })
  .map((secret) => `sk_${secret}`)
  // what the token's own check lets pass is what can turn up in a log
  .filter((apiKey) => parseToken(encodeToken({ apiKey, appId: "a", regions: ["l"] })).ok)

/** The ways a text gets into a log: as it is, quoted, encoded for a URL, and these after each other. */
const wrappings: ReadonlyArray<(text: string) => string> = [
  (text) => text,
  (text) => `before ${text} after`,
  (text) => `"${text}"`,
  (text) => `'${text}'`,
  (text) => `(${text})`,
  (text) => `x=${text}&y=1`,
  (text) => `first line\n${text}\nlast line`,
  (text) => `\t${text}\r`,
  (text) => `\u0001${text}\u001b`,
  (text) => JSON.stringify({ value: text, after: 1 }),
  (text) => JSON.stringify({ [text]: 1 }),
  (text) => JSON.stringify(`first line\n${text}`),
  (text) => encodeURIComponent(text),
  (text) => encodeURIComponent(`"${text}"`),
  (text) => new URLSearchParams({ a: "b", value: text }).toString(),
  (text) => `Bearer ${text}`,
  (text) => `https://user:${text}@example.com/`,
  (text) => `/${text}/`,
]
const wrapped = fc.array(fc.nat({ max: wrappings.length - 1 }), { minLength: 1, maxLength: 3 }).map((chain) =>
  Object.assign((text: string) => chain.reduce((inner, place) => wrappings[place]!(inner), text), {
    // so that a counterexample can be read
    [fc.toStringMethod]: () => chain.map((place) => String(wrappings[place])).join(", then "),
  }),
)

/** No run of the secret's characters that could help to guess it is left, however it is encoded. */
const leaves = (text: string, secret: string): boolean => {
  const parts = secret.split(/[^A-Za-z0-9]+/).filter((part) => part.length >= 6)
  return parts.some((part) => text.includes(part))
}

describe("redact", () => {
  it("lets no API key through", () => {
    fc.assert(
      fc.property(apiKeys, wrapped, (apiKey, wrap) => {
        expect(leaves(redact(wrap(apiKey)), apiKey.slice(3))).toBe(false)
      }),
      { numRuns: 1000 },
    )
  })

  it("lets no token through", () => {
    const tokens = fc.record({
      apiKey: apiKeys,
      appId: fc.string({ unit: "binary", minLength: 1 }),
      regions: fc.constant(["local"] as [string]),
      ingestUrl: fc.constantFrom(undefined, "http://localhost:4790"),
    })
    fc.assert(
      fc.property(tokens, wrapped, (token, wrap) => {
        expect(leaves(redact(wrap(encodeToken(token))), encodeToken(token))).toBe(false)
      }),
      { numRuns: 1000 },
    )
  })

  it("lets no token through that others wrote with white space in its JSON", () => {
    for (const indent of [1, 2, "\t"]) {
      const token = btoa(
        JSON.stringify({ apiKey: "sk_live_3f9a", appId: "app-1", regions: ["local"] }, undefined, indent),
      )
      expect(redact(`token=${token}!`)).toBe("token=<redacted>!")
    }
  })

  it("lets no signature of a URL through, and leaves the rest of the URL readable", () => {
    const names = fc.string({ unit: "binary", minLength: 1 })
    fc.assert(
      fc.property(apiKeys, names, wrapped, (apiKey, name, wrap) => {
        const key = createFileKey(encodeAppId("app-1"), "seed")
        const grant = { key, appId: "app-1", expires: 1, name, size: 1, type: "image/png" }
        const url = signUploadUrl("https://ingest.example.com", grant, createSigner(apiKey)) as string
        const text = redact(wrap(url))
        expect(leaves(text, url.slice(-64))).toBe(false)
        expect(text).toContain(key)
      }),
      { numRuns: 500 },
    )
  })

  it("lets no grant of a signed prefix through, and leaves the rest of the URL readable", async () => {
    const appIds = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }).filter((id) => id.isWellFormed())
    await fc.assert(
      fc.asyncProperty(apiKeys, appIds, wrapped, async (apiKey, appId, wrap) => {
        const grant = { prefix: "v/", expires: 1 }
        const url = await sealPrefixUrl("https://ingest.example.com", appId, grant, createSealer(apiKey))
        const text = redact(wrap(`${url}720p/seg1.ts`))
        expect(leaves(text, url.split("/").at(-2)!)).toBe(false)
        expect(text).toContain("seg1.ts")
      }),
      { numRuns: 500 },
    )
  })

  it("lets no signature of a body through, hexadecimal or base64", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), wrapped, async (body, wrap) => {
        const signer = createSigner("sk_live_3f9a")
        const signature = await signer.sign(body)
        const headers = await standardWebhookHeaders({ id: "evt_1", sentAt: 0 }, body, [signer])
        expect(leaves(redact(wrap(signature)), signature.slice(12))).toBe(false)
        const standard = headers["webhook-signature"]!
        expect(leaves(redact(wrap(standard)), standard.slice(3))).toBe(false)
        expect(leaves(redact(JSON.stringify({ ...headers, "x-sluice-signature": signature })), standard.slice(3))).toBe(
          false,
        )
      }),
    )
  })

  it("redacts every one of several", () => {
    expect(redact("sk_aaaaaa sk_bbbbbb, sk_cccccc")).toBe("sk_<redacted> sk_<redacted>, sk_<redacted>")
  })

  it("takes a cut-off signature or token for one", () => {
    expect(redact("signature=hmac-sha256%3Dab12")).toBe("signature=hmac-sha256%3D<redacted>")
    expect(redact(encodeToken({ apiKey: "sk_live_3f9a", appId: "a", regions: ["l"] }).slice(0, 30))).toBe("<redacted>")
  })

  it("leaves ordinary text alone", () => {
    const ordinary = [
      "",
      "The task_id of disk_full and risk_level",
      "The token's field `apiKey` does not start with `sk_`.",
      "hmac-sha256",
      "signature: missing",
      'The route "avatar" takes at most 4MB.',
      `fileHash=${"0123456789abcdef".repeat(4)}`,
      `key=${createFileKey(encodeAppId("app-1"))}`,
      "GET /v1,2 eyes eyJ",
      "/p/app-1/AQIDBAUGBwgJ/seg1.ts",
      "👩‍👩‍👧 ünï",
    ]
    for (const text of ordinary) expect(redact(text)).toBe(text)
  })

  it("changes nothing the second time", () => {
    fc.assert(
      fc.property(apiKeys, wrapped, (apiKey, wrap) => {
        const once = redact(wrap(apiKey))
        expect(redact(once)).toBe(once)
      }),
    )
  })

  it("takes time in proportion to the text, also a hostile one", () => {
    const hostile = [
      "sk_",
      "eyJ",
      "signature ",
      "hmac-sha256=",
      "%25",
      "v1,",
      "signature='",
      "%2525252B",
      "/AQ",
      "%252F",
    ]
    for (const text of hostile) expect(redact(text.repeat(20_000)).length).toBeLessThanOrEqual(text.length * 40_000)
  })
})
