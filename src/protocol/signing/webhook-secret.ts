import { decodeBase64, encodeBase64 } from "../base64.ts"
import { createSigner, type Signer } from "./signature.ts"

const prefix = "whsec_"

/** A new secret of Standard Webhooks: `whsec_` and the base64 of 32 random bytes. */
export const createWebhookSecret = (): string => prefix + encodeBase64(crypto.getRandomValues(new Uint8Array(32)))

/**
 * Makes a signer for a secret of Standard Webhooks, which is keyed with the bytes that its base64 stands for.
 *
 * Fails: throws on what is no such secret.
 */
export const createWebhookSigner = (secret: string): Signer => createSigner(decodeBase64(secret.slice(prefix.length)))
