import { createHmac, createSecretKey, randomBytes } from "node:crypto"
import { answer } from "./request.mjs"

// The least that signs a URL: no framework.
const key = createSecretKey("sk_live_0123456789abcdef", "utf8")

await answer(async (request) => {
  const { files } = await request.json()
  return Response.json(
    files.map(({ name, size }) => {
      const url = `https://ingest.example.com/${randomBytes(16).toString("base64url")}?name=${encodeURIComponent(name)}&size=${size}`
      return { url: `${url}&signature=hmac-sha256%3D${createHmac("sha256", key).update(url).digest("hex")}`, name }
    }),
  )
})
