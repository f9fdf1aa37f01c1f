import { encodeAppId } from "../protocol/app-id.ts"
import { createSigner, type Signer } from "../protocol/signature.ts"
import { type Token, parseToken } from "../protocol/token.ts"

/** An app whose files the ingest takes. */
export interface App {
  readonly id: string
  /** Prefix of its file keys. */
  readonly encodedId: string
  /** Verifies its URLs, signs its callbacks. */
  readonly signer: Signer
}

/** The apps an ingest knows. Made once: a key is imported once, an app id encoded once. */
export interface Apps {
  readonly byId: (appId: string) => App | undefined
  /** In constant time for any key. */
  readonly byApiKey: (apiKey: string) => App | undefined
}

/** The one app of a token. */
export const createApps = (token: Token): Apps => {
  const app: App = { id: token.appId, encodedId: encodeAppId(token.appId), signer: createSigner(token.apiKey) }
  const { createHash, timingSafeEqual } = process.getBuiltinModule("node:crypto")
  const digest = (text: string) => createHash("sha256").update(text).digest()
  const expected = digest(token.apiKey)
  return {
    byId: (appId) => (appId === app.id ? app : undefined),
    byApiKey: (apiKey) => (timingSafeEqual(digest(apiKey), expected) ? app : undefined),
  }
}

/** Reads the ingest's token. Fails: throws `TypeError`, the message names the field and never holds the key. */
export const parseIngestToken = (text: string): Token => {
  const token = parseToken(text)
  if (!token.ok) throw new TypeError(`${token.code}: ${token.detail}`)
  return token.value
}
