import type { FileHandle } from "node:fs/promises"
import { appendBytes, nothingGathered, toBytes } from "../../../server-kit/append-bytes.ts"
import { disposeChunk } from "../../../protocol/disposable-stream.ts"
import type { Appended } from "../blob-store.ts"
import { consumeBody } from "../consume-body.ts"

/** Bytes written at once, at most and at least; between them it depends on how many bodies share the memory. */
const largestBatch = 1024 * 1024
const smallestBatch = 64 * 1024

/**
 * Chunks smaller than this are copied together: each costs some 400 bytes in addition to its own, and a client decides
 * how many of them its body is cut into.
 */
const smallChunk = 4096

/** Bytes that all batches being gathered may hold together, as long as none has to be smaller than the smallest. */
const gatherBudget = 32 * 1024 * 1024

/** How long bytes of a slow client wait for more before they are written, ms: a crash can cost it this much. */
const patience = 1000

/**
 * Bytes between two flushes while a long body arrives, so that the flush at its end has little left to do. A longer
 * body has more between flushes.
 */
const flushEvery = { least: 2 * 1024 * 1024, most: 64 * 1024 * 1024 }

/** Bodies being written now. */
let underWay = 0

const batchSize = (): number => Math.max(smallestBatch, Math.min(largestBatch, gatherBudget / underWay))

/** Writes chunks at a position; all of them, or it throws. */
const writeChunks = async (handle: FileHandle, chunks: ReadonlyArray<Uint8Array>, position: number): Promise<void> => {
  let [at, index] = [position, 0]
  let rest = chunks
  while (index < rest.length) {
    const { bytesWritten } =
      rest.length - index === 1
        ? await handle.write(rest[index]!, 0, null, at)
        : await handle.writev(index === 0 ? rest : rest.slice(index), at)
    at += bytesWritten
    let written = bytesWritten
    while (index < rest.length && written >= rest[index]!.length) written -= rest[index++]!.length
    if (written > 0) rest = rest.with(index, rest[index]!.subarray(written))
  }
}

/** How an append proceeds. */
export interface AppendOptions {
  /** Chunks are freed as soon as they are written. */
  readonly isDisposable: boolean
  /** Called before a batch is written. Throws when this writer was fenced off. */
  readonly admit: (stored: number) => void
  /** Called after it was written, with where the file ends now; once more before the last flush. */
  readonly onWritten: (stored: number, isLast: boolean) => void
  /** Called when a flush has failed: what lies after the offset looks written until the machine restarts, and may not be. */
  readonly cutOff: () => Promise<void>
}

/**
 * Writes a body after the bytes of an open file, in batches: one is written while the next one is gathered, so that at
 * most two are in memory. Resolves when what was written is flushed, also when the body breaks off.
 *
 * Fails: rejects with the system's error, or with what `admit` throws; after a flush that failed, once `cutOff` has run.
 */
export const appendBody = async (
  handle: FileHandle,
  offset: number,
  body: AsyncIterable<Uint8Array>,
  { admit, onWritten, cutOff, isDisposable }: AppendOptions,
): Promise<Appended> => {
  let stored = offset
  let writing: Promise<void> | undefined
  let flushing: Promise<void> | undefined
  let flushFailure: { readonly cause: unknown } | undefined
  let flushed = offset
  let chunks: Array<Uint8Array> = []
  /** Small chunks that will be merged into one. */
  let small = nothingGathered
  let gathered = 0
  let gatheredSince = 0

  const write = async (batch: ReadonlyArray<Uint8Array>, size: number): Promise<void> => {
    if (flushFailure !== undefined) throw flushFailure.cause
    admit(stored)
    await writeChunks(handle, batch, stored)
    stored += size
    if (isDisposable) for (const chunk of batch) disposeChunk(chunk)
    onWritten(stored, false)
    const interval = Math.max(flushEvery.least, Math.min(flushEvery.most, stored / 4))
    if (flushing !== undefined || stored - flushed < interval) return
    flushed = stored
    flushing = handle.datasync().then(
      () => {
        flushing = undefined
      },
      (cause: unknown) => {
        flushFailure = { cause }
      },
    )
  }

  const join = (): void => {
    if (small.length > 0) chunks.push(toBytes(small))
    small = nothingGathered
  }

  const gather = (chunk: Uint8Array): void => {
    gathered += chunk.length
    const isSmall = chunk.length < smallChunk
    if (isSmall) small = appendBytes(small, chunk)
    if (!isSmall || small.length >= smallestBatch) join()
    if (!isSmall) chunks.push(chunk)
  }

  const pass = async (): Promise<void> => {
    await writing
    if (gathered === 0) return
    join()
    writing = write(chunks, gathered)
    // It is awaited before the next batch; until then a failure must not count as unhandled.
    writing.catch(() => {})
    chunks = []
    gathered = 0
  }

  const settle = async (): Promise<void> => {
    await pass()
    await writing
    onWritten(stored, true)
    const last = stored > offset ? handle.datasync() : undefined
    const [, outcome] = await Promise.allSettled([flushing, last])
    if (outcome.status === "rejected") flushFailure ??= { cause: outcome.reason }
    // The system reports bytes that it could not write only once, to the flush that ran then: the last flush may know
    // nothing of them.
    if (flushFailure !== undefined) throw flushFailure.cause
  }

  underWay++
  try {
    const broken = await consumeBody(body, (chunk) => {
      if (chunk.length === 0) return
      const now = performance.now()
      if (gathered === 0) gatheredSince = now
      gather(chunk)
      return gathered >= batchSize() || now - gatheredSince > patience ? pass() : undefined
    })
    await settle()
    return { offset: stored, ...broken }
  } finally {
    underWay--
    await writing?.catch(() => {})
    await flushing
    // Whatever the append fails with: a full disk, for example, hides an earlier flush that failed.
    if (flushFailure !== undefined) await cutOff()
  }
}
