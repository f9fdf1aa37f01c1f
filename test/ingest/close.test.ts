import { expect, it, vi } from "vitest"
import { createIngest, createMemoryBlobStore, createMemoryCatalog } from "../../src/ingest.ts"
import { closeAll } from "../../src/ingest/close-all.ts"
import { apiKey, createGrant, eventually, listen, putRaw, register, sign, startIngest, token } from "./circle.ts"
import { captureConsole } from "./capture-console.ts"

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

it.each(["store", "catalog"] as const)(
  "closes all else when the %s cannot be closed, and reports that at the end",
  async (part) => {
    const closed: Array<string> = []
    const broken = (name: string) => async () => {
      closed.push(name)
      if (name === part) throw new Error(`the ${name} is stuck`)
    }
    const store = { ...createMemoryBlobStore(), close: broken("store") }
    const catalog = { ...createMemoryCatalog(), close: broken("catalog") }
    const written = captureConsole()
    const ingest = createIngest({ token, store, catalog, logLevel: "Info", metrics: "open" })
    await expect(ingest.close()).rejects.toThrow(`the ${part} is stuck`)
    await expect(ingest.close()).rejects.toThrow(`the ${part} is stuck`)
    expect(closed).toEqual(["store", "catalog"])
    expect(written.join("\n")).toMatch(/A part of the ingest could not be closed\.[^]*The ingest has stopped\./)
  },
)

it("runs every step of closing, and rejects with the first failure", async () => {
  const ran: Array<number> = []
  const step = (number: number, failure?: Error) => () => {
    ran.push(number)
    if (failure !== undefined) throw failure
  }
  const told: Array<unknown> = []
  const [first, second] = [new Error("first"), new Error("second")]
  const closing = closeAll(
    [step(1), step(2, first), async () => step(3, second)(), step(4)],
    (cause) => void told.push(cause),
  )
  await expect(closing).rejects.toBe(first)
  expect(ran).toEqual([1, 2, 3, 4])
  expect(told).toEqual([first, second])
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
    await register(working.url, { fileKeys: [other.key], callbackUrl: "http://127.0.0.1:4/" })
    expect(await codeOf(await putRaw(await sign(working.url, other), "hello"))).toBe("502 CALLBACK_FAILED")
    expect(lines.join("\n")).toContain("A callback failed.")
    expect(lines.join("\n")).toContain("failed unexpectedly")
    for (const secret of [apiKey, token, signed.slice(signed.indexOf("signature="))]) {
      expect(lines.join("\n")).not.toContain(secret)
    }
  } finally {
    vi.restoreAllMocks()
  }
})
