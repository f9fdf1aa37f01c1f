import { describe, expect, it, vi } from "vitest"
import { createPieceStream, type PieceSource } from "../../../src/ingest/storage/piece-stream.ts"
import { createReadBudget } from "../../../src/ingest/storage/read-budget.ts"
import { randomContent } from "../circle.ts"

const content = randomContent(3_000_000)

const createSource = (init: Partial<PieceSource> = {}) => {
  const close = vi.fn(async () => {})
  const dispose = vi.fn()
  const source: PieceSource = {
    // Fewer bytes than asked for, at times.
    read: async (position, length) => content.slice(position, position + Math.ceil(length * 0.9)),
    close,
    toError: (cause) => new Error("mapped", { cause }),
    dispose,
    ...init,
  }
  return { source, close, dispose }
}

const readAll = async (stream: ReadableStream<Uint8Array>): Promise<Buffer> =>
  Buffer.from(await new Response(stream as ReadableStream<Uint8Array<ArrayBuffer>>).arrayBuffer())

describe("a stream of pieces", () => {
  it.each([
    [0, -1],
    [0, 0],
    [0, content.length - 1],
    [70_000, 70_001],
    [123, 2_999_998],
  ])("gives the bytes %i to %i, with room and without, closes its source once and holds nothing", async (from, to) => {
    for (const budget of [createReadBudget(), createReadBudget(0)]) {
      const { source, close } = createSource()
      const bytes = await readAll(await createPieceStream(source, from, to, budget))
      expect(Buffer.compare(bytes, content.subarray(from, to + 1))).toBe(0)
      expect(close).toHaveBeenCalledOnce()
      expect(budget.held()).toBe(0)
    }
  })

  it("counts a piece as held until the next one, or the end, is asked for", async () => {
    const budget = createReadBudget()
    const { source, close } = createSource({
      read: async (position, length) => content.slice(position, position + length),
    })
    const reader = (await createPieceStream(source, 0, 999, budget)).getReader()
    expect(close).toHaveBeenCalledOnce()
    await reader.read()
    expect(budget.held()).toBe(1000)
    expect((await reader.read()).done).toBe(true)
    expect(budget.held()).toBe(0)
  })

  it("that is cancelled gives back what was read ahead, also in the middle of a read", async () => {
    const budget = createReadBudget()
    const { source, close, dispose } = createSource()
    const reader = (await createPieceStream(source, 0, content.length - 1, budget)).getReader()
    await reader.read()
    const pending = reader.read()
    await reader.cancel()
    await pending
    expect(dispose).toHaveBeenCalled()
    expect(close).toHaveBeenCalledOnce()
    expect(budget.held()).toBe(0)
  })

  it("that fails says so: the first piece before anybody reads, a later one in the stream; nobody is left with a rejection", async () => {
    const unhandled = vi.fn()
    process.on("unhandledRejection", unhandled)
    const budget = createReadBudget()
    const failing = createSource({ read: () => Promise.reject(new Error("disk on fire")) })
    await expect(createPieceStream(failing.source, 0, 10, budget)).rejects.toThrow("mapped")
    const later = createSource({
      read: async (position, length) => {
        if (position > 0) throw new Error("disk on fire")
        return content.slice(0, length)
      },
    })
    const reader = (await createPieceStream(later.source, 0, content.length - 1, budget)).getReader()
    expect((await reader.read()).done).toBe(false)
    await new Promise((resolve) => setTimeout(resolve, 20))
    await expect(reader.read()).rejects.toThrow("mapped")
    process.off("unhandledRejection", unhandled)
    expect(unhandled).not.toHaveBeenCalled()
    for (const { close } of [failing, later]) expect(close).toHaveBeenCalledOnce()
    expect(budget.held()).toBe(0)
  })
})
