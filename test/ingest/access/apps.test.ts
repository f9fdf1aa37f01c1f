import { describe, expect, it } from "vitest"
import { createMemoryCatalog, createSqliteCatalog, type Catalog } from "../../../src/ingest.ts"
import {
  createFileKey,
  createSigner,
  type DevStreamEvent,
  encodeAppId,
  encodeToken,
  names,
  readJsonLines,
  signUploadUrl,
  signUrl,
  verifySignature,
} from "../../../src/protocol.ts"
import { createRouteHandler, createSluice } from "../../../src/server.ts"
import {
  apiKey,
  answerWith,
  createApp,
  createGrant,
  encodedAppId,
  eventually,
  putRaw,
  register,
  sign,
  startApp,
  startIngest as startAnyIngest,
} from "../circle.ts"

/** The apps called back here are on this machine. */
const startIngest: typeof startAnyIngest = (options) => startAnyIngest({ callbackNetworks: "any", ...options })

/** A signed upload URL of an app of the catalog. */
const signFor = async (ingestUrl: string, grant: Parameters<typeof createGrant>[0] = {}, key = "sk_acme") =>
  signUploadUrl(ingestUrl, createGrant({ appId: "acme", key: keyOf("acme"), ...grant }), createSigner(key))

const keyOf = (appId: string): string => createFileKey(encodeAppId(appId))

const codeOf = async (response: Response): Promise<string> => `${response.status} ${(await response.json()).code}`

const revoke = async (catalog: Catalog, appId: string, apiKey: string): Promise<void> => {
  const app = (await catalog.listApps()).find(({ id }) => id === appId)
  const { id } = app!.keys.find((key) => key.apiKey === apiKey)!
  expect(await catalog.revokeKey({ appId, id, now: 2 })).toBe(true)
}

describe("an app the operator made", () => {
  it("is served beside the one of the token", async () => {
    const catalog = createMemoryCatalog()
    await createApp(catalog)
    const { url } = await startIngest({ catalog })
    expect((await putRaw(await signFor(url), "hello")).status).toBe(200)
    expect((await putRaw(await sign(url, createGrant()), "hello")).status).toBe(200)
    expect((await register(url, { fileKeys: [keyOf("acme")] }, "sk_acme")).status).toBe(200)
    expect(await codeOf(await register(url, { fileKeys: [keyOf("acme")] }))).toBe("403 FORBIDDEN")
    expect(await codeOf(await putRaw(await signFor(url, {}, apiKey), "hello"))).toBe("403 INVALID_SIGNATURE")
  })

  it("is known about a second after it was made, to an ingest that runs", async () => {
    const catalog = createMemoryCatalog()
    const { url } = await startIngest({ catalog })
    expect(await codeOf(await putRaw(await signFor(url), "hello"))).toBe("403 INVALID_SIGNATURE")
    await createApp(catalog)
    await eventually(async () => (await putRaw(await signFor(url), "hello")).status === 200)
  })

  it("whose file keys begin as those of the token's app do is not served", async () => {
    const catalog = createMemoryCatalog()
    // Of one hash: see the suite of catalogs.
    const token = btoa(JSON.stringify({ apiKey, appId: "0008t", regions: ["local"] }))
    await createApp(catalog, { id: "000fj", keys: ["sk_twin"] })
    const { url } = await startIngest({ catalog, token })
    const grant = { appId: "000fj", key: keyOf("000fj") }
    expect(await codeOf(await putRaw(await signFor(url, grant, "sk_twin"), "hello"))).toBe("403 INVALID_SIGNATURE")
  })
})

it("a file of an app with the same prefix is nothing under another app's address", async () => {
  const catalog = createMemoryCatalog()
  const key = keyOf("000fj")
  await catalog.commitWhole({
    grant: createGrant({ appId: "000fj", key, slug: undefined }),
    origin: "http://ingest.example",
    bytes: new TextEncoder().encode("hello"),
    fileHash: "",
    now: 1,
    eventId: "evt_1",
    claimedUntil: null,
  })
  const { url } = await startIngest({
    catalog,
    token: btoa(JSON.stringify({ apiKey, appId: "0008t", regions: ["local"] })),
  })
  expect((await fetch(`${url}/f/${key}`)).status).toBe(200)
  expect((await fetch(`${url}/a/0008t/${key}`)).status).toBe(404)
})

describe("keys", () => {
  it("two count at a time, for URLs and requests; a revoked one soon does not", async () => {
    const catalog = createMemoryCatalog()
    await createApp(catalog, { keys: ["sk_old", "sk_new"] })
    const { url } = await startIngest({ catalog })
    for (const key of ["sk_old", "sk_new"]) {
      expect((await putRaw(await signFor(url, {}, key), "hello")).status).toBe(200)
      expect((await register(url, { fileKeys: [keyOf("acme")] }, key)).status).toBe(200)
    }
    const signedBefore = await signFor(url, {}, "sk_old")
    await revoke(catalog, "acme", "sk_old")
    await eventually(async () => (await register(url, { fileKeys: [keyOf("acme")] }, "sk_old")).status === 401)
    expect(await codeOf(await putRaw(signedBefore, "hello"))).toBe("403 INVALID_SIGNATURE")
    expect((await putRaw(await signFor(url, {}, "sk_new"), "hello")).status).toBe(200)
  })

  it("the token's own key can be replaced and revoked", async () => {
    const catalog = createMemoryCatalog()
    await createApp(catalog, { id: "app-1", keys: [apiKey, "sk_next"] })
    const { url } = await startIngest({ catalog })
    const keys = [apiKey, "sk_next"]
    for (const key of keys) expect((await register(url, { fileKeys: [keyOf("app-1")] }, key)).status).toBe(200)
    await revoke(catalog, "app-1", apiKey)
    await eventually(async () => (await register(url, { fileKeys: [keyOf("app-1")] }, apiKey)).status === 401)
    expect((await register(url, { fileKeys: [keyOf("app-1")] }, "sk_next")).status).toBe(200)
  })

  it("callbacks are signed with each, whichever way a receiver verifies", async () => {
    const catalog = createMemoryCatalog()
    await createApp(catalog, { keys: ["sk_old", "sk_new"] })
    const app = await startApp(answerWith(null))
    const { url } = await startIngest({ catalog })
    const key = keyOf("acme")
    await register(url, { fileKeys: [key], callbackUrl: app.url, awaitServerData: false }, "sk_old")
    expect((await putRaw(await signFor(url, { key, slug: "avatar" }, "sk_old"), "hello")).status).toBe(200)
    await app.until(1)
    const { headers, body } = app.received[0]!
    const signatures = headers.get("x-sluice-signature")!.split(", ")
    expect(await Promise.all(signatures.map((one) => verifySignature(body, one, "sk_new")))).toEqual([true, false])
    expect(await Promise.all(signatures.map((one) => verifySignature(body, one, "sk_old")))).toEqual([false, true])
    const signed = `${headers.get("webhook-id")}.${headers.get("webhook-timestamp")}.${body}`
    const webhook = await Promise.all(["sk_new", "sk_old"].map((one) => createSigner(one).signBase64(signed)))
    expect(headers.get("webhook-signature")).toBe(webhook.map((one) => `v1,${one}`).join(" "))
  })

  it("events of a development stream are signed with each, the newest first", async () => {
    const catalog = createMemoryCatalog()
    await createApp(catalog, { keys: ["sk_old", "sk_new"] })
    const { url } = await startIngest({ catalog })
    const key = keyOf("acme")
    const stream = await register(url, { fileKeys: [key], isDev: true, awaitServerData: false }, "sk_old")
    expect((await putRaw(await signFor(url, { key, slug: "avatar" }, "sk_old"), "hello")).status).toBe(200)
    const lines = readJsonLines(stream.body!)
    const { payload, signature } = (await lines.next()).value as DevStreamEvent
    await lines.return(undefined)
    const signers = [createSigner("sk_new"), createSigner("sk_old")]
    expect(signature).toBe((await Promise.all(signers.map((one) => one.sign(payload)))).join(", "))
  })

  it("an event of an app without a key is not sent, and not lost", async () => {
    const catalog = createMemoryCatalog()
    await createApp(catalog)
    const app = await startApp(answerWith(null))
    const { url } = await startIngest({ catalog, callbackRetries: [50, 50, 50, 50, 5000] })
    const key = keyOf("acme")
    const answer = putRaw(await signFor(url, { key, slug: "avatar" }), "hello")
    await eventually(async () => (await catalog.get(key))?.file.status === "Uploaded")
    await revoke(catalog, "acme", "sk_acme")
    await eventually(async () => (await register(url, { fileKeys: [keyOf("acme")] }, "sk_acme")).status === 401)
    await catalog.register({
      appId: "acme",
      fileKeys: [key],
      metadata: "null",
      callbackUrl: app.url,
      callbackSlug: "avatar",
      awaitServerData: false,
      isDev: false,
      trace: null,
      now: Date.now(),
      createEventId: () => "evt_1",
    })
    await eventually(async () => (await catalog.listAttempts("evt_1")).length > 0)
    expect((await catalog.listAttempts("evt_1"))[0]).toMatchObject({
      status: null,
      error: "It was not sent: The app acme has no active key to sign it with.",
    })
    expect(app.received).toEqual([])
    await catalog.addKey({ appId: "acme", apiKey: "sk_next", now: 3 })
    await catalog.redeliver({ id: "evt_1", now: Date.now() })
    await app.until(1)
    expect((await answer).status).toBe(200)
  })
})

describe("what an app has of its own", () => {
  it("default ACL", async () => {
    const catalog = createMemoryCatalog()
    await createApp(catalog, { defaultAcl: "private" })
    const { url } = await startIngest({ catalog })
    const [theirs, ours] = [keyOf("acme"), createFileKey(encodedAppId)]
    await putRaw(await signFor(url, { key: theirs }), "hello")
    await putRaw(await sign(url, createGrant({ key: ours })), "hello")
    expect((await fetch(`${url}/f/${ours}`)).status).toBe(200)
    expect(await codeOf(await fetch(`${url}/f/${theirs}`))).toBe("403 FORBIDDEN")
    const address = `${url}/f/${theirs}?${names.query.expires}=${Date.now() + 60_000}`
    expect((await fetch(await signUrl(address, createSigner("sk_acme")))).status).toBe(200)
    expect(await codeOf(await fetch(await signUrl(address, createSigner(apiKey))))).toBe("403 FORBIDDEN")
  })

  it("quota, which the ingest's own does not bound", async () => {
    const catalog = createMemoryCatalog()
    await createApp(catalog, { quota: 8 })
    await createApp(catalog, { id: "large", keys: ["sk_large"], quota: "unlimited" })
    const { url } = await startIngest({ catalog, quota: 20 })
    expect((await putRaw(await signFor(url), "hello")).status).toBe(200)
    expect(await codeOf(await putRaw(await signFor(url), "hello"))).toBe("507 QUOTA_EXCEEDED")
    for (let count = 0; count < 6; count++) {
      const grant = { appId: "large", key: keyOf("large") }
      expect((await putRaw(await signFor(url, grant, "sk_large"), "hello")).status).toBe(200)
    }
    for (const status of [200, 200, 200, 200, 507]) {
      expect((await putRaw(await sign(url, createGrant()), "hello")).status).toBe(status)
    }
    await catalog.changeApp("acme", { quota: null })
    await eventually(async () => (await putRaw(await signFor(url), "hello")).status === 200)
  })

  it("callback origins: a registration for another is refused", async () => {
    const catalog = createMemoryCatalog()
    await createApp(catalog, { callbackOrigins: ["https://acme.example"] })
    const { url } = await startIngest({ catalog })
    const fileKeys = [keyOf("acme")]
    const at = (callbackUrl: string, isDev = false) => register(url, { fileKeys, callbackUrl, isDev }, "sk_acme")
    expect((await at("https://acme.example/api/sluice")).status).toBe(200)
    for (const callbackUrl of [
      "http://acme.example/api/sluice",
      "https://acme.example:8443/",
      "https://acme.example.evil.example/",
      "http://169.254.169.254/latest",
    ]) {
      const response = await at(callbackUrl)
      expect(response.status, callbackUrl).toBe(403)
      const { code, detail, data } = await response.json()
      expect({ code, data }).toEqual({ code: "FORBIDDEN", data: { callbackOrigin: new URL(callbackUrl).origin } })
      expect(detail).toContain("https://acme.example")
    }
    const stream = await at("http://localhost:3000/api/sluice", true)
    expect(stream.status).toBe(200)
    await stream.body?.cancel()
  })

  it("callback origins: an app that registers another is told which, and what to set", async () => {
    const catalog = createMemoryCatalog()
    await createApp(catalog, { callbackOrigins: ["https://acme.example"] })
    const { url } = await startIngest({ catalog })
    const token = encodeToken({ apiKey: "sk_acme", appId: "acme", regions: ["local"] })
    const callbackUrl = "https://elsewhere.example/api/sluice"
    const router = { a: createSluice()({ text: {} }).onUploadComplete(() => null) }
    const ask = (options: { token: string; callbackUrl: string }) =>
      createRouteHandler({ router, ingestUrl: url, logLevel: "None", isDev: false, ...options })(
        new Request("http://app.example/?actionType=upload&slug=a", {
          method: "POST",
          body: JSON.stringify({ files: [{ name: "a.txt", size: 5, type: "text/plain" }] }),
        }),
      )
    const refused = await ask({ token, callbackUrl })
    expect([refused.status, await refused.json()]).toMatchObject([
      500,
      { code: "INVALID_CONFIG", detail: expect.stringMatching(/https:\/\/elsewhere\.example.*SLUICE_CALLBACK_URL/) },
    ])
    expect((await ask({ token, callbackUrl: "https://acme.example/api" })).status).toBe(200)
    const stranger = encodeToken({ apiKey: "sk_unknown", appId: "acme", regions: ["local"] })
    expect(await codeOf(await ask({ token: stranger, callbackUrl }))).toBe("500 INVALID_TOKEN")
  })

  it("callback origins: however many are allowed, what is refused stands in the first half kilobyte", async () => {
    const catalog = createMemoryCatalog()
    const callbackOrigins = Array.from({ length: 100 }, (_, i) => `https://${i}.a-rather-long-name.of-an-app.example`)
    await createApp(catalog, { callbackOrigins })
    const { url } = await startIngest({ catalog })
    const callbackUrl = "https://a-rather-long-name.of-another.example/"
    const response = await register(url, { fileKeys: [keyOf("acme")], callbackUrl }, "sk_acme")
    const text = await response.text()
    expect(text.slice(0, 512)).toContain('"callbackOrigin"')
    expect(JSON.parse(text).detail).toContain("97 more")
  })

  it("callback origins: an event for one that is allowed no more is not sent", async () => {
    const catalog = createMemoryCatalog()
    await createApp(catalog)
    const app = await startApp(answerWith(null))
    const { url } = await startIngest({ catalog })
    const key = keyOf("acme")
    await register(url, { fileKeys: [key], callbackUrl: app.url, awaitServerData: false }, "sk_acme")
    await catalog.changeApp("acme", { callbackOrigins: ["https://acme.example"] })
    await eventually(
      async () => (await register(url, { fileKeys: [key], callbackUrl: app.url }, "sk_acme")).status === 403,
    )
    await putRaw(await signFor(url, { key, slug: "avatar" }), "hello")
    const attempts = async () => {
      const upload = await catalog.get(key)
      return upload?.delivery ? catalog.listAttempts(upload.delivery.id) : []
    }
    await eventually(async () => (await attempts()).length === 1)
    expect((await attempts())[0]!.error).toBe(
      `It was not sent: ${new URL(app.url).origin} is not a callback origin of the app acme.`,
    )
    expect(app.received).toEqual([])
  })
})

it("an ingest whose catalog fails goes on with the apps it knows", async () => {
  const catalog = createSqliteCatalog({ file: ":memory:" })
  await createApp(catalog)
  let isBroken = false
  const { url } = await startIngest({
    catalog: {
      ...catalog,
      appsRevision: () => (isBroken ? Promise.reject(new Error("disk")) : catalog.appsRevision()),
    },
  })
  expect((await register(url, { fileKeys: [keyOf("acme")] }, "sk_acme")).status).toBe(200)
  isBroken = true
  await new Promise((resolve) => setTimeout(resolve, 1100))
  expect((await register(url, { fileKeys: [keyOf("acme")] }, "sk_acme")).status).toBe(200)
})
