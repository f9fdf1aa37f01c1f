import { names } from "./names.ts"
import { type MaybePromise, type Signer } from "./signature.ts"

/**
 * The headers of Standard Webhooks, so that any standard verifier takes our callbacks.
 *
 * Shape:  `webhook-id`, `webhook-timestamp` (seconds since the epoch), `webhook-signature: v1,<base64>` over
 *         `id.timestamp.body`, keyed like every other signature.
 * Source: docs/protocol.md §8; https://www.standardwebhooks.com
 */
export const standardWebhookHeaders = (
  event: { readonly id: string; readonly sentAt: number },
  body: string,
  signer: Signer,
): MaybePromise<Record<string, string>> => {
  const timestamp = String(Math.floor(event.sentAt / 1000))
  const toHeaders = (signature: string) => ({
    [names.header.webhookId]: event.id,
    [names.header.webhookTimestamp]: timestamp,
    [names.header.webhookSignature]: `v1,${signature}`,
  })
  const signature = signer.signBase64(`${event.id}.${timestamp}.${body}`)
  return typeof signature === "string" ? toHeaders(signature) : signature.then(toHeaders)
}
