import type { IncomingMessage } from "node:http"
import { Readable } from "node:stream"
import { expect, it } from "vitest"
import { keepBytes } from "../../../adapters/node.ts"

const keep = async (chunks: Iterable<Uint8Array | string>) => {
  const raw = Readable.from([]) as unknown as IncomingMessage & { rawBody: Uint8Array }
  await keepBytes(raw, Readable.from(chunks), undefined)
  return raw.rawBody
}

it("keeps a body that comes in single bytes as it was sent", async () => {
  const bytes = Uint8Array.from({ length: 100_000 }, (_, i) => i % 251)
  const kept = await keep(Array.from(bytes, (byte) => Uint8Array.of(byte)))
  expect(Buffer.compare(kept, bytes)).toBe(0)
})

it("keeps the bytes of text that a hook has left, and of nothing at all", async () => {
  expect(Buffer.from(await keep(["é", Uint8Array.of(33)])).toString()).toBe("é!")
  expect((await keep([])).length).toBe(0)
})
