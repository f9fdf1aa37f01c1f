import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { generateUploader } from "../../src/client.ts"
import { names, parseUploadUrl, type PresignedUpload } from "../../src/protocol.ts"
import {
  apiKey,
  appId,
  createGrant,
  eventually,
  offsetOf,
  putRaw,
  register,
  sign,
  startIngest,
} from "../ingest/circle.ts"
import { presignedOf } from "./post-action.ts"
import { bodyOf, startSharedApp } from "./two-users.ts"

const content = "bytes of alice"
const hour = 3_600_000
const day = 24 * hour

const first = async (response: Response): Promise<PresignedUpload> => (await presignedOf(response))[0]!

const grantOf = (url: string) => {
  const grant = parseUploadUrl(url)
  if (!grant.ok) throw new Error(grant.detail)
  return grant.value
}

const expiryOf = (url: string): number => grantOf(url).expires

describe("renewal", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }))
  afterEach(() => void vi.useRealTimers())
  const pass = (ms: number) => void vi.setSystemTime(Date.now() + ms)

  test("asks the route whose upload it is: another user's URL is not renewed, one's own is", async () => {
    const app = await startSharedApp()
    const alice = await app.presign("alice", content)
    await putRaw(alice.url, content.slice(0, 6))
    expect(await bodyOf(await app.renew("bob", alice.url))).toMatchObject({ status: 403, code: "FORBIDDEN" })
    const own = await app.presign("bob", "x", "b.txt")
    const mixed = await bodyOf(await app.renew("bob", own.url, alice.url))
    expect(mixed).toMatchObject({ status: 403, code: "FORBIDDEN" })
    const renewed = await first(await app.renew("alice", alice.url))
    expect(await offsetOf(renewed.url)).toBe(6)
    const done = await putRaw(renewed.url, content.slice(6), 6)
    expect(await done.json()).toMatchObject({ serverData: { secret: "secret of alice" } })
    expect(await bodyOf(await app.renew("bob", alice.url))).toMatchObject({ status: 403, code: "FORBIDDEN" })
  })

  test("of renewals ends seven days after the first URL was issued, and no URL is valid beyond", async () => {
    const app = await startSharedApp({ unfinishedTtl: day }, { presignedUrlTtl: "2 days" })
    let { url } = await app.presign("alice", content)
    const end = Date.now() + 7 * day
    await putRaw(url, content.slice(0, 6))
    for (let days = 1; days < 7; days++) {
      pass(day)
      ;({ url } = await first(await app.renew("alice", url)))
      expect(expiryOf(url)).toBeLessThanOrEqual(end)
      expect(await offsetOf(url)).toBe(6)
    }
    vi.setSystemTime(end - 1000)
    expect(await offsetOf(url)).toBe(6)
    vi.setSystemTime(end)
    expect(await bodyOf(await app.renew("alice", url))).toMatchObject({ status: 403, code: "EXPIRED_URL" })
    expect((await putRaw(url, content.slice(6), 6)).status).toBe(403)
  })

  test("keeps an upload that goes on, however short the operator keeps unfinished ones", async () => {
    const app = await startSharedApp({ unfinishedTtl: 1, sweepInterval: 5 }, { presignedUrlTtl: "10 minutes" })
    const alice = await app.presign("alice", content)
    const other = await app.presign("alice", content, "b.txt")
    await putRaw(alice.url, content.slice(0, 6))
    await putRaw(other.url, content.slice(0, 6))
    pass(9 * 60_000)
    // Nobody has sent a byte with the new URL when the old one is over.
    const renewed = await first(await app.renew("alice", alice.url))
    await eventually(async () => (await app.ingest.catalog.get(alice.key))!.file.expires === expiryOf(renewed.url))
    pass(9 * 60_000)
    await eventually(async () => (await app.ingest.catalog.get(other.key))!.file.status === "Failed")
    expect(await offsetOf(renewed.url)).toBe(6)
    const done = await putRaw(renewed.url, content.slice(6), 6)
    expect(await done.json()).toMatchObject({ serverData: { secret: "secret of alice" } })
  })

  test("of what the ingest has ended is refused, and nothing is registered for it", async () => {
    const app = await startSharedApp({ unfinishedTtl: 1, sweepInterval: 5 }, { presignedUrlTtl: "10 minutes" })
    const [expired, deleted] = [await app.presign("alice", content), await app.presign("alice", content, "b.txt")]
    await putRaw(expired.url, content.slice(0, 6))
    await putRaw(deleted.url, content)
    const deletion = await fetch(`${app.ingest.url}/v6/deleteFiles`, {
      method: "POST",
      headers: { "content-type": "application/json", [names.header.apiKey]: apiKey },
      body: JSON.stringify({ fileKeys: [deleted.key] }),
    })
    expect(deletion.status).toBe(200)
    pass(11 * 60_000)
    await eventually(async () => (await app.ingest.catalog.get(expired.key))?.file.status === "Failed")
    for (const { url, key } of [expired, deleted]) {
      const refused = await bodyOf(await app.renew("alice", url))
      expect(refused).toMatchObject({ status: 404, code: "NOT_FOUND" })
      expect(refused.text).toMatch(/Begin a new upload/)
      const id = grantOf(url).registrationId
      expect(await app.ingest.catalog.findRegistration({ appId, key, id })).toBeNull()
    }
  })

  test("that is refused for good ends the browser's upload with what to do, without asking again and again", async () => {
    const app = await startSharedApp({ unfinishedTtl: 1, sweepInterval: 5 }, { presignedUrlTtl: "10 minutes" })
    const asked: Array<string> = []
    // Time passes after the first registration has arrived, not while it is under way.
    let registration: Promise<unknown> | undefined
    app.passRegistrations((send) => {
      const sent = send()
      registration = sent
      return sent
    })
    const { createUpload } = generateUploader<typeof app.router>({
      url: app.url,
      retry: { delay: 1 },
      headers: { "x-user": "alice" },
      fetch: async (input, init) => {
        asked.push(`${init?.method} ${/renew|upload/.exec(input)?.[0] ?? ""}`.trim())
        const response = await fetch(input, init)
        await registration
        return response
      },
    })
    // As if the laptop had slept between the URL and its first byte.
    const sleep = () => pass(11 * 60_000)
    const fileOf = (name: string) => new File([content], name, { type: "text/plain" })
    const slow = createUpload("shared", { files: [fileOf("a.txt")], onUploadBegin: sleep })
    // What was registered waits as long as its URL can be renewed.
    expect(await slow.done()).toMatchObject([{ status: "done" }])
    expect(asked).toEqual(["POST upload", "PUT", "POST renew", "HEAD", "PUT"])

    // This registration never arrives.
    registration = undefined
    app.passRegistrations(() => new Promise(() => {}))
    asked.length = 0
    const lost = createUpload("shared", { files: [fileOf("lost.txt")], onUploadBegin: sleep })
    expect(await lost.done()).toMatchObject([
      { status: "failed", error: { code: "NOT_FOUND", detail: expect.stringMatching(/Begin a new upload/) as string } },
    ])
    expect(asked).toEqual(["POST upload", "PUT", "POST renew"])
  })

  test("URLs of before are refused once nobody registers them any more: no bytes are taken for nothing", async () => {
    const ingest = await startIngest({ unregisteredTtl: hour })
    const issuedAt = Date.now()
    const grant = createGrant({ slug: "avatar", registrationId: "one", issuedAt, expires: issuedAt + day })
    const url = await sign(ingest.url, grant)
    expect((await putRaw(url, "he")).status).toBe(409)
    expect(await offsetOf(url)).toBe(2)
    pass(hour + 1)
    for (const [body, start] of [
      ["llo", 2],
      ["hello", 0],
    ] as const) {
      const refused = await bodyOf(await putRaw(url, body, start))
      expect(refused).toMatchObject({ status: 404, code: "NOT_FOUND" })
      expect(refused.text).toMatch(/Do not send it again/)
    }
    expect((await fetch(url, { method: "HEAD" })).status).toBe(404)
    // Another one's registration of the same key is none of this one's.
    const app = { fileKeys: [grant.key], callbackUrl: "http://127.0.0.1:4/", awaitServerData: false }
    expect((await register(ingest.url, { ...app, id: "two" })).status).toBe(200)
    expect((await putRaw(url, "llo", 2)).status).toBe(404)
    // A late one of its own is.
    expect((await register(ingest.url, { ...app, id: "one" })).status).toBe(200)
    expect((await putRaw(url, "llo", 2)).status).toBe(200)
  })
})

test("keys of another app and wrong API keys learn nothing about registrations", async () => {
  const ingest = await startIngest()
  const key = createGrant().key
  await register(ingest.url, { id: "one", fileKeys: [key], metadata: { user: "alice" } })
  const ask = (files: unknown, apiKeyOfCaller = apiKey) =>
    fetch(`${ingest.url}/${names.path.registrations}`, {
      method: "POST",
      headers: { "content-type": "application/json", [names.header.apiKey]: apiKeyOfCaller },
      body: JSON.stringify({ files }),
    }).then(bodyOf)
  expect(await ask([{ key, id: "one" }])).toEqual({
    status: 200,
    text: '{"registrations":[{"metadata":{"user":"alice"}}],"files":[0]}',
  })
  for (const [files, status] of [
    [[{ key, id: "two" }], 404],
    [[{ key }], 404],
    [
      [
        { key, id: "one" },
        { key: `${key}x`, id: "one" },
      ],
      404,
    ],
    [[{ key: "another-apps-key", id: "one" }], 403],
    [[{ key, id: "no id at all" }], 400],
    [[], 400],
    [Array(1001).fill({ key, id: "one" }), 400],
    ["all", 400],
  ] as const) {
    const refused = await ask(files)
    expect([JSON.stringify(files).slice(0, 60), refused.status]).toEqual([JSON.stringify(files).slice(0, 60), status])
    expect(refused.text).not.toContain("alice")
  }
  expect(await ask([{ key, id: "one" }], "sk_wrong")).toMatchObject({ status: 401 })
})
