import { accept, type Outcome, refuse } from "../protocol/errors/outcome.ts"

/** Bytes of a secret. */
const bytes = { least: 24, most: 64 }

/**
 * Reads a secret of Standard Webhooks, `whsec_` and base64, and returns its bytes.
 *
 * Fails:  as a value, INVALID_CONFIG; the detail holds nothing of it.
 * Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export const parseWebhookSecret = (text: string): Outcome<Uint8Array<ArrayBuffer>> => {
  const [, base64] = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/.exec(text) ?? []
  const secret = base64 === undefined ? new Uint8Array() : Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))
  return secret.length >= bytes.least && secret.length <= bytes.most
    ? accept(secret)
    : refuse(
        "INVALID_CONFIG",
        `Expected whsec_ and ${bytes.least} to ${bytes.most} bytes in base64, as this prints them: echo "whsec_$(openssl rand -base64 32)"`,
      )
}
