import { randomBytes, randomInt } from "node:crypto"
import { encodeToken, type Token } from "../protocol.ts"

const letters = "abcdefghijklmnopqrstuvwxyz0123456789"

/** Given parts of a new token; the rest is generated. */
export interface NewToken {
  readonly appId?: string | undefined
  readonly region: string
  /** May contain `{region}`. */
  readonly ingestUrl: string
}

/** A new key of 256 random bits. */
export const createApiKey = (): string => `sk_${randomBytes(32).toString("hex")}`

/** A generated id of an app. */
export const createAppId = (): string => Array.from({ length: 10 }, () => letters[randomInt(letters.length)]).join("")

/** A token with a new key, and its text. */
export const createToken = (init: NewToken): { readonly token: Token; readonly text: string } => {
  const token: Token = {
    apiKey: createApiKey(),
    appId: init.appId ?? createAppId(),
    regions: [init.region],
    ingestUrl: init.ingestUrl,
  }
  return { token, text: encodeToken(token) }
}
