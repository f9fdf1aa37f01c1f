import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { createSluice } from "../../src/server.ts"
import { appUrl, handlerOf, png, presigned, problemOf, uploadRequest } from "./call-app.ts"
import { useConsoleLines } from "./console-lines.ts"
import { useMockIngest } from "./mock-ingest.ts"
import { callbackEvent, hookRequest } from "./signed-event.ts"

const ingest = useMockIngest()
const { lines, linesWith } = useConsoleLines()
afterEach(() => void vi.unstubAllEnvs())

const f = createSluice()
const router = { a: f({ image: {} }).onUploadComplete(() => 1) }

const registeredCallbackUrl = async (url: string, headers: Record<string, string> = {}, options = {}) => {
  const { search } = new URL(uploadRequest("a", {}).url)
  const request = new Request(url + search, { method: "POST", body: JSON.stringify({ files: [png] }), headers })
  const allowedHosts = "app.example.com:*, public.example.com:*, 10.0.0.1:3000"
  await presigned(await handlerOf(router, { allowedHosts, ...options })(request))
  return JSON.parse(ingest.registrations.at(-1)!.text).callbackUrl
}

describe("the callback URL", () => {
  test("is the request's own origin and path, without its query", async () => {
    expect(await registeredCallbackUrl("https://app.example.com:8443/deep/path")).toBe(
      "https://app.example.com:8443/deep/path",
    )
  })

  test("is the configured one, whatever the request says", async () => {
    const headers = { "x-forwarded-host": "attacker.test" }
    const options = { callbackUrl: "https://app.example.com/hooks", trustProxy: true }
    expect(await registeredCallbackUrl("http://spoofed.test/api/sluice", headers, options)).toBe(
      "https://app.example.com/hooks",
    )
  })

  const proxied = { "x-forwarded-proto": "https", "x-forwarded-host": "public.example.com" }
  const prefixed = { ...proxied, "x-forwarded-prefix": "/shop" }

  test("ignores what a proxy says, unless it is trusted", async () => {
    expect(await registeredCallbackUrl("http://10.0.0.1:3000/api/sluice", prefixed)).toBe(
      "http://10.0.0.1:3000/api/sluice",
    )
    expect(await registeredCallbackUrl("http://10.0.0.1:3000/api/sluice", prefixed, { trustProxy: false })).toBe(
      "http://10.0.0.1:3000/api/sluice",
    )
  })

  test.each([
    ["both headers", proxied, "https://public.example.com/api/sluice"],
    ["the host alone", { "x-forwarded-host": "public.example.com:444" }, "http://public.example.com:444/api/sluice"],
    ["the protocol alone", { "x-forwarded-proto": "https" }, "https://10.0.0.1:3000/api/sluice"],
    ["neither", {}, "http://10.0.0.1:3000/api/sluice"],
    [
      "several proxies: the first is the client's",
      { "x-forwarded-proto": "https, http", "x-forwarded-host": "public.example.com , inner" },
      "https://public.example.com/api/sluice",
    ],
    ["empty headers", { "x-forwarded-proto": "", "x-forwarded-host": " " }, "http://10.0.0.1:3000/api/sluice"],
    ["a host that is none", { "x-forwarded-host": "a b/c" }, "http://10.0.0.1:3000/api/sluice"],
    [
      "a host with a path and a password",
      { "x-forwarded-host": "u:p@public.example.com/x?y" },
      "http://public.example.com/api/sluice",
    ],
    ["a prefix that it has cut off", { "x-forwarded-prefix": "/shop/" }, "http://10.0.0.1:3000/shop/api/sluice"],
    [
      "several prefixes: each has cut off its own",
      { "x-forwarded-prefix": "/shop, /eu%20west" },
      "http://10.0.0.1:3000/shop/eu%20west/api/sluice",
    ],
    ["no prefix but a slash", { "x-forwarded-prefix": "/" }, "http://10.0.0.1:3000/api/sluice"],
    ["a prefix that is no path", { "x-forwarded-prefix": "@evil.test/?x=" }, "http://10.0.0.1:3000/api/sluice"],
    ["a prefix that leads elsewhere", { "x-forwarded-prefix": "/../../x" }, "http://10.0.0.1:3000/api/sluice"],
    ["a prefix of this folder", { "x-forwarded-prefix": "/shop/." }, "http://10.0.0.1:3000/api/sluice"],
    [
      "a prefix with dots in it",
      { "x-forwarded-prefix": "/.well-known/v1..2" },
      "http://10.0.0.1:3000/.well-known/v1..2/api/sluice",
    ],
    ["a prefix with another host", { "x-forwarded-prefix": "//evil.test" }, "http://10.0.0.1:3000/api/sluice"],
    ["a protocol that is none of the Web's", { "x-forwarded-proto": "javascript" }, "http://10.0.0.1:3000/api/sluice"],
  ])("believes a trusted proxy: %s", async (_, headers, expected) => {
    expect(await registeredCallbackUrl("http://10.0.0.1:3000/api/sluice", headers, { trustProxy: true })).toBe(expected)
  })
})

describe("a request's own host", () => {
  const ran = vi.fn(() => ({}))
  beforeEach(() => void ran.mockClear())
  const watched = {
    a: f({ image: {} })
      .middleware(ran)
      .onUploadComplete(() => 1),
  }
  const unset = { allowedHosts: undefined }

  /** The registered callback URL, or the code of the refusal: then no user code ran and nothing was registered. */
  const judge = async (url: string, options: object = {}, headers: Record<string, string> = {}) => {
    const registered = ingest.registrations.length
    const { search } = new URL(uploadRequest("a", {}).url)
    const body = JSON.stringify({ files: [png] })
    const handle = handlerOf(watched, { ...unset, ...options })
    const response = await handle(new Request(url + search, { method: "POST", body, headers }))
    if (response.ok) return JSON.parse(ingest.registrations.at(-1)!.text).callbackUrl as string
    expect(ran).not.toHaveBeenCalled()
    expect(ingest.registrations).toHaveLength(registered)
    const { code, detail } = await problemOf(response)
    // But in development and tests whoever asks learns that much, and the log the rest.
    const isHidden = process.env["NODE_ENV"] !== "test"
    if (isHidden) expect(detail).not.toMatch(/SLUICE_|trustProxy/)
    // A proxy may name the address that it reaches the app by: that is nothing for visitors.
    if (isHidden) expect(detail).not.toContain(new URL(url).host)
    const told = isHidden ? lines.at(-1)?.text : detail
    expect(told).toContain(`SLUICE_CALLBACK_URL`)
    expect(told).toContain(`SLUICE_ALLOWED_HOSTS`)
    return code
  }

  test.each(["http://app.example.com/api", "http://localhost:3000/api", "http://127.0.0.1/api", "https://[::1]:1/api"])(
    "is not believed in production, %s neither, and what to set is logged",
    async (url) => {
      vi.stubEnv("NODE_ENV", "production")
      expect(await judge(url)).toBe("INVALID_CONFIG")
      expect(linesWith("error", new URL(url).host, "SLUICE_CALLBACK_URL", "SLUICE_ALLOWED_HOSTS")).toHaveLength(1)
    },
  )

  test("plays no part in production where the callback URL is configured", async () => {
    vi.stubEnv("NODE_ENV", "production")
    const callbackUrl = "https://app.example.com/api"
    expect(await judge("http://attacker.example/api", { callbackUrl })).toBe(callbackUrl)
  })

  test.each(["http://localhost:3000/api", "http://127.0.0.1/api", "https://[::1]:1/api"])(
    "is believed outside of production and development where it is this machine: %s",
    async (url) => {
      vi.stubEnv("NODE_ENV", "")
      expect(await judge(url)).toBe(url)
    },
  )

  test.each([
    "http://attacker.example/api",
    "http://localhost.attacker.example/api",
    "http://127.0.0.1.attacker.example/api",
    "http://10.0.0.1/api",
    "http://localhost./api",
  ])("is not believed outside of development where it is another: %s", async (url) => {
    vi.stubEnv("NODE_ENV", "")
    expect(await judge(url)).toBe("INVALID_CONFIG")
  })

  test("is believed in development, whatever it is", async () => {
    vi.stubEnv("NODE_ENV", "development")
    const work: Array<Promise<unknown>> = []
    const options: object = { isDev: undefined, waitUntil: (promise: Promise<unknown>) => void work.push(promise) }
    const handle = handlerOf(router, { ...unset, ...options })
    await presigned(await handle(uploadRequest("a", { files: [png] })))
    await Promise.all(work)
    expect(JSON.parse(ingest.registrations.at(-1)!.text)).toMatchObject({ isDev: true, callbackUrl: appUrl })
  })

  test.each([
    ["app.example.com", "https://app.example.com/api"],
    ["app.example.com", "http://app.example.com:80/api"],
    ["APP.Example.com", "https://app.example.COM/api"],
    ["app.example.com:8443", "https://app.example.com:8443/api"],
    ["app.example.com:*", "https://app.example.com:8443/api"],
    ["app.example.com:*", "https://app.example.com/api"],
    ["*.example.com", "https://a.b.example.com/api"],
    ["other.example.com, *.example.com:8443 ,x", "https://a.example.com:8443/api"],
    [["other.example.com", "my_app.internal"], "http://my_app.internal/api"],
    ["[::1]:3000", "http://[::1]:3000/api"],
  ])("is believed in production where it is among the allowed: %s, %s", async (allowedHosts, url) => {
    vi.stubEnv("NODE_ENV", "production")
    expect(await judge(url, { allowedHosts })).toBe(new URL(url).href)
  })

  test.each([
    ["app.example.com", "https://attacker.example/api"],
    ["app.example.com", "https://app.example.com.attacker.example/api"],
    ["app.example.com", "https://appXexample.com/api"],
    ["app.example.com", "https://app.example.com:8443/api"],
    ["app.example.com", "https://app.example.com./api"],
    ["app.example.com", "https://app.example.com@attacker.example/api"],
    ["app.example.com:8443", "https://app.example.com/api"],
    ["*.example.com", "https://example.com/api"],
    ["*.example.com", "https://attackerexample.com/api"],
    ["*.example.com", "https://a.example.com.attacker.example/api"],
    ["*.example.com", "https://a.example.com:8443/api"],
    ["app.example.com", "http://localhost:3000/api"],
    [[], "http://localhost:3000/api"],
  ])("is refused everywhere but in development where the list has others: %s, %s", async (allowedHosts, url) => {
    for (const mode of ["production", "test"]) {
      vi.stubEnv("NODE_ENV", mode)
      // A `Request` has no URL with credentials; adapters give one without.
      expect(await judge(url.replace(/[^/]*@/, ""), { allowedHosts })).toBe("FORBIDDEN")
    }
  })

  test("is the forwarded one where a proxy is trusted: that is what the list is asked for", async () => {
    vi.stubEnv("NODE_ENV", "production")
    const options = { allowedHosts: "app.example.com", trustProxy: true }
    const forwarded = (host: string) => ({ "x-forwarded-proto": "https", "x-forwarded-host": host })
    const judgeForwarded = (url: string, host: string) => judge(url, options, forwarded(host))
    expect(await judgeForwarded("http://10.0.0.1:3000/api", "app.example.com")).toBe("https://app.example.com/api")
    ran.mockClear()
    for (const host of ["attacker.example", "attacker.example, app.example.com", "app.example.com@attacker.example"]) {
      expect(await judgeForwarded("http://app.example.com/api", host)).toBe("FORBIDDEN")
    }
    expect(await judge("http://app.example.com/api", options, {})).toBe("http://app.example.com/api")
  })

  test("is one fault in the log, however many hosts strangers think of", async () => {
    vi.stubEnv("NODE_ENV", "production")
    const handle = handlerOf(watched, { ...unset, bodyTimeout: "1m" })
    const { search } = new URL(uploadRequest("a", {}).url)
    for (let i = 0; i < 150; i++) {
      const request = new Request(`http://${i}.example/api${search}`, {
        method: "POST",
        body: JSON.stringify({ files: [png] }),
      })
      expect((await handle(request)).status).toBe(500)
    }
    expect(linesWith("error", "SLUICE_CALLBACK_URL", "The request named 0.example.")).toHaveLength(1)
    expect(lines).toHaveLength(1)
  })

  test("is not asked for by what registers nothing: routes and callbacks", async () => {
    vi.stubEnv("NODE_ENV", "production")
    const handle = handlerOf(watched, unset)
    expect((await handle(new Request(appUrl))).status).toBe(200)
    expect((await handle(hookRequest(callbackEvent()))).status).toBe(200)
    expect(linesWith("error", "SLUICE")).toEqual([])
  })
})
