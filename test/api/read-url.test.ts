import fc from "fast-check"
import { afterEach, describe, expect, test, vi } from "vitest"
import { SluiceApi, SluiceFile } from "../../src/api.ts"
import { appId, encodedAppId, randomContent, startIngest, token } from "../ingest/circle.ts"

afterEach(() => vi.useRealTimers())

const start = async (options: Parameters<typeof startIngest>[0] = { defaultAcl: "private" }) => {
  const ingest = await startIngest(options)
  return { ingest, api: new SluiceApi({ token, ingestUrl: ingest.url }) }
}

const at = async (url: string): Promise<{ status: number; text: string }> => {
  const response = await fetch(url)
  return { status: response.status, text: await response.text() }
}

describe("generateSignedURL", () => {
  test("reads a private file, as it is and not otherwise", async () => {
    const { api, ingest } = await start()
    const { data } = await api.uploadFiles(new File(["secret"], "plan.txt"))
    const { data: other } = await api.uploadFiles(new File(["other"], "other.txt"))
    expect((await at(data!.url)).status).toBe(403)
    const url = await api.generateSignedURL(data!.key)
    expect(url).toMatch(
      new RegExp(`^${ingest.url}/f/${data!.key}\\?expires=\\d{13}&signature=hmac-sha256%3D[0-9a-f]{64}$`),
    )
    expect(await at(url)).toEqual({ status: 200, text: "secret" })
    const expires = new URL(url).searchParams.get("expires")!
    const tampered = [
      url.replace(data!.key, other!.key),
      url.replace(expires, String(Number(expires) + 1)),
      url.replace(/.$/, (c) => (c === "0" ? "1" : "0")),
      url.replace(/&signature.*/, ""),
    ]
    for (const wrong of tampered) expect((await at(wrong)).status, wrong).toBe(403)
  })

  test("has browsers save the file, under another name where it says one", async () => {
    const { api } = await start()
    const { data } = await api.uploadFiles(new File(["secret"], "plan.txt"))
    const offeredBy = async (download: boolean | string | undefined) => {
      const urls = [
        await api.generateSignedURL(data!.key, { download }),
        await api.getSignedURL(data!.key, { download }),
      ]
      return Promise.all(urls.map(async (url) => (await fetch(url)).headers.get("content-disposition")))
    }
    const twice = (text: string) => [text, text]
    expect(await offeredBy(undefined)).toEqual(twice("inline; filename=plan.txt"))
    expect(await offeredBy(false)).toEqual(twice("inline; filename=plan.txt"))
    expect(await offeredBy(true)).toEqual(twice("attachment; filename=plan.txt"))
    expect(await offeredBy("Plan (final) & co.txt")).toEqual(twice('attachment; filename="Plan (final) & co.txt"'))
    expect(await offeredBy('"ä"; filename=x.exe')).toEqual(
      twice(`attachment; filename="\\"?\\"; filename=x.exe"; filename*=UTF-8''%22%C3%A4%22%3B%20filename%3Dx.exe`),
    )
  })

  test.each(["", "a\0", "\ud800", "x".repeat(1025), 1, null])(
    "refuses %j as a name to save under",
    async (download) => {
      const api = new SluiceApi({ token, ingestUrl: "http://127.0.0.1:2" })
      const given = { download: download as string }
      for (const asked of [
        api.generateSignedURL("a", { ...given, keyType: "customId" }),
        api.getSignedURL("a", given),
      ]) {
        await expect(asked).rejects.toMatchObject({ code: "BAD_REQUEST", detail: expect.stringMatching(/^download/) })
      }
    },
  )

  test("reads by custom id, the newest file that has it", async () => {
    const { api, ingest } = await start()
    const customId = "users/7 & co?/ä#%2F.txt"
    await api.uploadFiles(new SluiceFile(["old"], "a.txt", { customId }))
    await api.uploadFiles(new SluiceFile(["new"], "b.txt", { customId }))
    const url = await api.generateSignedURL(customId, { keyType: "customId" })
    expect(url.startsWith(`${ingest.url}/a/${appId}/users%2F7%20%26%20co`)).toBe(true)
    expect(await at(url)).toEqual({ status: 200, text: "new" })
    expect((await at(url.replace("users", "Users"))).status).not.toBe(200)
  })

  test("any custom id there can be reads its file", async () => {
    const { api } = await start()
    const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 100 })
    await fc.assert(
      fc.asyncProperty(text, async (customId) => {
        fc.pre(customId !== "." && customId !== ".." && customId.isWellFormed())
        const content = randomContent(8)
        const { error } = await api.uploadFiles(new SluiceFile([content], "x", { customId }))
        expect(error).toBeNull()
        const response = await fetch(await api.generateSignedURL(customId, { keyType: "customId" }))
        expect([response.status, new Uint8Array(await response.arrayBuffer())]).toEqual([200, content])
      }),
      { numRuns: 60 },
    )
  })

  test("is valid for an hour, or as long as it is told", async () => {
    const { api } = await start()
    const key = `${encodedAppId}x`
    vi.useFakeTimers({ now: 1_700_000_000_000, toFake: ["Date"] })
    const expiry = async (expiresIn?: number | "2 hours" | "7 days") =>
      Number(new URL(await api.generateSignedURL(key, { expiresIn })).searchParams.get("expires")) - 1_700_000_000_000
    expect(await expiry()).toBe(3_600_000)
    expect(await expiry(90)).toBe(90_000)
    expect(await expiry("2 hours")).toBe(7_200_000)
    expect(await expiry("7 days")).toBe(604_800_000)
  })

  test("reads no more once it has expired", async () => {
    const { api } = await start()
    const { data } = await api.uploadFiles(new File(["secret"], "plan.txt"))
    vi.useFakeTimers({ now: Date.now() - 61_000, toFake: ["Date"] })
    const url = await api.generateSignedURL(data!.key, { expiresIn: 60 })
    vi.useRealTimers()
    expect(await (await fetch(url)).json()).toMatchObject({ code: "EXPIRED_URL" })
  })

  test.each<[string, string, object, RegExp]>([
    ["a key of another app", "someotherapp12abc", {}, /not a file key of this app.*keyType: "customId"/],
    ["a custom id taken for a key", "users/7", {}, /not a file key of this app/],
    ["a key with a path in it", `${encodedAppId}/../x`, {}, /not a file key/],
    ["the bare prefix", encodedAppId, {}, /not a file key/],
    ["an empty custom id", "", { keyType: "customId" }, /No URL can name/],
    ["a custom id that is a step of a path", "..", { keyType: "customId" }, /No URL can name/],
    ["more than 7 days", `${encodedAppId}x`, { expiresIn: "8 days" }, /1 second to 7 days/],
    ["no time", `${encodedAppId}x`, { expiresIn: 0 }, /not a duration/],
  ])("refuses %s", async (_, key, options, message) => {
    const api = new SluiceApi({ token, ingestUrl: "http://127.0.0.1:4" })
    const wrong = api.generateSignedURL(key, options)
    await expect(wrong).rejects.toMatchObject({ code: "BAD_REQUEST", message: expect.stringMatching(message) })
  })

  test("makes no request", async () => {
    const api = new SluiceApi({
      token,
      ingestUrl: "http://ingest.test",
      fetch: () => {
        throw new Error("asked")
      },
    })
    expect(await api.generateSignedURL(`${encodedAppId}x`)).toContain("http://ingest.test/f/")
  })
})
