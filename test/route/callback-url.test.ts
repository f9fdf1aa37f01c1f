import { afterEach, describe, expect, test, vi } from "vitest"
import { createSluice } from "../../src/server.ts"
import { handlerOf, png, presigned, uploadRequest } from "./call-app.ts"
import { useConsoleLines } from "./console-lines.ts"
import { useMockIngest } from "./mock-ingest.ts"

const ingest = useMockIngest()
const { linesWith } = useConsoleLines()
afterEach(() => void vi.unstubAllEnvs())

const f = createSluice()
const router = { a: f({ image: {} }).onUploadComplete(() => 1) }

const registeredCallbackUrl = async (url: string, headers: Record<string, string> = {}, options = {}) => {
  const { search } = new URL(uploadRequest("a", {}).url)
  const request = new Request(url + search, { method: "POST", body: JSON.stringify({ files: [png] }), headers })
  await presigned(await handlerOf(router, options)(request))
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
    ["a prefix with another host", { "x-forwarded-prefix": "//evil.test" }, "http://10.0.0.1:3000/api/sluice"],
    ["a protocol that is none of the Web's", { "x-forwarded-proto": "javascript" }, "http://10.0.0.1:3000/api/sluice"],
  ])("believes a trusted proxy: %s", async (_, headers, expected) => {
    expect(await registeredCallbackUrl("http://10.0.0.1:3000/api/sluice", headers, { trustProxy: true })).toBe(expected)
  })
})

describe("in production without a configured callback URL", () => {
  test("a warning is logged, once", async () => {
    vi.stubEnv("NODE_ENV", "production")
    const handle = handlerOf(router)
    for (let i = 0; i < 3; i++) await presigned(await handle(uploadRequest("a", { files: [png] })))
    expect(linesWith("warn", "No callback URL is configured", "SLUICE_CALLBACK_URL")).toHaveLength(1)
  })

  test.each([
    ["with one configured", { callbackUrl: "https://app.example.com/" }, "production"],
    ["outside production", {}, "test"],
    ["in development", { isDev: false }, "development"],
  ])("%s there is none", async (_, options, mode) => {
    vi.stubEnv("NODE_ENV", mode)
    await presigned(await handlerOf(router, options)(uploadRequest("a", { files: [png] })))
    expect(linesWith("warn", "callback URL")).toEqual([])
  })
})
