import { decodeBase64Url, encodeBase64Url } from "../base64.ts"
import { names } from "../names.ts"
import type { MaybePromise } from "./signature.ts"

/** The value of the header `accept` of an ingest's answer to a registration: it opens seals. */
export const acceptsSeal = "seal"

/** What a seal belongs to, and opens for alone: the registrations of a file route, the labels of a file, or a prefix that is read at an ingest. */
export type SealContext =
  | { readonly appId: string; readonly slug: string }
  | { readonly appId: string; readonly fileKey: string }
  | { readonly appId: string; readonly ingestUrl: string }

/** Encrypts what an app tells the ingest by way of a URL, so that nobody on the way can read or change it. */
export interface Sealer {
  /** Text → base64url, every time another one. */
  readonly seal: (text: string, context: SealContext) => MaybePromise<string>
  /** The text; undefined for anything that was not sealed with this secret, in this context, by a version that is known. */
  readonly open: (sealed: string, context: SealContext) => MaybePromise<string | undefined>
}

/** The first byte of a seal, which is authenticated as well. */
const version = 1

/** AES-256-GCM: bytes of the nonce, which is random, and of the tag. */
const sizes = { nonce: 12, tag: 16 }

/** What the key is derived for, so that it is none of the others that are derived from the same secret. */
const info = `${names.word}-seal-${version}`

const labelsInfo = `${names.word}-labels-${version}`

/** A grant is no part of a signed URL: its key is one of its own. */
const prefixInfo = `${names.word}-prefix-${version}`

const toContext = (context: SealContext): string => {
  if ("ingestUrl" in context) return `${prefixInfo}\n${context.appId}\n${context.ingestUrl}`
  return "fileKey" in context
    ? `${labelsInfo}\n${context.appId}\n${context.fileKey}`
    : `${info}\n${context.appId}\n${context.slug}`
}

/** Derives the two keys of a secret, each when it is first needed. */
const createKeys = <Key>(derive: (info: string) => Key): ((context: SealContext) => Key) => {
  const keys = new Map<string, Key>()
  return (context) => {
    const name = "ingestUrl" in context ? prefixInfo : info
    const key = keys.get(name) ?? derive(name)
    keys.set(name, key)
    return key
  }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { fatal: true })

/** The bytes of a seal of this version; undefined for anything else. */
const fromBase64Url = (
  text: string,
  decode: (text: string) => Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> | undefined => {
  // No base64 has one character more than a multiple of four.
  if (!/^[\w-]+$/.test(text) || text.length % 4 === 1) return undefined
  const bytes = decode(text)
  return bytes[0] === version && bytes.length > 1 + sizes.nonce + sizes.tag ? bytes : undefined
}

/** A fiftieth of the time. */
const decodeByNode = (text: string): Uint8Array<ArrayBuffer> => Buffer.from(text, "base64url")

type NodeCrypto = typeof import("node:crypto")

const nodeCrypto = (
  globalThis as { process?: { getBuiltinModule?: (id: string) => unknown } }
).process?.getBuiltinModule?.("node:crypto") as NodeCrypto | undefined

const createNodeSealer = (crypto: NodeCrypto, secret: string): Sealer => {
  const keyOf = createKeys((name) =>
    crypto.createSecretKey(
      new Uint8Array(crypto.hkdfSync("sha256", encoder.encode(secret), new Uint8Array(), name, 32)),
    ),
  )
  return {
    seal: (text, context) => {
      const nonce = crypto.randomBytes(sizes.nonce)
      const cipher = crypto
        .createCipheriv("aes-256-gcm", keyOf(context), nonce)
        .setAAD(encoder.encode(toContext(context)))
      return Buffer.concat([
        Uint8Array.of(version),
        nonce,
        cipher.update(text, "utf8"),
        cipher.final(),
        cipher.getAuthTag(),
      ]).toString("base64url")
    },
    open: (sealed, context) => {
      const bytes = fromBase64Url(sealed, decodeByNode)
      if (bytes === undefined) return undefined
      const [from, to] = [1 + sizes.nonce, bytes.length - sizes.tag]
      const decipher = crypto
        .createDecipheriv("aes-256-gcm", keyOf(context), bytes.subarray(1, from), { authTagLength: sizes.tag })
        .setAAD(encoder.encode(toContext(context)))
        .setAuthTag(bytes.subarray(to))
      try {
        return decoder.decode(Buffer.concat([decipher.update(bytes.subarray(from, to)), decipher.final()]))
      } catch {
        return undefined
      }
    },
  }
}

const createWebSealer = (secret: string): Sealer => {
  const keyOf = createKeys(async (name) => {
    const material = await crypto.subtle.importKey("raw", encoder.encode(secret), "HKDF", false, ["deriveKey"])
    const hkdf = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: encoder.encode(name) }
    return crypto.subtle.deriveKey(hkdf, material, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"])
  })
  const toOptions = (iv: Uint8Array<ArrayBuffer>, context: SealContext) => ({
    name: "AES-GCM",
    iv,
    additionalData: encoder.encode(toContext(context)),
  })
  return {
    seal: async (text, context) => {
      const nonce = crypto.getRandomValues(new Uint8Array(sizes.nonce))
      const key = await keyOf(context)
      const encrypted = await crypto.subtle.encrypt(toOptions(nonce, context), key, encoder.encode(text))
      return encodeBase64Url(Uint8Array.of(version, ...nonce, ...new Uint8Array(encrypted)))
    },
    open: async (sealed, context) => {
      const bytes = fromBase64Url(sealed, decodeBase64Url)
      if (bytes === undefined) return undefined
      const nonce = bytes.slice(1, 1 + sizes.nonce)
      const key = await keyOf(context)
      try {
        return decoder.decode(await crypto.subtle.decrypt(toOptions(nonce, context), key, bytes.slice(1 + sizes.nonce)))
      } catch {
        return undefined
      }
    },
  }
}

/**
 * Makes a sealer for a secret: AES-256-GCM, with keys that HKDF-SHA256 derives from its UTF-8 bytes. Make it once.
 *
 * Nonces are random: two texts under the same one would give both away. At 2^32 texts the odds of that are one in 2^33.
 *
 * Uses `node:crypto` where it exists (5 µs a seal, synchronously), otherwise Web Crypto.
 * Source: docs/protocol.md §4, §10.
 */
export const createSealer = (secret: string): Sealer =>
  nodeCrypto?.createSecretKey === undefined ? createWebSealer(secret) : createNodeSealer(nodeCrypto, secret)
