import { createHmac, createSecretKey } from "node:crypto"

export const apiKey = "sk_live_0123456789abcdef0123456789abcdef"
export const appId = "benchmark"
export const ingestUrl = "https://ingest.example.com"
export const appUrl = "https://app.example.com"

/** The files a browser names in an upload action. */
export const describeFiles = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    name: `Holiday photo ${i + 1}.png`,
    size: 100_000 + i,
    type: "image/png",
    lastModified: 1_700_000_000_000,
  }))

const key = createSecretKey(apiKey, "utf8")

export const hmac = (payload: string | Uint8Array): string => createHmac("sha256", key).update(payload).digest("hex")

/** The ingest as everybody meets it here: says yes, at once. */
export const fetchOk = async (): Promise<Response> =>
  new Response('{"ok":true}', { headers: { "content-type": "application/json" } })

/** Makes the same POST again and again. */
export const repeatPost = (url: string, body: string, headers: Record<string, string> = {}) => {
  const init = {
    method: "POST",
    headers: { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)), ...headers },
    body,
  }
  return () => new Request(url, init)
}
