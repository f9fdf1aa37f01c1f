import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import { describe, expect, it, onTestFinished } from "vitest"
import { createTransport } from "../../../src/http/own-transport.ts"
import { createHeldUrls } from "../../../src/ingest/scan/held-urls.ts"
import { type ScanAnswer, ScannerError, type ScannerReason } from "../../../src/ingest/scan/scanner.ts"
import { createUrlScanner } from "../../../src/ingest/scan/url-scanner.ts"
import { own } from "../../http/own-certificate.ts"
import { type AskedScan, scanSecret, startUrlScanner } from "./fake-url-scanner.ts"

const file = {
  id: 7,
  key: "key",
  appId: "app",
  name: "a.txt",
  size: 5,
  type: "text/plain",
  fileHash: null,
  uploadedAt: null,
}

const key = Buffer.from(scanSecret.slice(6), "base64")

const toScanner = (url: string, fetch: typeof globalThis.fetch | undefined, timeout = 20_000) => {
  const transport = createTransport(fetch)
  onTestFinished(transport.close)
  const urls = createHeldUrls(key)
  const base = "https://files.example"
  return createUrlScanner({ url, secret: scanSecret, key, base, timeout, urls, send: transport.send, now: Date.now })
}

const never = new AbortController().signal

describe.each([
  ["node:http", undefined],
  ["fetch", globalThis.fetch.bind(globalThis)],
])("what a scanner answers over %s", (_, fetch) => {
  /** Asks once a scanner that does this. */
  const ask = async (handle: (asked: AskedScan) => unknown, timeout?: number) => {
    const server = await startUrlScanner(handle)
    const answer = toScanner(server.url, fetch, timeout).scan(file, never)
    return { server, answer }
  }

  const verdicts: ReadonlyArray<readonly [number, unknown, ScanAnswer]> = [
    [200, { verdict: "release" }, { kind: "clean" }],
    [200, { verdict: "release", reason: "none", took: 5 }, { kind: "clean" }],
    [200, { verdict: "release", a: { verdict: "reject" }, b: ['"verdict":', { verdict: 1 }] }, { kind: "clean" }],
    [200, { verdict: "reject", reason: '"verdict":"release"' }, { kind: "found", reason: '"verdict":"release"' }],
    [200, { verdict: "reject" }, { kind: "found", reason: undefined }],
    [200, { verdict: "reject", reason: "No." }, { kind: "found", reason: "No." }],
    [202, {}, { kind: "later", until: expect.any(Number) }],
    [202, { verdict: "release" }, { kind: "later", until: expect.any(Number) }],
  ]

  it.each(verdicts)("is an answer: %d %j", async (status, json, expected) => {
    const { answer } = await ask((asked) => asked.answer(status, json))
    expect(await answer).toEqual(expected)
  })

  const others: ReadonlyArray<readonly [string, (asked: AskedScan) => unknown, ScannerReason, RegExp]> = [
    ["nothing, in time", () => {}, "silent", /did not answer within 0.5 s/],
    ["a redirect", (asked) => asked.answer(302, {}, { location: "/elsewhere" }), "silent", /answer was 302/],
    [
      "a redirect that keeps the method",
      (asked) => asked.answer(307, {}, { location: "/elsewhere" }),
      "silent",
      /answer was 307/,
    ],
    ["a page", ({ response }) => response.end("<h1>Log in</h1>"), "silent", /cannot be used/],
    ["no body", ({ response }) => response.end(), "silent", /cannot be used/],
    ["a number", (asked) => asked.answer(200, 1), "silent", /cannot be used/],
    ["null", (asked) => asked.answer(200, null), "silent", /cannot be used/],
    ["another word", (asked) => asked.answer(200, { verdict: "clean" }), "silent", /cannot be used/],
    ["a word in other letters", (asked) => asked.answer(200, { verdict: "Release" }), "silent", /cannot be used/],
    [
      "a reason that is none",
      (asked) => asked.answer(200, { verdict: "reject", reason: 5 }),
      "silent",
      /cannot be used/,
    ],
    [
      "two verdicts, the second for the file, as its name may add it",
      ({ response }) => response.end('{"verdict":"reject","reason":"x","verdict":"release"}'),
      "silent",
      /cannot be used: The verdict has a member twice/,
    ],
    [
      "two verdicts, one of them spelt otherwise",
      ({ response }) => response.end('{"verdict":"reject", "verd\\u0069ct" : "release"}'),
      "silent",
      /cannot be used: The verdict has a member twice/,
    ],
    ["a list", (asked) => asked.answer(200, [{ verdict: "release" }]), "silent", /cannot be used/],
    ["another status", (asked) => asked.answer(201, { verdict: "release" }), "silent", /must be 200 or 202/],
    ["204", ({ response }) => response.writeHead(204).end(), "silent", /must be 200 or 202/],
    ["an error's status", (asked) => asked.answer(500, { verdict: "release" }), "silent", /answer was 500/],
    ["an error of a gateway", (asked) => asked.answer(502, {}), "silent", /answer was 502/],
    ["a status for strangers", (asked) => asked.answer(403, {}), "silent", /answer was 403/],
    ["an address that is not there", (asked) => asked.answer(404, {}), "silent", /answer was 404/],
    ["400", (asked) => asked.answer(400, {}), "refused", /answer was 400/],
    ["413", (asked) => asked.answer(413, {}), "refused", /answer was 413/],
    ["415", (asked) => asked.answer(415, {}), "refused", /answer was 415/],
    ["422", (asked) => asked.answer(422, {}), "refused", /answer was 422/],
    ["429", (asked) => asked.answer(429, {}), "away", /answer was 429/],
    ["503", (asked) => asked.answer(503, {}), "away", /answer was 503/],
    [
      "a verdict after which the connection breaks",
      ({ response }) => {
        response.writeHead(200, { "content-length": "1000" })
        response.write('{"verdict":"release"}')
        setTimeout(() => response.destroy(), 50)
      },
      "silent",
      /no answer/,
    ],
    [
      "a verdict that does not end in time",
      ({ response }) => {
        response.writeHead(200, { "content-length": "1000" })
        response.write('{"verdict":"release"}')
      },
      "silent",
      /did not answer within 0.5 s/,
    ],
    [
      "a verdict with much beside it",
      (asked) => asked.answer(200, { verdict: "release", more: "x".repeat(20_000) }),
      "silent",
      /more than 16KB/,
    ],
    ["a connection that closes", ({ response }) => response.destroy(), "silent", /no answer/],
  ]

  it.each(others)("decides nothing: %s", async (_what, handle, reason, message) => {
    const { server, answer } = await ask(handle, 500)
    const error = await answer.catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(ScannerError)
    expect(error).toMatchObject({ reason, message: expect.stringMatching(message) })
    expect(server.asked).toHaveLength(1)
  })

  it("is none where nobody listens, or there is no such host", async () => {
    const gone = await startUrlScanner(() => {})
    await gone.stop()
    for (const url of [gone.url, "http://no-such-host.invalid/scan"]) {
      await expect(toScanner(url, fetch).scan(file, never)).rejects.toMatchObject({ reason: "away" })
    }
  })

  it("is none where the connection cannot be trusted", async () => {
    const server = createServer(own, (_, response) => void response.end('{"verdict":"release"}'))
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const scanner = toScanner(`https://127.0.0.1:${port}/scan`, fetch)
    await expect(scanner.scan(file, never)).rejects.toMatchObject({ reason: "away" })
  })

  it("is not waited for once it is aborted", async () => {
    const server = await startUrlScanner(() => {})
    const controller = new AbortController()
    const answer = toScanner(server.url, fetch).scan(file, controller.signal)
    setTimeout(() => controller.abort(), 50)
    await expect(answer).rejects.toThrow()
  })

  it("may take longer than a timer can wait", async () => {
    const { server, answer } = await ask((asked) => asked.answer(202, {}), 2 ** 40)
    const { until } = (await answer) as { readonly until: number }
    const { expires, sentAt } = server.asked[0]!.message
    expect(until).toBe(expires)
    expect(expires - sentAt).toBe(2 ** 31 - 1)
  })
})
