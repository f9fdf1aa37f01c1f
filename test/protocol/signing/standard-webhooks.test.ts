import { createHmac, timingSafeEqual } from "node:crypto"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createSigner } from "../../../src/protocol/signing/signature.ts"
import { standardWebhookHeaders } from "../../../src/protocol/signing/standard-webhooks.ts"

/** The verifier of the Standard Webhooks specification, written from its text, without a line of Sluice. */
const verifyByTheSpecification = (
  secret: string,
  headers: Headers,
  body: string,
  now: number,
): { readonly id: string } | string => {
  const id = headers.get("webhook-id")
  const timestamp = headers.get("webhook-timestamp")
  const signatures = headers.get("webhook-signature")
  if (id === null || timestamp === null || signatures === null) return "header missing"
  if (!/^\d+$/.test(timestamp)) return "timestamp is no whole number"
  if (Math.abs(now / 1000 - Number(timestamp)) > 5 * 60) return "timestamp too far away"
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64")
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest()
  for (const signature of signatures.split(" ")) {
    const [version, digest = ""] = signature.split(",")
    const bytes = Buffer.from(digest, "base64")
    if (version === "v1" && bytes.length === expected.length && timingSafeEqual(bytes, expected)) return { id }
  }
  return "no signature matches"
}

const apiKey = "sk_live_3f9a"
const secret = `whsec_${Buffer.from(apiKey).toString("base64")}`
const signer = createSigner(apiKey)
const event = { id: "evt_1", sentAt: 1_800_000_000_999 }
const body = '{"id":"evt_1","name":"ünï ✓ 😀"}'

describe("the headers of Standard Webhooks", () => {
  it("are taken by a verifier written from the specification, for any event", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uuid(),
        fc.nat({ max: 4_000_000_000_000 }),
        fc.string({ unit: "binary" }),
        async (id, sentAt, body) => {
          const headers = new Headers(await standardWebhookHeaders({ id: `evt_${id}`, sentAt }, body, [signer]))
          expect(verifyByTheSpecification(secret, headers, body, sentAt)).toEqual({ id: `evt_${id}` })
        },
      ),
    )
  })

  it("are these three, the time in whole seconds", async () => {
    expect(await standardWebhookHeaders(event, body, [signer])).toEqual({
      "webhook-id": "evt_1",
      "webhook-timestamp": "1800000000",
      "webhook-signature": expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
    })
  })

  it("are refused with anything changed", async () => {
    const genuine = await standardWebhookHeaders(event, body, [signer])
    const verify = (headers: Record<string, string>, text = body, key = secret) =>
      verifyByTheSpecification(key, new Headers({ ...genuine, ...headers }), text, event.sentAt)
    expect(verify({})).toEqual({ id: "evt_1" })
    expect(verify({ "webhook-id": "evt_2" })).toBe("no signature matches")
    expect(verify({ "webhook-timestamp": "1800000001" })).toBe("no signature matches")
    expect(verify({}, `${body} `)).toBe("no signature matches")
    expect(verify({}, body, `whsec_${btoa("sk_other")}`)).toBe("no signature matches")
    expect(verify({ "webhook-timestamp": "1700000000" })).toBe("timestamp too far away")
  })
})
