import { expect } from "vitest"
import { readWhole, sha256 } from "../../../../src/conformance/blob-store/drive-blob-store.ts"
import type { BlobStore, Finished } from "../../../../src/ingest.ts"

export { reasonOf, sha256 } from "../../../../src/conformance/blob-store/drive-blob-store.ts"

export async function* chunksOf(content: Uint8Array, size = 1_000_003) {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size)
}

export async function* breakingAfter(content: Uint8Array) {
  yield* chunksOf(content)
  throw new Error("the client left")
}

/** All bytes of a blob: of a finished one with its `ref`. */
export const readAll = (store: BlobStore, key: string, size: number, ref: string | null = null): Promise<Uint8Array> =>
  readWhole(store, key, size, { ref })

/** A finished blob has this content, and its SHA-256. */
export const expectStored = async (
  store: BlobStore,
  { digest, ref }: Finished,
  content: Uint8Array,
  key = "key.1",
): Promise<void> => {
  expect(digest).toBe(sha256(content))
  expect(Buffer.compare(await readAll(store, key, content.length, ref), content)).toBe(0)
}
