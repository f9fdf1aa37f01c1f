import { names } from "../names.ts"
import type { Signer } from "./signature.ts"

/**
 * The headers of Standard Webhooks, so that any standard verifier accepts our callbacks.
 *
 * Shape:  `webhook-id`, `webhook-timestamp` (seconds since the epoch), `webhook-signature: v1,<base64>` over
 *         `id.timestamp.body`, keyed like every other signature; of several keys separated by a space.
 * Source: docs/protocol.md §8; https://www.standardwebhooks.com
 */
export const standardWebhookHeaders = async (
  event: { readonly id: string; readonly sentAt: number },
  body: string,
  signers: ReadonlyArray<Signer>,
): Promise<Record<string, string>> => {
  const timestamp = String(Math.floor(event.sentAt / 1000))
  const signatures = await Promise.all(signers.map((signer) => signer.signBase64(`${event.id}.${timestamp}.${body}`)))
  return {
    [names.header.webhookId]: event.id,
    [names.header.webhookTimestamp]: timestamp,
    [names.header.webhookSignature]: signatures.map((signature) => `v1,${signature}`).join(" "),
  }
}
