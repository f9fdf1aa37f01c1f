import { createHmac, createSecretKey, randomBytes } from "node:crypto"
import { Hono } from "../.peers/node_modules/hono/dist/index.js"
import { answer } from "./request.mjs"

const key = createSecretKey("sk_live_0123456789abcdef", "utf8")

const app = new Hono().post("/api/sluice", async (context) => {
  const { files } = await context.req.json()
  return context.json(
    files.map(({ name, size }) => {
      const url = `https://ingest.example.com/${randomBytes(16).toString("base64url")}?name=${encodeURIComponent(name)}&size=${size}`
      return { url: `${url}&signature=hmac-sha256%3D${createHmac("sha256", key).update(url).digest("hex")}`, name }
    }),
  )
})

await answer((request) => app.fetch(request))
