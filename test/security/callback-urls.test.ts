import { describe, expect, it } from "vitest"
import { createMemoryCatalog } from "../../src/ingest.ts"
import { createRouteHandler, createSluice } from "../../src/server.ts"
import { captureConsole } from "../ingest/capture-console.ts"
import { createGrant, eventually, putRaw, register, sign, startIngest, token } from "../ingest/circle.ts"

const password = "correct-horse"

const urls = [
  [`http://user:${password}@app.example/`, "user and password"],
  [`http://${password}@app.example/`, "user and password"],
  [`https://:${password}@app.example/`, "user and password"],
  [`http:user:${password}@app.example`, "user and password"],
  ["http://app.example:22/", "fetch refuses 22"],
  ["https://app.example:6000/", "fetch refuses 6000"],
  ["http://app.example:10080/", "fetch refuses 10080"],
  [`ftp://user:${password}@app.example/`, "http(s) URL"],
] as const

describe("a callback URL that cannot be called", () => {
  it.each(urls)("is refused when it is registered: %s", async (callbackUrl, reason) => {
    const lines = captureConsole()
    const { url, catalog } = await startIngest({ logLevel: "All" })
    const { key } = createGrant()
    const response = await register(url, { fileKeys: [key], callbackUrl })
    const text = await response.text()
    expect([response.status, JSON.parse(text).code]).toEqual([400, "BAD_REQUEST"])
    expect(text).toContain(reason)
    expect(text + lines.join("\n")).not.toContain(password)
    expect(await catalog.get(key)).toBeNull()
  })

  it.each(urls)("is refused as an app's callbackUrl: %s", async (callbackUrl, reason) => {
    const lines = captureConsole()
    const router = { avatar: createSluice()({ text: {} }).onUploadComplete(() => null) }
    const handle = createRouteHandler({ router, token, ingestUrl: "http://localhost:4790", callbackUrl })
    const response = await handle(new Request("http://localhost:3000/api/sluice"))
    const text = await response.text()
    expect([response.status, JSON.parse(text).code]).toEqual([500, "INVALID_CONFIG"])
    expect(text).toContain(reason)
    expect(text + lines.join("\n")).not.toContain(password)
  })

  it("is not called and not logged where an older version took it", async () => {
    const lines = captureConsole()
    const catalog = createMemoryCatalog()
    const { url } = await startIngest({ catalog, logLevel: "All", callbackRetries: [] })
    const grant = createGrant({ slug: "avatar" })
    await catalog.register({
      appId: grant.appId,
      fileKeys: [grant.key],
      metadata: "null",
      callbackUrl: `http://user:${password}@127.0.0.1:4/`,
      callbackSlug: "avatar",
      awaitServerData: true,
      isDev: false,
      trace: null,
      now: 1,
      createEventId: () => "evt_1",
    })
    const response = await putRaw(await sign(url, grant), "hello")
    expect(response.status).toBe(502)
    expect(await response.text()).not.toContain(password)
    await eventually(async () => (await catalog.get(grant.key))?.delivery?.status === "dead")
    const [attempt] = await catalog.listAttempts((await catalog.get(grant.key))!.delivery!.id)
    expect(attempt?.error).toContain("without user and password")
    expect(attempt?.error + lines.join("\n")).not.toContain(password)
  })
})
