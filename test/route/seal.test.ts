import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { createSealer } from "../../src/protocol/signing/seal.ts"
import { type FileRouter, createSluice, UploadError } from "../../src/server.ts"
import { apiKey, appId } from "./app-token.ts"
import { appUrl, grantOf, handlerOf, png, presigned, refused, renewRequest, uploadRequest } from "./call-app.ts"
import { useConsoleLines } from "./console-lines.ts"
import { json, networkError, useMockIngest } from "./mock-ingest.ts"

const ingest = useMockIngest()
const { linesWith } = useConsoleLines()
beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 0, 1), toFake: ["Date", "performance"] }))
afterEach(() => void vi.useRealTimers())

const f = createSluice()
const metadata = { userId: 7, name: "Zoë" }
const image = { image: { maxFileCount: 1000 } } as const
const plain = f(image)
  .middleware(() => metadata)
  .onUploadComplete(() => 1)

/** An ingest of today: its answer to a registration says that it opens seals. */
const opens = () => {
  const answer = json({ ok: true })
  answer.headers.set("sluice-accept", "seal")
  return answer
}

/** A handler whose first action is over: the ingest has said that it opens seals. */
const warm = async (route: FileRouter[string] = plain, options: Parameters<typeof handlerOf>[1] = {}) => {
  const handle = handlerOf({ a: route }, options)
  ingest.answerRegistration(opens)
  await presigned(await handle(uploadRequest("a", { files: [png] })))
  expect(ingest.registrations).toHaveLength(1)
  ingest.registrations.length = 0
  return handle
}

const ask = async (
  handle: Awaited<ReturnType<typeof warm>>,
  files: ReadonlyArray<object> = [png],
  init: RequestInit = {},
) => presigned(await handle(uploadRequest("a", { files }, init)))

const open = async (url: string): Promise<unknown> => {
  const { seal, slug } = await grantOf(url)
  if (seal === undefined) return undefined
  const text = await createSealer(apiKey).open(seal, { appId, slug: slug! })
  return JSON.parse(text!)
}

describe("an upload action", () => {
  test("is registered by a request where it is the process's first, or the ingest opens no seals", async () => {
    const handle = handlerOf({ a: plain })
    for (let count = 1; count <= 2; count++) {
      const [upload] = await ask(handle)
      expect(await open(upload!.url)).toBeUndefined()
      expect(ingest.registrations).toHaveLength(count)
    }
  })

  test("then carries its registration in its URLs, the same in all of them, and asks nobody", async () => {
    const handle = await warm()
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    const headers = { "content-type": "application/json", traceparent, tracestate: "v=1" }
    const uploads = await ask(handle, [png, { ...png, name: "b.png" }], { headers })
    const opened = await Promise.all(uploads.map(({ url }) => open(url)))
    expect(opened[0]).toEqual({ metadata, callbackUrl: appUrl, traceparent, tracestate: "v=1" })
    expect(new Set(await Promise.all(uploads.map(async ({ url }) => (await grantOf(url)).seal))).size).toBe(1)
    expect(ingest.registrations).toEqual([])
    // Nobody who has the URL can read it.
    const { seal } = await grantOf(uploads[0]!.url)
    expect(uploads[0]!.url).not.toMatch(/userId|app\.test/)
    expect(Buffer.from(seal!, "base64url").toString("latin1")).not.toMatch(/userId|app\.test/)
  })

  test("says so where its route does not wait for server data", async () => {
    const route = f({ image: {} }, { awaitServerData: false }).onUploadComplete(() => 1)
    const [upload] = await ask(await warm(route))
    expect(await open(upload!.url)).toMatchObject({ awaitServerData: false })
  })

  test("is answered while the ingest is away", async () => {
    const handle = await warm()
    ingest.answerRegistration(networkError, networkError, networkError)
    expect(await open((await ask(handle))[0]!.url)).toMatchObject({ metadata })
  })

  test("has another seal each time, and the first URL's time outside of it", async () => {
    const handle = await warm()
    const grants = await Promise.all([await ask(handle), await ask(handle)].map(([upload]) => grantOf(upload!.url)))
    expect(grants[0]!.seal).not.toBe(grants[1]!.seal)
    expect(grants[0]!.issuedAt).toBe(Date.now())
  })

  test.each<[string, FileRouter[string], Parameters<typeof handlerOf>[1]]>([
    [
      "its keys come from the route's seed",
      f({ image: { maxFileCount: 1000 } }, { fileKeySeed: ({ name }) => name }).onUploadComplete(() => 1),
      {},
    ],
    [
      "a key comes from .file()",
      f(image)
        .file(({ file }) => (file.name === "seed.png" ? { keySeed: "s" } : {}))
        .onUploadComplete(() => 1),
      {},
    ],
  ])("is registered by a request where %s: such a key may come back after a deletion", async (_, route, options) => {
    const handle = await warm(route, options)
    const [upload] = await ask(handle, [{ ...png, name: "seed.png" }])
    expect(await open(upload!.url)).toBeUndefined()
    expect(ingest.registrations).toHaveLength(1)
  })

  test("is registered by a request where a URL would be longer than servers on the way take", async () => {
    const big = f(image)
      .middleware(() => ({ text: "x".repeat(1100) }))
      .onUploadComplete(() => 1)
    const handle = await warm(big)
    const [short] = await ask(handle)
    expect(short!.url.length).toBeLessThanOrEqual(2048)
    expect(await open(short!.url)).toBeDefined()
    // A name of another script takes nine characters a letter, and one long URL is enough for all.
    const uploads = await ask(handle, [png, { ...png, name: `${"写".repeat(40)}.png` }])
    expect(await Promise.all(uploads.map(({ url }) => open(url)))).toEqual([undefined, undefined])
    expect(ingest.registrations).toHaveLength(1)
  })

  test("is registered by a request where its seals together would be longer than the rest", async () => {
    const handle = await warm()
    const many = Array.from({ length: 600 }, (_, index) => ({ ...png, name: `${index}.png` }))
    expect(await open((await ask(handle, many.slice(0, 100)))[0]!.url)).toBeDefined()
    expect(await open((await ask(handle, many))[0]!.url)).toBeUndefined()
    expect(ingest.registrations).toHaveLength(1)
  })

  test("is registered beside its answer every minute, so that the app hears what the ingest warns of", async () => {
    const handle = await warm()
    vi.advanceTimersByTime(60_001)
    ingest.answerRegistration(() => {
      const answer = opens()
      answer.headers.set("x-sluice-warning", "Your clock is slow.")
      return answer
    })
    const uploads = [...(await ask(handle)), ...(await ask(handle))]
    for (const { url } of uploads) expect(await open(url)).toBeDefined()
    await vi.waitFor(() => expect(linesWith("warn", "Your clock is slow.")).toHaveLength(1))
    expect(ingest.registrations).toHaveLength(1)
    expect(JSON.parse(ingest.registrations[0]!.text)).toMatchObject({ fileKeys: [uploads[0]!.key], metadata })
  })

  test("is registered by requests again once the ingest no longer opens seals", async () => {
    const handle = await warm()
    vi.advanceTimersByTime(60_001)
    await ask(handle)
    await vi.waitFor(() => expect(ingest.registrations).toHaveLength(1))
    await vi.waitFor(async () => expect(await open((await ask(handle))[0]!.url)).toBeUndefined())
  })
})

describe("an app that seals", () => {
  const minute = 60_001

  test.each([
    ["its token is no longer one", { code: "UNAUTHORIZED" }, 401],
    ["its callbacks may no longer go there", { code: "FORBIDDEN", data: { callbackOrigin: "http://x" } }, 403],
    ["its clock is wrong", { code: "FORBIDDEN", data: { clockSkew: 9e9 } }, 403],
  ])("says so to callers, and not only in its log, when %s, until that is mended", async (_, problem, status) => {
    const handle = await warm()
    vi.advanceTimersByTime(minute)
    const refuse = () => json(problem, status)
    ingest.answerRegistration(refuse, refuse)
    // The one that finds out is answered already.
    expect(await open((await ask(handle))[0]!.url)).toBeDefined()
    await vi.waitFor(() => expect(ingest.registrations).toHaveLength(1))
    await vi.waitFor(async () => {
      const answer = await handle(uploadRequest("a", { files: [png] }))
      expect([answer.status, (await answer.json()).code]).toEqual([
        500,
        expect.stringMatching(/^INVALID_(TOKEN|CONFIG)$/),
      ])
    })
    ingest.answerRegistration(opens)
    expect(await open((await ask(handle))[0]!.url)).toBeUndefined()
    expect(await open((await ask(handle))[0]!.url)).toBeDefined()
  })

  test("notices within a minute, though its time of day was set back meanwhile", async () => {
    const handle = await warm()
    vi.advanceTimersByTime(minute)
    vi.setSystemTime(Date.now() - 2 * 60 * 60_000)
    await ask(handle)
    await vi.waitFor(() => expect(ingest.registrations).toHaveLength(1))
  })

  test("waits for its registration after ten quiet minutes: the ingest may be another one", async () => {
    const handle = await warm()
    vi.advanceTimersByTime(10 * minute)
    ingest.answerRegistration(json)
    expect(await open((await ask(handle))[0]!.url)).toBeUndefined()
    expect(ingest.registrations).toHaveLength(1)
  })

  test("takes an ingest that is away after them to be the same, and asks once", async () => {
    const handle = await warm()
    vi.advanceTimersByTime(10 * minute)
    ingest.answerRegistration(networkError, networkError, networkError)
    const uploads = [ask(handle), ask(handle)]
    for (const [upload] of await Promise.all(uploads)) expect(await open(upload!.url)).toBeDefined()
    const asked = ingest.registrations.map(({ text }) => (JSON.parse(text) as { id: string }).id)
    expect(new Set(asked).size).toBe(1)
  })
})

describe("the renewal of a URL with a seal", () => {
  const seen: Array<unknown> = []
  const route = f(image)
    .middleware(({ renewal }) => {
      seen.push(renewal)
      if (renewal !== undefined && seen.length > 50) throw new UploadError("Signed out meanwhile")
      return metadata
    })
    .onUploadComplete(() => 1)

  test("keeps the seal as it is, shows the middleware what it holds, and asks nobody", async () => {
    const handle = await warm(route)
    const [first] = await ask(handle)
    seen.length = 0
    vi.setSystemTime(Date.now() + 30 * 60_000)
    const [renewed] = await presigned(await handle(renewRequest("a", { urls: [first!.url] })))
    const [before, after] = [await grantOf(first!.url), await grantOf(renewed!.url)]
    expect(after).toEqual({ ...before, expires: before.expires + 30 * 60_000 })
    expect(seen).toEqual([[{ key: first!.key, metadata }]])
    expect([ingest.queries, ingest.registrations]).toEqual([[], []])
  })

  test("beside one without asks for that one alone, and each keeps its own metadata", async () => {
    const handle = handlerOf({ a: route })
    ingest.answerRegistration(opens)
    const [plainOne] = await ask(handle)
    const [sealedOne] = await ask(handle)
    ingest.registrations.length = 0
    seen.length = 0
    ingest.answerQuery(() => json({ registrations: [{ metadata: "asked" }], files: [0] }))
    const renewed = await presigned(await handle(renewRequest("a", { urls: [sealedOne!.url, plainOne!.url] })))
    expect(renewed.map(({ key }) => key)).toEqual([sealedOne!.key, plainOne!.key])
    expect(seen).toEqual([
      [
        { key: sealedOne!.key, metadata },
        { key: plainOne!.key, metadata: "asked" },
      ],
    ])
    expect(ingest.queries.map(({ text }) => JSON.parse(text).files.length)).toEqual([1])
    expect(ingest.registrations.map(({ text }) => JSON.parse(text))).toMatchObject([
      { fileKeys: [plainOne!.key], metadata: "asked" },
    ])
  })

  test("is refused for a URL whose seal was moved to it, which only a holder of the key can do", async () => {
    const handle = await warm(route)
    const [one] = await ask(handle)
    const other = one!.url.replace(/&x-sluice-seal=[\w-]+/, `&x-sluice-seal=${"A".repeat(80)}`)
    await refused(await handle(renewRequest("a", { urls: [other] })), "INVALID_SIGNATURE", 403)
  })
})
