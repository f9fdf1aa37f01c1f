import { createHash } from "node:crypto"
import { type BlobStore, BlobStoreError, type Finished } from "../../ingest.ts"
import { expect } from "../expect.ts"

/** The bytes of a file, another one for another seed. */
export const bytes = (length: number, seed = 0): Uint8Array => {
  const content = new Uint8Array(length)
  // Pieces of stores are multiples of 256 bytes: with the second term none is like the next one.
  for (let i = 0; i < length; i++) content[i] = (i * 31 + (i >>> 8) * 7 + seed) & 255
  return content
}

export async function* chunksOf(...chunks: ReadonlyArray<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* chunks
}

export async function* breakingAfter(...chunks: ReadonlyArray<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* chunks
  throw new Error("the client left")
}

export const sha256 = (content: Uint8Array): string => createHash("sha256").update(content).digest("hex")

export const readAll = async (stream: ReadableStream<Uint8Array>): Promise<Uint8Array> =>
  new Uint8Array(await new Response(stream as ReadableStream<Uint8Array<ArrayBuffer>>).arrayBuffer())

/** Compares what `toEqual` would take seconds for. */
export const expectBytes = (actual: Uint8Array, expected: Uint8Array): void => {
  expect(actual.length).toBe(expected.length)
  expect(Buffer.compare(actual, expected)).toBe(0)
}

export const reasonOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "it succeeded",
    (cause: unknown) => (BlobStoreError.is(cause) ? cause.reason : String(cause)),
  )

/** Appends all of a file, and finishes it. */
export const write = async (store: BlobStore, key: string, content: Uint8Array, epoch = 1): Promise<Finished> => {
  await store.append(key, { epoch, offset: 0, size: content.length, body: chunksOf(content) })
  return store.finish(key, { epoch, size: content.length })
}

/** Reads all of a finished blob. */
export const readWhole = async (
  store: BlobStore,
  key: string,
  size: number,
  { ref }: Pick<Finished, "ref">,
): Promise<Uint8Array> => readAll(await store.read(key, { start: 0, end: size - 1, ref }))
