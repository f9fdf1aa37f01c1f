import {
  createFileKey,
  createSigner,
  djb2,
  encodeAppId,
  isKeyOf,
  parseToken,
  shuffle,
  signPayload,
  signUploadUrl,
  standardWebhookHeaders,
  type UploadGrant,
  verifySignature,
  verifyUploadUrl,
} from "../../../src/protocol.ts"
import vectors from "../../vectors.json" with { type: "json" }
import { apiKey, appId, encodedAppId, ingestUrl, signer, toHex, token } from "./app.ts"
import { expectMatch, type Suite } from "./suite.ts"

/** Workers have no clock outside of requests. */
const now = 1_899_999_999_999

const encoder = new TextEncoder()

const grant: UploadGrant = {
  key: createFileKey(encodedAppId, "seed"),
  appId,
  expires: 1_900_000_000_000,
  name: "ünï cödé (1) & #?+%.pdf",
  size: 1_572_864,
  type: "application/pdf",
  slug: "avatar",
  customId: "user/42",
  contentDisposition: "attachment",
  acl: "private",
}

/** By the Web platform alone. */
const hmac = async (payload: string, secret: string): Promise<ArrayBuffer> => {
  const algorithm = { name: "HMAC", hash: "SHA-256" }
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"])
  return crypto.subtle.sign("HMAC", key, encoder.encode(payload))
}

export const signing: Suite = {
  "payloads are signed as the reference signs them": async () => {
    for (const { payload, secret, signature } of vectors.signPayload) {
      expectMatch(await signPayload(payload, secret), signature)
      expectMatch(await createSigner(secret).sign(encoder.encode(payload)), signature)
    }
  },

  "signatures are verified as the reference verifies them": async () => {
    for (const { label, payload, signature, secret, valid } of vectors.verifySignature) {
      expectMatch([label, await verifySignature(payload, signature, secret)], [label, valid])
    }
  },

  "the runtime's own crypto and Web Crypto agree": async () => {
    for (const payload of ["", "x", "ünïcode ✓ 😀", "\u0000".repeat(1000), JSON.stringify(grant)]) {
      const digest = await hmac(payload, apiKey)
      expectMatch(await signer.sign(payload), `hmac-sha256=${toHex(digest)}`)
      expectMatch(await signer.signBase64(payload), btoa(String.fromCharCode(...new Uint8Array(digest))))
      expectMatch(await signer.verify(payload, `hmac-sha256=${toHex(digest)}`), true)
      expectMatch(await signer.verify(`${payload}.`, `hmac-sha256=${toHex(digest)}`), false)
    }
  },

  "a signed URL grants what was signed": async () => {
    const url = await signUploadUrl(ingestUrl, grant, signer)
    expectMatch(await verifyUploadUrl(url, signer, { now }), { ok: true, value: grant })
  },

  "a signed URL that was changed or has expired grants nothing": async () => {
    const url = await signUploadUrl(ingestUrl, grant, signer)
    for (const changed of [
      url.replace("1572864", "1572865"),
      url.replace(grant.key, `${grant.key}x`),
      url.replace("acl=private", "acl=public-read"),
      url.replace(ingestUrl, "http://other.test"),
      url.slice(0, -1),
      `${url}&x=1`,
    ]) {
      expectMatch(await verifyUploadUrl(changed, signer, { now }), { ok: false, code: "INVALID_SIGNATURE" })
    }
    const other = createSigner(`${apiKey}x`)
    expectMatch(await verifyUploadUrl(url, other, { now }), { ok: false, code: "INVALID_SIGNATURE" })
    expectMatch(await verifyUploadUrl(url, signer, { now: grant.expires + 1 }), { ok: false, code: "EXPIRED_URL" })
  },

  "an empty secret signs nothing": () => {
    let thrown: unknown
    try {
      createSigner("")
    } catch (error) {
      thrown = error
    }
    expectMatch(thrown instanceof TypeError, true)
  },

  "app ids are encoded as the reference encodes them": () => {
    for (const { input, djb2: hash } of vectors.djb2) expectMatch([input, djb2(input)], [input, hash])
    const alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
    for (const vector of vectors.appIdEncoding) {
      expectMatch(shuffle(alphabet, vector.appId), vector.shuffledAlphabet)
      expectMatch(encodeAppId(vector.appId), vector.encodedAppId)
    }
  },

  "file keys belong to their app, and no two are alike": () => {
    const keys = Array.from({ length: 100 }, () => createFileKey(encodedAppId))
    expectMatch(new Set(keys).size, 100)
    for (const key of keys) expectMatch([isKeyOf(key, encodedAppId), isKeyOf(key, encodeAppId("app-2"))], [true, false])
  },

  "webhook headers carry the same signature in Base64": async () => {
    const headers = await standardWebhookHeaders({ id: "evt_1", sentAt: 1_700_000_000_999 }, "{}", [signer])
    const digest = await hmac("evt_1.1700000000.{}", apiKey)
    expectMatch(headers, {
      "webhook-id": "evt_1",
      "webhook-timestamp": "1700000000",
      "webhook-signature": `v1,${btoa(String.fromCharCode(...new Uint8Array(digest)))}`,
    })
  },

  "a token is read back": () => {
    expectMatch(parseToken(token), { ok: true, value: { apiKey, appId, regions: ["local"] } })
    expectMatch(parseToken("SLUICE"), { ok: false, code: "INVALID_TOKEN" })
  },
}
