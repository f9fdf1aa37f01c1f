/** A value now, where the platform signs synchronously, or a promise of it. `await` takes both. */
export type MaybePromise<A> = A | Promise<A>

/** Signs and verifies with one secret; make it once, its key is imported once. */
export interface Signer {
  /** `hmac-sha256=` and 64 lower-case hex digits. */
  readonly sign: (payload: string | Uint8Array) => MaybePromise<string>
  /** Standard base64 of the same HMAC, for Standard Webhooks. */
  readonly signBase64: (payload: string | Uint8Array) => MaybePromise<string>
  /** Constant-time; the prefix is required. */
  readonly verify: (payload: string | Uint8Array, signature: string) => MaybePromise<boolean>
}

/** What every signature starts with. */
export const signaturePrefix = "hmac-sha256="

type NodeCrypto = typeof import("node:crypto")

/** Node, Bun, Deno and workerd (with nodejs_compat) give their built-in without an import that would break a bundle. */
const nodeCrypto = (
  globalThis as { process?: { getBuiltinModule?: (id: string) => unknown } }
).process?.getBuiltinModule?.("node:crypto") as NodeCrypto | undefined

const encoder = new TextEncoder()

/** The digest bytes of a signature, whatever stands in the 12 characters of the prefix; undefined when not hex. */
const digestOf = (signature: string): Uint8Array<ArrayBuffer> | undefined => {
  const hex = signature.slice(signaturePrefix.length)
  if (!/^[0-9a-fA-F]{64}$/.test(hex)) return undefined
  const bytes = new Uint8Array(32)
  for (let i = 0; i < 32; i++) bytes[i] = Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16)
  return bytes
}

const createNodeSigner = (crypto: NodeCrypto, secret: string): Signer => {
  const key = crypto.createSecretKey(encoder.encode(secret))
  const hmac = (payload: string | Uint8Array) => crypto.createHmac("sha256", key).update(payload)
  return {
    sign: (payload) => signaturePrefix + hmac(payload).digest("hex"),
    signBase64: (payload) => hmac(payload).digest("base64"),
    verify: (payload, signature) => {
      const digest = signature.startsWith(signaturePrefix) ? digestOf(signature) : undefined
      return digest !== undefined && crypto.timingSafeEqual(hmac(payload).digest(), digest)
    },
  }
}

const createWebSigner = (secret: string): Signer => {
  const key = crypto.subtle.importKey("raw", encoder.encode(secret), { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
    "verify",
  ])
  const toBytes = (payload: string | Uint8Array) =>
    (typeof payload === "string" ? encoder.encode(payload) : payload) as Uint8Array<ArrayBuffer>
  const hmac = async (payload: string | Uint8Array) =>
    new Uint8Array(await crypto.subtle.sign("HMAC", await key, toBytes(payload)))
  return {
    sign: async (payload) => {
      let hex = ""
      for (const byte of await hmac(payload)) hex += byte.toString(16).padStart(2, "0")
      return signaturePrefix + hex
    },
    signBase64: async (payload) => btoa(String.fromCharCode(...(await hmac(payload)))),
    verify: async (payload, signature) => {
      const digest = signature.startsWith(signaturePrefix) ? digestOf(signature) : undefined
      return digest !== undefined && crypto.subtle.verify("HMAC", await key, digest, toBytes(payload))
    },
  }
}

/**
 * Makes a signer for a secret: HMAC-SHA256 keyed with its UTF-8 bytes.
 *
 * Uses `node:crypto` where there is one (2.7 µs a signature, synchronously), else Web Crypto (33 µs or more).
 * Fails:  throws `TypeError` on an empty secret, with which anybody could sign.
 * Source: docs/protocol.md §4, §8.
 */
export const createSigner = (secret: string): Signer => {
  if (secret === "") throw new TypeError("The secret to sign with is empty.")
  return nodeCrypto?.createSecretKey === undefined ? createWebSigner(secret) : createNodeSigner(nodeCrypto, secret)
}

/** Signs one payload: `hmac-sha256=<hex>`. For more than one, keep a {@link createSigner}. */
export const signPayload = async (payload: string | Uint8Array, secret: string): Promise<string> =>
  createSigner(secret).sign(payload)

/**
 * Verifies one signature in constant time. Upper-case hex passes.
 *
 * The 12 characters before the digest are not looked at, as other members of this protocol family do
 * (test/vectors.json); everything Sluice itself verifies goes through {@link Signer.verify}, which requires the prefix.
 */
export const verifySignature = async (
  payload: string | Uint8Array,
  signature: string,
  secret: string,
): Promise<boolean> => createSigner(secret).verify(payload, signaturePrefix + signature.slice(signaturePrefix.length))
