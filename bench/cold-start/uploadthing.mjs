import { createRouteHandler, createUploadthing } from "../.peers/node_modules/uploadthing/server/index.js"
import { answer, fetchOk } from "./request.mjs"

const token = { apiKey: "sk_live_0123456789abcdef", appId: "benchmark", regions: ["eu"] }
const f = createUploadthing()

await answer(
  createRouteHandler({
    router: {
      photos: f({ image: { maxFileSize: "4MB" } })
        .middleware(() => ({ userId: "user_1" }))
        .onUploadComplete(() => null),
    },
    config: {
      token: btoa(JSON.stringify(token)),
      callbackUrl: "https://app.example.com/api/uploadthing",
      logLevel: "Error",
      handleDaemonPromise: "void",
      fetch: fetchOk,
    },
  }),
)
