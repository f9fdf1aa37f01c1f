/** A value, where the platform signs synchronously, or a promise of it. `await` takes both. */
export type MaybePromise<A> = A | Promise<A>

/** Signs and verifies with one secret. Make it once: its key is then imported once. */
export interface Signer {
  /** `hmac-sha256=` and 64 lower-case hex digits. */
  readonly sign: (payload: string | Uint8Array) => MaybePromise<string>
  /** Standard base64 of the same HMAC, for Standard Webhooks. */
  readonly signBase64: (payload: string | Uint8Array) => MaybePromise<string>
  /** Constant-time; the prefix is required. Anything but a payload and a signature, such as a missing header, is refused. */
  readonly verify: (
    payload: string | Uint8Array | null | undefined,
    signature: string | null | undefined,
  ) => MaybePromise<boolean>
}

/** The start of every signature. */
export const signaturePrefix = "hmac-sha256="

type NodeCrypto = typeof import("node:crypto")

/** Node, Bun, Deno and workerd (with nodejs_compat) provide their built-in without an import that would break a bundle. */
const nodeCrypto = (
  globalThis as { process?: { getBuiltinModule?: (id: string) => unknown } }
).process?.getBuiltinModule?.("node:crypto") as NodeCrypto | undefined

const encoder = new TextEncoder()

/** The digest bytes of a signature; undefined when it is invalid. */
export const digestOf = (signature: string | null | undefined): Uint8Array<ArrayBuffer> | undefined => {
  // Callers in JavaScript may pass anything.
  if (typeof signature !== "string" || !signature.startsWith(signaturePrefix)) return undefined
  const hex = signature.slice(signaturePrefix.length)
  if (!/^[0-9a-fA-F]{64}$/.test(hex)) return undefined
  const bytes = new Uint8Array(32)
  for (let i = 0; i < 32; i++) bytes[i] = Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16)
  return bytes
}

/** Uses `isView`, because bytes of another realm, such as a test runner's, are not instances of this realm's `Uint8Array`. */
const isPayload = (payload: unknown): payload is string | Uint8Array =>
  typeof payload === "string" || ArrayBuffer.isView(payload)

const createNodeSigner = (crypto: NodeCrypto, secret: Uint8Array<ArrayBuffer>): Signer => {
  const key = crypto.createSecretKey(secret)
  const hmac = (payload: string | Uint8Array) => crypto.createHmac("sha256", key).update(payload)
  return {
    sign: (payload) => signaturePrefix + hmac(payload).digest("hex"),
    signBase64: (payload) => hmac(payload).digest("base64"),
    verify: (payload, signature) => {
      const digest = digestOf(signature)
      return digest !== undefined && isPayload(payload) && crypto.timingSafeEqual(hmac(payload).digest(), digest)
    },
  }
}

const createWebSigner = (secret: Uint8Array<ArrayBuffer>): Signer => {
  const key = crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"])
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
      const digest = digestOf(signature)
      return (
        digest !== undefined && isPayload(payload) && crypto.subtle.verify("HMAC", await key, digest, toBytes(payload))
      )
    },
  }
}

/**
 * Makes a signer for a secret: HMAC-SHA256 keyed with its UTF-8 bytes, or with the bytes that it is.
 *
 * Uses `node:crypto` where it exists (2.7 µs a signature, synchronously), otherwise Web Crypto (33 µs or more).
 * Fails:  throws `TypeError` on an empty or missing secret, with which anybody could sign.
 * Source: docs/protocol.md §4, §8.
 */
export const createSigner = (secret: string | Uint8Array<ArrayBuffer>): Signer => {
  const key = typeof secret === "string" ? encoder.encode(secret) : secret
  // Callers in JavaScript may pass anything.
  if (!ArrayBuffer.isView(key) || key.length === 0) throw new TypeError("The secret to sign with is empty.")
  return nodeCrypto?.createSecretKey === undefined ? createWebSigner(key) : createNodeSigner(nodeCrypto, key)
}

/** Signs one payload: `hmac-sha256=<hex>`. For more than one, keep a {@link createSigner}. */
export const signPayload = async (payload: string | Uint8Array, secret: string): Promise<string> =>
  createSigner(secret).sign(payload)

/**
 * Verifies one signature in constant time. Upper-case hex passes.
 *
 * The 12 characters before the digest are not checked, as in other members of this protocol family
 * (test/vectors.json); everything that Sluice itself verifies goes through {@link Signer.verify}, which requires the
 * prefix. A value that is missing or not a text, such as the null of `headers.get()`, is refused: false.
 * Fails:  rejects with `TypeError` on an empty or missing secret, as {@link createSigner} does.
 */
export const verifySignature = async (
  payload: string | Uint8Array | null | undefined,
  signature: string | null | undefined,
  secret: string,
): Promise<boolean> => {
  const signer = createSigner(secret)
  return (
    typeof signature === "string" && signer.verify(payload, signaturePrefix + signature.slice(signaturePrefix.length))
  )
}
