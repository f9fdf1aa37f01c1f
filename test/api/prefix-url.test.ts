import { describe, expect, test } from "vitest"
import { SluiceApi } from "../../src/api.ts"
import { createSealer } from "../../src/protocol/signing/seal.ts"
import { apiKey, appId, token } from "../ingest/circle.ts"

const ingestUrl = "https://files.example/below"
const api = new SluiceApi({
  token,
  ingestUrl: `${ingestUrl}/`,
  fetch: () => {
    throw new Error("asked")
  },
})

const open = async (url: string) => {
  const [, sealed = ""] = /\/p\/app-1\/([\w-]+)\/$/.exec(url) ?? []
  return JSON.parse((await createSealer(apiKey).open(sealed, { appId, ingestUrl }))!)
}

describe("generateSignedPrefixURL", () => {
  test("seals what it reads and until when, without a request", async () => {
    const before = Date.now()
    const url = await api.generateSignedPrefixURL("users/7/gallery/", { owner: "user-7", expiresIn: "2 hours" })
    expect(url).toMatch(/^https:\/\/files\.example\/below\/p\/app-1\/[\w-]+\/$/)
    const { expires, ...grant } = await open(url)
    expect(grant).toEqual({ prefix: "users/7/gallery/", owner: "user-7" })
    expect(expires - before - 7_200_000).toBeGreaterThanOrEqual(0)
    expect(expires - Date.now() - 7_200_000).toBeLessThanOrEqual(0)
  })

  test("is valid for an hour where nothing is said", async () => {
    const { expires, ...grant } = await open(await api.generateSignedPrefixURL("v/"))
    expect(grant).toEqual({ prefix: "v/" })
    expect(Math.abs(expires - Date.now() - 3_600_000)).toBeLessThan(60_000)
  })

  test.each<[what: string, prefix: unknown, message: RegExp]>([
    ["one without a slash at its end, which would open its neighbours", "users/7", /Write "users\/7\/", if you mean/],
    ["an empty one", "", /"\/" at its end\.$/],
    ["the root", "/", /relative path/],
    ["one that begins with a slash", "/users/7/", /relative path/],
    ["one with an empty segment", "users//", /relative path/],
    ["one with a step up", "users/../", /relative path/],
    ["one with a backslash", "users\\7/", /without backslashes/],
    ["one that is too long", `${"a".repeat(1024)}/`, /at most 1024 bytes/],
    ["one of too many segments", "a/".repeat(65), /at most 64 segments/],
    ["none", undefined, /"\/" at its end/],
  ])("refuses %s", async (_, prefix, message) => {
    const wrong = api.generateSignedPrefixURL(prefix as string)
    await expect(wrong).rejects.toMatchObject({ code: "BAD_REQUEST", message: expect.stringMatching(message) })
  })

  test.each<[what: string, options: object, code: string, message: RegExp]>([
    ["an owner that was lost on the way", { owner: undefined }, "INVALID_CONFIG", /owner is undefined/],
    ["an empty owner", { owner: "" }, "BAD_REQUEST", /an owner of 1 to 256 bytes/],
    ["more than 7 days", { expiresIn: "8 days" }, "BAD_REQUEST", /1 second to 7 days/],
    ["no time", { expiresIn: 0 }, "BAD_REQUEST", /not a duration/],
    ["an option that it has not", { keyType: "customId" }, "INVALID_CONFIG", /keyType/],
  ])("refuses %s", async (_, options, code, message) => {
    const wrong = api.generateSignedPrefixURL("v/", options)
    await expect(wrong).rejects.toMatchObject({ code, message: expect.stringMatching(message) })
  })
})
