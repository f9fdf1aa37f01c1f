import { encodeBase64Url } from "../base64.ts"

/**
 * The string hash of file keys; may be negative.
 *
 * Source: docs/protocol.md §3.
 */
export const djb2 = (text: string): number => {
  let hash = 5381
  for (let i = text.length - 1; i >= 0; i--) hash = Math.imul(hash, 33) ^ text.charCodeAt(i)
  return (hash & 0xbfffffff) | ((hash >>> 1) & 0x40000000)
}

/** Permutes an alphabet by a seed, the same way everywhere. Source: docs/protocol.md §3. */
export const shuffle = (alphabet: string, seed: string): string => {
  const letters = [...alphabet]
  const n = djb2(seed)
  for (let i = 0; i < letters.length; i++) {
    const j = ((n % (i + 1)) + i) % letters.length
    const letter = letters[i]!
    letters[i] = letters[j]!
    letters[j] = letter
  }
  return letters.join("")
}

const urlSafe = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
const seedLength = 22
const pool = new Uint8Array(seedLength * 128)
let used = pool.length

/** 22 URL-safe characters of 6 random bits each: 132 bits. */
export const createRandomId = (): string => {
  if (used === pool.length) {
    crypto.getRandomValues(pool)
    used = 0
  }
  let seed = ""
  for (const end = used + seedLength; used < end; used++) {
    seed += urlSafe[pool[used]! & 63]
    pool[used] = 0
  }
  return seed
}

/** Any string as a URL-safe seed: unchanged where it already is one, otherwise its UTF-8 bytes as base64url. */
const toUrlSafe = (seed: string): string =>
  /^[A-Za-z0-9_-]+$/.test(seed) ? seed : encodeBase64Url(new TextEncoder().encode(seed))

/**
 * A new file key: `<encodedAppId><seed>`.
 *
 * @param encodedAppId the result of {@link encodeAppId} for the app
 * @param seed makes the key deterministic (same seed, same key); random (132 bits) when absent
 *
 * Fails:  never; an empty seed gives the bare prefix, which {@link isKeyOf} refuses, and the caller has to check
 *         `limits.fileKey`.
 * Source: docs/protocol.md §3.
 */
export const createFileKey = (encodedAppId: string, seed?: string): string =>
  encodedAppId + (seed === undefined ? createRandomId() : toUrlSafe(seed))

/**
 * Whether a file key belongs to the app with this encoded id, and has a seed; false for anything but a text. No key
 * belongs to an app without an id.
 *
 * Source: docs/protocol.md §3.
 */
export const isKeyOf = (key: string | null | undefined, encodedAppId: string): boolean =>
  [key, encodedAppId].every((text) => typeof text === "string" && text !== "") &&
  key!.length > encodedAppId.length &&
  key!.startsWith(encodedAppId)
