import { expect, it, vi } from "vitest"
import { createMemoryBlobStore, createMemoryCatalog } from "../../src/ingest.ts"
import { apiKey, createGrant, eventually, listen, putRaw, register, sign, startIngest, token } from "./circle.ts"

const codeOf = async (response: Response): Promise<string> => `${response.status} ${(await response.json()).code}`

it("closing answers those who wait for their app, keeps their files, and refuses what comes after", async () => {
  const ingest = await startIngest()
  const silent = await listen(() => {})
  const grant = createGrant({ slug: "avatar" })
  await register(ingest.url, { fileKeys: [grant.key], callbackUrl: silent })
  const signed = await sign(ingest.url, grant)
  const waiting = putRaw(signed, "hello")
  await eventually(async () => (await ingest.catalog.get(grant.key))?.file.status === "Uploaded")
  await ingest.close()
  expect(await codeOf(await waiting)).toBe("503 INGEST_UNAVAILABLE")
  expect(await codeOf(await putRaw(signed, "hello"))).toBe("503 INGEST_UNAVAILABLE")
  await ingest.close()
})

it("logs no secret and no signed URL at any level, whatever fails", async () => {
  const lines: Array<string> = []
  for (const method of ["log", "debug", "warn", "error", "info"] as const) {
    vi.spyOn(console, method).mockImplementation((...parts) => void lines.push(parts.join(" ")))
  }
  try {
    const broken = createMemoryBlobStore()
    const { url } = await startIngest({
      logLevel: "All",
      callbackRetries: [],
      catalog: createMemoryCatalog({ largestContent: 0 }),
      store: {
        ...broken,
        append: async () => {
          throw new Error(`cannot write for ${apiKey} with ${token}`)
        },
      },
    })
    const grant = createGrant({ slug: "avatar" })
    const signed = await sign(url, grant)
    expect(await codeOf(await putRaw(signed, "hello"))).toBe("500 INTERNAL_ERROR")
    const working = await startIngest({ logLevel: "All", callbackRetries: [] })
    const other = createGrant({ slug: "avatar" })
    await register(working.url, { fileKeys: [other.key], callbackUrl: "http://127.0.0.1:1/" })
    expect(await codeOf(await putRaw(await sign(working.url, other), "hello"))).toBe("502 CALLBACK_FAILED")
    expect(lines.join("\n")).toContain("A callback failed.")
    expect(lines.join("\n")).toContain("nobody foresaw")
    for (const secret of [apiKey, token, signed.slice(signed.indexOf("signature="))]) {
      expect(lines.join("\n")).not.toContain(secret)
    }
  } finally {
    vi.restoreAllMocks()
  }
})
