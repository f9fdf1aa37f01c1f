import { createHmac } from "node:crypto"
import { describe, expect, test } from "vitest"
import { createSigner } from "../../../src/protocol/signing/signature.ts"
import { signAnswer, verifyAnswer } from "../../../src/protocol/signing/signed-answer.ts"
import { signWithEach, verifyOneOf } from "../../../src/protocol/signing/signature-list.ts"

const signer = createSigner("sk_live_1")
const answered = { id: "evt_1", attempt: 1 }
const body = '{"fileKey":"k","callbackData":{"ü":1}}'

/** Written from docs/protocol.md §8 and nothing of ours. */
const expected = (text: string, key = "sk_live_1") =>
  `hmac-sha256=${createHmac("sha256", key).update(text).digest("hex")}`

describe("the signature of an answer", () => {
  test("is over the label, the event, the attempt and the body", async () => {
    expect(await signAnswer(answered, body, signer)).toBe(expected(`sluice-result\nevt_1\n1\n${body}`))
  })

  test("is verified with any key of the app", async () => {
    const other = createSigner("sk_live_2")
    const signature = await signAnswer(answered, body, signer)
    expect(await verifyAnswer(answered, body, signature, [other, signer])).toBe(true)
    expect(await verifyAnswer(answered, body, signature, [other])).toBe(false)
    expect(await verifyAnswer(answered, body, signature, [])).toBe(false)
  })

  test.each([
    ["another event", { id: "evt_2", attempt: 1 }, body],
    ["another attempt", { id: "evt_1", attempt: 2 }, body],
    ["another body", answered, `${body} `],
    ["parts moved between event and attempt", { id: "evt_1\n1", attempt: 1 }, body],
  ])("is not that of %s", async (_, other, text) => {
    expect(await verifyAnswer(other, text, await signAnswer(answered, body, signer), [signer])).toBe(false)
  })

  test("is no callback's, and a callback's is no answer's", async () => {
    const answer = await signAnswer(answered, body, signer)
    expect(await verifyOneOf(new TextEncoder().encode(body), answer, signer)).toBe(false)
    const callback = await signWithEach(body, [signer])
    expect(await verifyAnswer(answered, body, callback, [signer])).toBe(false)
  })
})
