import { HttpResponse } from "msw"
import { describe, expect, test } from "vitest"
import { SluiceApi, UploadError } from "../../src/api.ts"
import { operations as called } from "../../src/api/operations.ts"
import { operations as offered } from "../../src/ingest/rest/operations.ts"
import { apiKey, encodedAppId, ingestUrl, token } from "../route/app-token.ts"
import { useConsoleLines } from "../route/console-lines.ts"
import { useQuickTimers } from "../route/quick-timers.ts"
import { networkError, problem, useMockRest } from "./mock-rest.ts"

const { pauses } = useQuickTimers()
const rest = useMockRest()
const { linesWith, lines } = useConsoleLines()

const api = new SluiceApi({ token })
const a = `${encodedAppId}a`
const b = `${encodedAppId}b`

test("the server API calls every operation of the ingest", () => {
  const names = new Set(Object.values(called).map(({ name }) => name))
  expect([...names].toSorted()).toEqual([...offered.keys()].toSorted())
})

describe("what is asked", () => {
  test.each<[string, (api: SluiceApi) => Promise<unknown>, string, unknown, unknown]>([
    ["one key", (api) => api.deleteFiles(a), "deleteFiles", { fileKeys: [a] }, { success: true, deletedCount: 1 }],
    ["keys", (api) => api.deleteFiles([a, b]), "deleteFiles", { fileKeys: [a, b] }, { success: true, deletedCount: 2 }],
    [
      "custom ids",
      (api) => api.deleteFiles(["7", "8"], { keyType: "customId" }),
      "deleteFiles",
      { customIds: ["7", "8"] },
      { success: true, deletedCount: 2 },
    ],
    [
      "one new name",
      (api) => api.renameFiles({ fileKey: a, newName: "x.txt" }),
      "renameFiles",
      { updates: [{ fileKey: a, newName: "x.txt" }] },
      { success: true, renamedCount: 1 },
    ],
    [
      "new names, by all there is",
      (api) =>
        api.renameFiles([
          { key: a, newName: "x.txt" },
          { customId: "7", newName: "y.txt" },
        ]),
      "renameFiles",
      {
        updates: [
          { fileKey: a, newName: "x.txt" },
          { customId: "7", newName: "y.txt" },
        ],
      },
      { success: true, renamedCount: 2 },
    ],
    [
      "an ACL",
      (api) => api.updateACL([a, b], "private"),
      "updateACL",
      {
        updates: [
          { fileKey: a, acl: "private" },
          { fileKey: b, acl: "private" },
        ],
      },
      { success: true, updatedCount: 2 },
    ],
    [
      "an ACL by custom id",
      (api) => api.updateACL("7", "public-read", { keyType: "customId" }),
      "updateACL",
      { updates: [{ customId: "7", acl: "public-read" }] },
      { success: true, updatedCount: 1 },
    ],
    ["usage", (api) => api.getUsageInfo(), "getUsageInfo", {}, { totalBytes: 5, filesUploaded: 1, limitBytes: null }],
    [
      "a signed URL",
      (api) => api.getSignedURL(a),
      "requestFileAccess",
      { fileKey: a },
      `${ingestUrl}/f/key?expires=1&signature=hmac-sha256%3D00`,
    ],
    [
      "a signed URL by custom id, for some time",
      (api) => api.getSignedURL("7", { keyType: "customId", expiresIn: "2 hours" }),
      "requestFileAccess",
      { customId: "7", expiresIn: 7200 },
      `${ingestUrl}/f/key?expires=1&signature=hmac-sha256%3D00`,
    ],
  ])("%s", async (_, act, operation, body, value) => {
    expect(await act(api)).toEqual(value)
    expect(rest.calls).toMatchObject([{ operation, body }])
    expect(rest.calls[0]!.body).toEqual(body)
    expect(rest.calls[0]!.headers.get("x-sluice-api-key")).toBe(apiKey)
    expect(rest.calls[0]!.headers.get("content-type")).toBe("application/json")
  })

  test("defaultKeyType says what a bare key is, and a call may say otherwise", async () => {
    const byId = new SluiceApi({ token, defaultKeyType: "customId" })
    await byId.deleteFiles("7")
    await byId.renameFiles({ key: "7", newName: "x" })
    await byId.updateACL("7", "private")
    await byId.getSignedURL("7")
    await byId.deleteFiles(a, { keyType: "fileKey" })
    expect(rest.calls.map(({ body }) => body)).toEqual([
      { customIds: ["7"] },
      { updates: [{ customId: "7", newName: "x" }] },
      { updates: [{ customId: "7", acl: "private" }] },
      { customId: "7" },
      { fileKeys: [a] },
    ])
  })

  test("more than 1,000 files are several calls, whose counts are added", async () => {
    const keys = Array.from({ length: 2001 }, (_, i) => `${encodedAppId}${i}`)
    expect(await api.deleteFiles(keys)).toEqual({ success: true, deletedCount: 2001 })
    expect(await api.updateACL(keys, "private")).toEqual({ success: true, updatedCount: 2001 })
    const renames = keys.map((fileKey) => ({ fileKey, newName: "x" }))
    expect(await api.renameFiles(renames)).toEqual({ success: true, renamedCount: 2001 })
    const sizes = rest.calls.map(({ body }) => Object.values(body as Record<string, Array<unknown>>)[0]!.length)
    expect(sizes).toEqual([1000, 1000, 1, 1000, 1000, 1, 1000, 1000, 1])
    expect(rest.calls.slice(0, 3).flatMap(({ body }) => (body as { fileKeys: Array<string> }).fileKeys)).toEqual(keys)
  })

  test("no files are no call", async () => {
    expect(await api.deleteFiles([])).toEqual({ success: true, deletedCount: 0, deletedKeys: [] })
    expect(await api.renameFiles([])).toEqual({ success: true, renamedCount: 0 })
    expect(await api.updateACL([], "private")).toEqual({ success: true, updatedCount: 0 })
    expect(rest.calls).toEqual([])
  })

  test.each([0, -1, "soon", "8 days", 604_801])(
    "expiresIn %s is refused before anything is asked",
    async (expiresIn) => {
      const call = api.getSignedURL(a, { expiresIn: expiresIn as number })
      await expect(call).rejects.toMatchObject({ code: "BAD_REQUEST", message: expect.stringContaining("expiresIn") })
      expect(rest.calls).toEqual([])
    },
  )

  test.each([0, -1, "soon", undefined, "101 years"])("and so is that of updateFiles: %s", async (expiresIn) => {
    const call = api.updateFiles(a, { expiresIn: expiresIn as number })
    await expect(call).rejects.toMatchObject({ code: "BAD_REQUEST", message: expect.stringContaining("expiresIn") })
    expect(rest.calls).toEqual([])
  })
})

describe("what comes back", () => {
  test("a problem document is an UploadError with its code and detail, at once", async () => {
    rest.answer(() => problem(401, "UNAUTHORIZED", "The API key is not one of this ingest's."))
    const error: unknown = await api.getUsageInfo().catch((error: unknown) => error)
    expect(error).toBeInstanceOf(UploadError)
    expect(error).toMatchObject({
      code: "UNAUTHORIZED",
      status: 401,
      // Which token, and of which ingest: never the key itself.
      detail: expect.stringMatching(
        /^The ingest at http:\/\/ingest\S+ does not accept the token of app ".+" \(its key is key_[0-9a-f]{12}\)\. Check SLUICE_TOKEN/,
      ),
    })
    expect(String(error)).not.toContain("sk_")
    expect(rest.calls).toHaveLength(1)
  })

  test("a long problem document is read to its end", async () => {
    rest.answer(() => problem(400, "BAD_REQUEST", "x".repeat(5000)))
    await expect(api.getUsageInfo()).rejects.toMatchObject({ code: "BAD_REQUEST", detail: "x".repeat(4096) })
  })

  test("404 of the ingest is NOT_FOUND", async () => {
    rest.answer(() => problem(404, "NOT_FOUND", "There is no such file."))
    await expect(api.getSignedURL(a)).rejects.toMatchObject({ code: "NOT_FOUND", detail: "There is no such file." })
  })

  test.each<[string, () => Response]>([
    ["a login page", () => HttpResponse.html("<h1>Log in</h1>")],
    ["a redirect to one", () => new Response(null, { status: 302, headers: { location: "https://login.test/" } })],
    ["another server's 404", () => HttpResponse.html("<h1>Not found</h1>", { status: 404 })],
    ["another server's 405", () => new Response(null, { status: 405 })],
    ["JSON of another API", () => Response.json({ users: 7 })],
    ["a value out of bounds", () => Response.json({ totalBytes: -5, filesUploaded: 1, limitBytes: null })],
  ])("%s is INVALID_CONFIG, which names the URL", async (_, answer) => {
    rest.answer(answer)
    await expect(api.getUsageInfo()).rejects.toMatchObject({
      code: "INVALID_CONFIG",
      message: expect.stringMatching(/http:\/\/ingest\.test is not a Sluice ingest.*Check the token's ingestUrl/),
    })
    expect(rest.calls).toHaveLength(1)
  })
})

describe("trying again", () => {
  test.each<[string, () => Response]>([
    ["a network error", networkError],
    ["429", () => problem(429, "RATE_LIMITED")],
    ["500", () => problem(500, "INTERNAL_ERROR")],
    ["502 of a proxy", () => HttpResponse.html("<h1>Bad gateway</h1>", { status: 502 })],
    ["503", () => problem(503, "INGEST_UNAVAILABLE")],
  ])("after %s", async (_, answer) => {
    rest.answer(answer, answer)
    expect(await api.deleteFiles(a)).toEqual({ success: true, deletedCount: 1 })
    expect(rest.calls.map(({ body }) => body)).toEqual([{ fileKeys: [a] }, { fileKeys: [a] }, { fileKeys: [a] }])
    expect(pauses).toHaveLength(2)
    expect(linesWith("warn", "Calling the ingest again", "deleteFiles")).toHaveLength(2)
  })

  test("not for ever", async () => {
    rest.answer(...Array.from({ length: 9 }, () => () => problem(503, "INGEST_UNAVAILABLE", "It restarts.")))
    await expect(api.getUsageInfo()).rejects.toMatchObject({ code: "INGEST_UNAVAILABLE", detail: "It restarts." })
    expect(rest.calls).toHaveLength(4)
  })

  test("an ingest that cannot be reached is named", async () => {
    rest.answer(...Array.from({ length: 9 }, () => networkError))
    const message = expect.stringContaining("http://ingest.test cannot be reached")
    await expect(api.getUsageInfo()).rejects.toMatchObject({ code: "NETWORK_ERROR", message })
  })

  test("as late as the ingest asks for", async () => {
    rest.answer(() => problem(429, "RATE_LIMITED", "Later.", { "retry-after": "7" }))
    await api.getUsageInfo()
    expect(pauses).toEqual([7000])
  })
})

describe("stopping", () => {
  test("before and during a call is ABORTED", async () => {
    const before = api.getUsageInfo({ signal: AbortSignal.abort("enough") })
    await expect(before).rejects.toMatchObject({ code: "ABORTED", cause: "enough" })
    expect(rest.calls).toEqual([])
    const controller = new AbortController()
    rest.answer(async () => {
      controller.abort()
      await new Promise((resolve) => setTimeout(resolve, 20))
      return Response.json({})
    })
    await expect(api.deleteFiles(a, { signal: controller.signal })).rejects.toMatchObject({ code: "ABORTED" })
    expect(rest.calls).toHaveLength(1)
  })
})

describe("the log", () => {
  test("has a line for each call when it is asked for, and none otherwise", async () => {
    await api.getUsageInfo()
    expect(lines).toEqual([])
    await new SluiceApi({ token, logLevel: "Debug", logFormat: "text" }).getSignedURL(a)
    expect(linesWith("debug", "requestFileAccess", "status=200")).toHaveLength(1)
  })
})

test("a member that moveFiles or renameFiles does not know is named, and nothing is asked", async () => {
  const before = rest.calls.length
  const moves = [
    () => api.moveFiles({ key: "a", path: "b", owner: "blue" } as never),
    () => api.moveFiles({ fileKey: "a", path: "b" } as never),
    () => api.renameFiles({ key: "a", newName: "b", owner: "blue" } as never),
  ]
  for (const [at, call] of moves.entries()) {
    await expect(call()).rejects.toMatchObject({
      code: "INVALID_CONFIG",
      detail: expect.stringContaining(at === 1 ? "fileKey" : "owner"),
    })
  }
  expect(rest.calls.length).toBe(before)
})
