import { createRouteHandler, createSluice } from "../../dist/server.js"
import { answer, fetchOk } from "./request.mjs"

const token = { apiKey: "sk_live_0123456789abcdef", appId: "benchmark", regions: ["eu"] }
const f = createSluice()

await answer(
  createRouteHandler({
    router: {
      photos: f({ image: { maxFileSize: "4MB" } })
        .middleware(() => ({ userId: "user_1" }))
        .onUploadComplete(() => null),
    },
    token: btoa(JSON.stringify(token)),
    ingestUrl: "https://ingest.example.com",
    callbackUrl: "https://app.example.com/api/sluice",
    fetch: fetchOk,
  }),
)
