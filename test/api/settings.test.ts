import { afterEach, describe, expect, test, vi } from "vitest"
import { SluiceApi, UploadError } from "../../src/api.ts"
import { apiKey, createToken, encodedAppId, ingestUrl, secrets, token } from "../route/app-token.ts"
import { useConsoleLines } from "../route/console-lines.ts"
import { useMockRest } from "./mock-rest.ts"

const rest = useMockRest([ingestUrl, "http://other.test/base"])
const { linesWith, lines } = useConsoleLines()
afterEach(() => vi.unstubAllEnvs())

const failure = async (api: SluiceApi): Promise<UploadError> => {
  const error: unknown = await api.getUsageInfo().then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!UploadError.is(error)) throw new Error(`No UploadError: ${String(error)}`)
  for (const secret of secrets) expect(error.message).not.toContain(secret)
  return error
}

describe("the configuration", () => {
  test("is read at the first call, not when the API is made", async () => {
    const api = new SluiceApi()
    vi.stubEnv("SLUICE_TOKEN", token)
    await api.getUsageInfo()
    expect(rest.calls[0]!.headers.get("x-sluice-api-key")).toBe(apiKey)
  })

  test("without a token, every call rejects with MISSING_TOKEN and what to do", async () => {
    vi.stubEnv("SLUICE_TOKEN", "")
    const api = new SluiceApi()
    expect(await failure(api)).toMatchObject({
      code: "MISSING_TOKEN",
      message: expect.stringContaining("SLUICE_TOKEN"),
    })
    await expect(api.uploadFiles(new File(["x"], "x"))).rejects.toMatchObject({ code: "MISSING_TOKEN" })
    await expect(api.uploadFiles([])).rejects.toMatchObject({ code: "MISSING_TOKEN" })
    await expect(api.listFiles()).rejects.toMatchObject({ code: "MISSING_TOKEN" })
    await expect(api.deleteFiles([])).rejects.toMatchObject({ code: "MISSING_TOKEN" })
    await expect(api.generateSignedURL("a")).rejects.toMatchObject({ code: "MISSING_TOKEN" })
  })

  test.each([
    ["no base64", "%%%"],
    ["a whole line", `SLUICE_TOKEN='${token}'`],
    ["a key of another kind", createToken({ apiKey: "pk_7" })],
  ])("a token that is %s is INVALID_TOKEN", async (_, wrong) => {
    expect(await failure(new SluiceApi({ token: wrong }))).toMatchObject({ code: "INVALID_TOKEN" })
  })

  test.each([
    ["ingestUrl", { ingestUrl: "ftp://files.test" }],
    ["logLevel", { logLevel: "Loud" as "Debug" }],
    ["logFormat", { logFormat: "xml" as "json" }],
    ["defaultKeyType", { defaultKeyType: "id" as "customId" }],
  ])("a %s that makes no sense is INVALID_CONFIG, by its name", async (option, options) => {
    const error = await failure(new SluiceApi({ token, ...options }))
    expect(error).toMatchObject({ code: "INVALID_CONFIG", message: expect.stringContaining(option) })
  })

  test("comes from the environment, and options win", async () => {
    vi.stubEnv("SLUICE_TOKEN", token)
    vi.stubEnv("SLUICE_INGEST_URL", "http://other.test/base/")
    vi.stubEnv("SLUICE_DEFAULT_KEY_TYPE", "customId")
    vi.stubEnv("SLUICE_LOG_LEVEL", "Debug")
    vi.stubEnv("SLUICE_LOG_FORMAT", "text")
    await new SluiceApi().deleteFiles("7")
    expect(rest.calls).toMatchObject([{ url: "http://other.test/base/v6/deleteFiles", body: { customIds: ["7"] } }])
    expect(linesWith("debug", "[sluice] debug:", "deleteFiles")).toHaveLength(1)
    lines.length = 0
    const api = new SluiceApi({ ingestUrl, defaultKeyType: "fileKey", logLevel: "Warning" })
    await api.deleteFiles(`${encodedAppId}7`)
    expect(rest.calls[1]).toMatchObject({
      url: `${ingestUrl}/v6/deleteFiles`,
      body: { fileKeys: [`${encodedAppId}7`] },
    })
    expect(lines).toEqual([])
  })

  test("may bring a fetch of its own", async () => {
    const urls: Array<string> = []
    const api = new SluiceApi({
      token,
      fetch: async (url) => {
        urls.push(url as string)
        return Response.json({ totalBytes: 1, filesUploaded: 1, limitBytes: 2 })
      },
    })
    expect(await api.getUsageInfo()).toEqual({ totalBytes: 1, filesUploaded: 1, limitBytes: 2 })
    expect(urls).toEqual(["http://ingest.test/v6/getUsageInfo"])
  })

  test("is read once: the key is imported once for many signatures", async () => {
    const read = vi.spyOn(globalThis, "atob")
    const api = new SluiceApi({ token })
    const key = `${encodedAppId}a`
    await Promise.all(Array.from({ length: 20 }, () => api.generateSignedURL(key)))
    await api.generateSignedURL(key)
    expect(read).toHaveBeenCalledTimes(1)
    read.mockRestore()
  })
})
