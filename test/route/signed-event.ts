import { createHmac } from "node:crypto"
import type { CallbackEvent, ErrorEvent, StoredFile } from "../../src/protocol.ts"
import { apiKey, encodedAppId, ingestUrl } from "./app-token.ts"
import { toRequest } from "./call-app.ts"

export const storedFile: StoredFile = {
  key: `${encodedAppId}abc`,
  name: "cat.png",
  size: 1024,
  type: "image/png",
  customId: null,
  url: `${ingestUrl}/f/${encodedAppId}abc`,
  fileHash: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  uploadedAt: 1_700_000_000_000,
}

export const callbackEvent = (fields: Partial<Record<keyof CallbackEvent, unknown>> = {}) => ({
  id: "evt_1",
  sentAt: Date.now(),
  attempt: 1,
  status: "uploaded",
  origin: ingestUrl,
  slug: "a",
  metadata: { userId: 7 },
  file: storedFile,
  ...fields,
})

export const errorEvent = (fields: Partial<Record<keyof ErrorEvent, unknown>> = {}) => ({
  id: "evt_2",
  sentAt: Date.now(),
  attempt: 1,
  status: "failed",
  origin: ingestUrl,
  slug: "a",
  metadata: { userId: 7 },
  fileKey: storedFile.key,
  error: { code: "SIZE_MISMATCH", message: "The upload never ended." },
  ...fields,
})

/** Written from docs/protocol.md §8 and nothing of ours: lower-case hex over the raw bytes. */
export const sign = (body: string | Uint8Array, key = apiKey): string =>
  `hmac-sha256=${createHmac("sha256", key).update(body).digest("hex")}`

/** A callback as the ingest sends it; bytes are sent as they are. */
export const hookRequest = (
  event: object | string | Uint8Array<ArrayBuffer>,
  { hook = "callback", slug = "a", signature }: { hook?: string; slug?: string; signature?: string | null } = {},
): Request => {
  const body = typeof event === "string" || event instanceof Uint8Array ? event : JSON.stringify(event)
  const sent = signature === undefined ? sign(body) : signature
  return toRequest(`?slug=${encodeURIComponent(slug)}`, body, {
    headers: {
      "content-type": "application/json",
      "sluice-hook": hook,
      ...(sent === null ? undefined : { "x-sluice-signature": sent }),
    },
  })
}
