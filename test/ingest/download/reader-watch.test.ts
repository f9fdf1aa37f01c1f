import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { createReaderWatch } from "../../../src/ingest/download/reader-watch.ts"
import { createReaders } from "../../../src/ingest/download/readers.ts"
import type { UploadRecord } from "../../../src/ingest/storage/catalog/catalog.ts"

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance", "Date"] }))
afterEach(() => vi.useRealTimers())

const settings = { maxConcurrentReads: 10_000, minimumReadRate: 0, minimumReadRateWindow: 60_000 }

/** Readers of files by key, each with a stream that does not end, and a catalog that another process changes. */
const start = async (keys: ReadonlyArray<string>) => {
  const readers = createReaders(settings, () => true)
  const statuses = new Map<string, string>(keys.map((key) => [key, "Uploaded"]))
  const asked: Array<number> = []
  let fails = false
  const watch = createReaderWatch(() => ({
    readers,
    catalog: {
      getMany: async (some) => {
        asked.push(some.length)
        if (fails) throw new Error("It is away.")
        return some.flatMap((key) =>
          statuses.has(key) ? [{ file: { key, status: statuses.get(key) } } as unknown as UploadRecord] : [],
        )
      },
    },
  }))
  const streams = new Map<string, ReadableStreamDefaultReader<Uint8Array>>()
  for (const key of keys) {
    const open = async () =>
      new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(new Uint8Array(8)) })
    streams.set(key, (await readers.add({ appId: "app", key }, open)).getReader())
  }
  const look = () => (vi.advanceTimersByTime(4000), watch())
  return { readers, statuses, asked, watch, look, streams, setFailing: (is: boolean) => (fails = is) }
}

it("a download ends when another process has deleted or rejected its file, and no other one", async () => {
  const { readers, statuses, look, streams } = await start(["gone", "rejected", "deleting", "stays"])
  await look()
  expect(readers.count()).toBe(4)
  statuses.delete("gone")
  statuses.set("rejected", "Failed")
  statuses.set("deleting", "Deleting")
  await look()
  for (const key of ["gone", "rejected", "deleting"]) await expect(streams.get(key)!.read()).rejects.toThrow(/deleted/)
  expect((await streams.get("stays")!.read()).value).toHaveLength(8)
  expect(readers.count()).toBe(1)
})

it("it looks at most every few seconds, at a thousand files at a time, and not where nobody reads or the catalog is away", async () => {
  const { readers, asked, watch, look, streams, statuses, setFailing } = await start(
    Array.from({ length: 1500 }, (_, i) => `k${i}`),
  )
  await look()
  await watch()
  expect(asked).toEqual([1000])
  await look()
  await look()
  expect(asked).toEqual([1000, 500, 1000])
  setFailing(true)
  statuses.clear()
  await look()
  expect(readers.count()).toBe(1500)
  for (const stream of streams.values()) await stream.cancel()
  asked.length = 0
  await look()
  expect(asked).toEqual([])
})
