import { createServer, request as httpRequest } from "node:http"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { createRouteHandler, createSluice } from "../../adapters/node.ts"
import { encodeToken } from "../../src/protocol.ts"
import { listen } from "../adapters/node/servers.ts"
import { launchChromium } from "../browser/chromium.ts"

type Options = Partial<Parameters<typeof createRouteHandler>[0]>

const query = "actionType=upload&slug=note"

/** An app on a socket of its own that notes whose cookies its middleware has seen, and a page without anything. */
const startApp = async (options: Options = {}) => {
  const cookies: Array<string | undefined> = []
  const f = createSluice()
  const handle = createRouteHandler({
    router: {
      note: f({ blob: {} })
        .middleware(({ req }) => void cookies.push(req.headers.cookie))
        .onUploadComplete(() => null),
    },
    token: encodeToken({ apiKey: "sk_x", appId: "x", regions: ["local"] }),
    ingestUrl: "http://127.0.0.1:4",
    allowedHosts: ["app.example:3000", "public.example", "localhost:*", "127.0.0.1:*", "*.localhost:*"],
    logLevel: "None",
    fetch: async () => Response.json({ ok: true }),
    ...options,
  })
  const posts: Array<string | undefined> = []
  const server = createServer((req, res) => {
    if (req.url === "/page") {
      res.setHeader("set-cookie", "session=victim; Path=/; HttpOnly")
      return void res.setHeader("content-type", "text/html").end("<!doctype html><iframe name=sink></iframe>")
    }
    if (req.method === "POST") posts.push(`${req.headers["sec-fetch-site"]} ${req.headers["content-type"]}`)
    void handle(req, res)
  })
  return { port: await listen(server), cookies, posts }
}

const body = JSON.stringify({ files: [{ name: "a.txt", size: 3, type: "text/plain" }] })

/** Sends exactly these headers; `fetch` would add its own. */
const post = (port: number, headers: Record<string, string>): Promise<number> =>
  new Promise((resolve, reject) => {
    const sending = httpRequest(
      { port, host: "127.0.0.1", method: "POST", path: `/api/sluice?${query}`, headers, setHost: false },
      (response) => void response.resume().once("end", () => resolve(response.statusCode!)),
    )
    sending.once("error", reject).end(body)
  })

interface Case {
  readonly site?: string
  readonly origin?: string
  readonly type?: string
  readonly headers?: Record<string, string>
  readonly options?: Options
}

const own = "http://app.example:3000"
const other = "http://evil.example"
const host = { host: "app.example:3000" }
const forwarded = { "x-forwarded-host": "public.example", "x-forwarded-proto": "https" }

/** What a form or a script can send without asking CORS, spelt in all ways that matter. */
const simpleTypes = [
  undefined,
  "",
  "text/plain",
  "text/plain; application/json",
  "text/plain;charset=utf-8, application/json",
  "TEXT/PLAIN",
  "application/x-www-form-urlencoded",
  "application/x-www-form-urlencoded; a=application/json",
  "multipart/form-data; boundary=application/json",
  "multipart/form-data",
]

const jsonTypes = ["application/json", "application/json; charset=utf-8", "Application/JSON ;a=b", " application/json"]

const refused: ReadonlyArray<Case> = [
  ...simpleTypes.flatMap((type) => [
    { site: "cross-site", type: type! },
    { site: "same-site", type: type! },
    { origin: other, type: type! },
    { origin: "null", type: type! },
  ]),
  // Only what browsers call the same origin, or nobody's, is that.
  { site: "" },
  { site: "same-origin, cross-site" },
  { site: "SAME-ORIGIN" },
  { site: "cross-site", origin: own },
  { site: "same-site", origin: "http://app.example:4000" },
  // Of another scheme, port or host is another origin.
  { origin: "https://app.example:3000" },
  { origin: "http://app.example" },
  { origin: "http://app.example:30000" },
  { origin: "http://app.example.evil.example:3000" },
  { origin: "http://sub.app.example:3000" },
  { origin: "" },
  { origin: `${own}/` },
  { origin: `${own}, ${other}` },
  // JSON is what is called so, and nothing that only mentions it.
  { site: "cross-site", type: "application/json-seq" },
  { site: "cross-site", type: "application/jsonp" },
  { site: "cross-site", type: "text/plain, application/json" },
  // Nobody is believed who was not to be.
  { origin: "https://public.example", headers: forwarded },
  {
    origin: "https://public.example",
    headers: { "x-forwarded-host": "public.example" },
    options: { trustProxy: true },
  },
  { origin: other, options: { callbackUrl: "https://public.example/api/sluice" } },
]

const taken: ReadonlyArray<Case> = [
  // No browser: neither header.
  ...simpleTypes.map((type) => ({ type: type! })),
  // The same origin, or the person at the keyboard.
  ...simpleTypes.map((type) => ({ site: "same-origin", type: type! })),
  { site: "none" },
  { origin: own },
  { site: "same-origin", origin: own },
  // A proxy in front changes the host: what it says, or the configured address, tells.
  { site: "same-origin", origin: "https://public.example" },
  { origin: "https://public.example", headers: forwarded, options: { trustProxy: true } },
  { origin: "https://public.example", options: { callbackUrl: "https://public.example/api/sluice" } },
  { origin: own, options: { callbackUrl: "https://public.example/api/sluice", trustProxy: true }, headers: forwarded },
  // JSON, for which the browser has asked CORS.
  ...jsonTypes.flatMap((type) => [
    { site: "cross-site", origin: other, type },
    { site: "same-site", origin: other, type },
    { origin: "null", type },
    { origin: other, type },
    { type },
  ]),
]

const send = async ({ site, origin, type, headers, options }: Case) => {
  const { port, cookies } = await startApp(options)
  const status = await post(port, {
    ...host,
    cookie: "session=victim",
    ...(site !== undefined && { "sec-fetch-site": site }),
    ...(origin !== undefined && { origin }),
    ...(type !== undefined && { "content-type": type }),
    ...headers,
  })
  return [status, cookies]
}

describe("an upload with somebody's cookies", () => {
  it("is refused before any user code where a page of another origin could have sent it", async () => {
    for (const one of refused) expect([one, ...(await send(one))]).toEqual([one, 403, []])
    expect(refused.length).toBeGreaterThan(50)
  })

  it("is taken from its own pages, from JSON that CORS let through, and from what is no browser", async () => {
    for (const one of taken) expect([one, ...(await send(one))]).toEqual([one, 200, ["session=victim"]])
    expect(taken.length).toBeGreaterThan(40)
  })
})

describe("in Chromium, a page", () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser.close())

  /** Everything a page can send with cookies and without asking; how many requests that is. */
  const attack = async ([url, json]: readonly [string, string]): Promise<number> => {
    for (const enctype of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
      const form = document.createElement("form")
      Object.assign(form, { method: "post", enctype, action: url, target: "sink" })
      const field = document.createElement("input")
      // In text/plain: name=value.
      field.name = `${json.slice(0, -1)},"input":"`
      field.value = '"}'
      form.append(field)
      document.body.append(form)
      form.submit()
      await new Promise((resolve) =>
        document.querySelector("iframe")!.addEventListener("load", resolve, { once: true }),
      )
    }
    const noCors = (body: BodyInit, headers: HeadersInit = {}) =>
      fetch(url, { method: "POST", mode: "no-cors", credentials: "include", body, headers }).catch(() => {})
    await noCors(json)
    await noCors(new Blob([json]))
    await noCors(new Blob([json], { type: "text/plain; application/json" }))
    await noCors(json, { "content-type": "text/plain;charset=utf-8, application/json" })
    navigator.sendBeacon(url, json)
    navigator.sendBeacon(url, new Blob([json]))
    await fetch(url, { method: "POST", credentials: "include", body: json }).catch(() => {})
    // Asks first, and is not let.
    const headers = { "content-type": "application/json" }
    await fetch(url, { method: "POST", credentials: "include", body: json, headers }).catch(() => {})
    return 10
  }

  it("of the same site or another runs nothing with the visitor's cookies; one of the same origin does", async () => {
    const app = await startApp()
    const neighbour = await startApp()
    const url = `http://127.0.0.1:${app.port}/api/sluice?${query}`
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(`http://127.0.0.1:${app.port}/page`)
    for (const origin of [`http://127.0.0.1:${neighbour.port}`, `http://localhost:${neighbour.port}`]) {
      await page.goto(`${origin}/page`)
      const before = app.posts.length
      const sent = await page.evaluate(attack, [url, body] as const)
      await vi.waitFor(() => expect(app.posts.length - before).toBe(sent), { timeout: 10_000 })
    }
    expect(app.posts.join("\n")).toMatch(/^same-site/)
    expect(app.posts.join("\n")).toMatch(/^cross-site/m)
    expect(app.cookies).toEqual([])
    // The same page at home: the attack is one, and cookies go along.
    await page.goto(`http://127.0.0.1:${app.port}/page`)
    await page.evaluate(attack, [url, body] as const)
    await vi.waitFor(() => expect(app.cookies.length).toBeGreaterThanOrEqual(8), { timeout: 10_000 })
    expect(new Set(app.cookies)).toEqual(new Set(["session=victim"]))
    await context.close()
  })
})
