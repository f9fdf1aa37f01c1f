/*
 * Configuration: `folder`, made when missing.
 *
 * What is stored where: one file per key, `<folder>/<2 hex digits>/<62 hex digits>`, named by the SHA-256 of the key, so
 * that no key can name a path, collide by letter case or grow too long. While it is written, the file's name ends in
 * `.<epoch>`; `finish` takes that off. No other files.
 *
 * Considerations: renaming is the fence. A newer epoch renames the unfinished file, so an older writer of any process
 * finds it gone before its next batch and cannot finish it. (Between the check and the write of one batch an older
 * writer of another process can still slip one in; within a process it cannot.) Bytes are written in batches of 1 MiB,
 * small files in one write; `finish` flushes the file and its folder.
 */
import type { FileHandle } from "node:fs/promises"
import { type Append, type Appended, type BlobState, type BlobStore, BlobStoreError } from "./blob-store.ts"

const batchSize = 1024 * 1024
/** Up to here a read is one piece; beyond, pieces of {@link batchSize}. */
const onePiece = 64 * 1024

const codeOf = (cause: unknown): string | undefined => (cause as { code?: string } | undefined)?.code

const toError = (cause: unknown): BlobStoreError => {
  if (cause instanceof BlobStoreError) return cause
  const code = codeOf(cause)
  if (code === "ENOSPC" || code === "EDQUOT") return new BlobStoreError("full", "The disk is full.", cause)
  if (code === "ENOENT") return new BlobStoreError("missing", "There is no such blob.", cause)
  return new BlobStoreError("io", "The disk failed.", cause)
}

/** Runs a step; whatever it fails with becomes a {@link BlobStoreError}. */
const guard = async <A>(step: () => Promise<A>): Promise<A> => {
  try {
    return await step()
  } catch (cause) {
    throw toError(cause)
  }
}

/** Keeps blobs as files. Node, Bun and Deno. */
export const createDiskBlobStore = ({ folder }: { readonly folder: string }): BlobStore => {
  const fs = process.getBuiltinModule("node:fs/promises")
  const { join, dirname } = process.getBuiltinModule("node:path")
  const { hash } = process.getBuiltinModule("node:crypto")
  const shards = new Map<string, Promise<void>>()
  /** The newest epoch this process has seen of each key under way. */
  const epochs = new Map<string, number>()

  const pathOf = (key: string): string => {
    const name = hash("sha256", key)
    return join(folder, name.slice(0, 2), name.slice(2))
  }

  /** Makes a change of names in a folder durable. */
  const syncFolder = async (path: string): Promise<void> => {
    const handle = await fs.open(path, "r")
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  }

  /** Makes the shard, durably, once. */
  const makeShard = (path: string): Promise<void> => {
    const shard = dirname(path)
    let made = shards.get(shard)
    if (made === undefined) {
      made = fs
        .mkdir(shard, { recursive: true })
        .then((created) => (created === undefined ? undefined : syncFolder(folder)))
      made.catch(() => shards.delete(shard))
      shards.set(shard, made)
    }
    return made
  }

  const admit = (key: string, epoch: number): void => {
    const newest = epochs.get(key)
    if (newest !== undefined && epoch < newest) {
      throw new BlobStoreError("fenced", `Epoch ${epoch} was fenced off by epoch ${newest}.`)
    }
    epochs.set(key, epoch)
  }

  const sizeOf = async (path: string): Promise<number | undefined> => {
    try {
      return (await fs.stat(path)).size
    } catch (cause) {
      if (codeOf(cause) === "ENOENT") return undefined
      throw cause
    }
  }

  /** The epochs under which an unfinished file is there; more than one only after a crash inside `claim`. */
  const listEpochs = async (path: string): Promise<ReadonlyArray<number>> => {
    const prefix = `${path.slice(dirname(path).length + 1)}.`
    const names = await fs.readdir(dirname(path)).catch((cause: unknown) => {
      if (codeOf(cause) === "ENOENT") return []
      throw cause
    })
    return names.filter((name) => name.startsWith(prefix)).map((name) => Number(name.slice(prefix.length)))
  }

  /** Gives the unfinished file the name of this epoch; false when there is none. */
  const takeOver = async (path: string, epoch: number, before: number | undefined): Promise<boolean> => {
    const target = `${path}.${epoch}`
    // The usual case needs no listing: the epoch before, or the one this process has seen.
    for (const guess of new Set([before ?? epoch - 1, epoch])) {
      try {
        await fs.rename(`${path}.${guess}`, target)
        return true
      } catch (cause) {
        if (codeOf(cause) !== "ENOENT") throw cause
      }
    }
    const found = Math.max(0, ...(await listEpochs(path)))
    if (found === 0) return false
    if (found > epoch) throw new BlobStoreError("fenced", `Epoch ${epoch} was fenced off by epoch ${found}.`)
    await fs.rename(`${path}.${found}`, target)
    return true
  }

  const claim = async (key: string, epoch: number): Promise<BlobState> => {
    const before = epochs.get(key)
    admit(key, epoch)
    const path = pathOf(key)
    if (await takeOver(path, epoch, before)) return { size: (await sizeOf(`${path}.${epoch}`)) ?? 0, isFinished: false }
    const size = await sizeOf(path)
    return { size: size ?? 0, isFinished: size !== undefined }
  }

  /** Opens the file to write at its end; checks that the end is where the writer thinks. */
  const openAt = async (path: string, epoch: number, offset: number): Promise<FileHandle> => {
    if (offset === 0) {
      await makeShard(path)
      // A first epoch has nothing before it; a later one may follow a crash between `finish` and the catalog's commit.
      if (epoch > 1 && (await sizeOf(path)) !== undefined) throw new BlobStoreError("offset", "The blob is finished.")
      const created = await fs.open(`${path}.${epoch}`, "wx").catch((cause: unknown) => {
        if (codeOf(cause) === "EEXIST") return undefined
        throw cause
      })
      if (created !== undefined) return created
    }
    const handle = await fs.open(`${path}.${epoch}`, "r+")
    const { size } = await handle.stat()
    if (size === offset) return handle
    await handle.close()
    throw new BlobStoreError("offset", `The blob ends at ${size}, not at ${offset}.`)
  }

  /** Writes the gathered chunks at a position; all of them, or it throws. */
  const writeBatch = async (handle: FileHandle, chunks: ReadonlyArray<Uint8Array>, position: number): Promise<void> => {
    let [at, index] = [position, 0]
    let rest = chunks
    while (index < rest.length) {
      const { bytesWritten } =
        rest.length - index === 1
          ? await handle.write(rest[index]!, 0, null, at)
          : await handle.writev(rest.slice(index), at)
      at += bytesWritten
      let written = bytesWritten
      while (index < rest.length && written >= rest[index]!.length) written -= rest[index++]!.length
      if (written > 0) rest = rest.with(index, rest[index]!.subarray(written))
    }
  }

  const append = async (key: string, { epoch, offset, body }: Append): Promise<Appended> => {
    admit(key, epoch)
    const path = pathOf(key)
    const handle = await openAt(path, epoch, offset)
    let stored = offset
    let chunks: Array<Uint8Array> = []
    let gathered = 0
    const flush = async (): Promise<void> => {
      const isFenced =
        epochs.get(key) !== epoch || (stored > offset && (await sizeOf(`${path}.${epoch}`)) === undefined)
      if (isFenced) throw new BlobStoreError("fenced", `Epoch ${epoch} was fenced off.`)
      await writeBatch(handle, chunks, stored)
      stored += gathered
      chunks = []
      gathered = 0
    }
    const iterator = body[Symbol.asyncIterator]()
    try {
      for (;;) {
        let next: IteratorResult<Uint8Array>
        try {
          next = await iterator.next()
        } catch (cause) {
          if (gathered > 0) await flush()
          return { offset: stored, brokenOff: { cause } }
        }
        if (next.done === true) {
          if (gathered > 0) await flush()
          return { offset: stored }
        }
        if (next.value.length === 0) continue
        chunks.push(next.value)
        gathered += next.value.length
        if (gathered >= batchSize) await flush()
      }
    } catch (cause) {
      await iterator.return?.().catch(() => {})
      throw cause
    } finally {
      await handle.close()
    }
  }

  const finish = async (key: string, epoch: number, size: number): Promise<void> => {
    admit(key, epoch)
    const path = pathOf(key)
    const handle = await fs.open(`${path}.${epoch}`, "r+").catch(async (cause: unknown) => {
      if (codeOf(cause) === "ENOENT") return undefined
      throw cause
    })
    const found = handle === undefined ? await sizeOf(path) : (await handle.stat()).size
    try {
      if (found === undefined) throw new BlobStoreError("fenced", `Epoch ${epoch} has no file any more.`)
      if (found !== size) throw new BlobStoreError("offset", `The blob has ${found} bytes, not ${size}.`)
      await handle?.sync()
    } finally {
      await handle?.close()
    }
    if (handle !== undefined) await fs.rename(`${path}.${epoch}`, path)
    await syncFolder(dirname(path))
    if (epochs.get(key) === epoch) epochs.delete(key)
  }

  const read = async (key: string, start: number, end: number): Promise<ReadableStream<Uint8Array>> => {
    const path = pathOf(key)
    const newest = epochs.get(key)
    const handle = await fs.open(path, "r").catch(async (cause: unknown) => {
      if (codeOf(cause) !== "ENOENT") throw cause
      return fs.open(`${path}.${newest ?? Math.max(0, ...(await listEpochs(path)))}`, "r")
    })
    let position = start
    const pull = async (): Promise<Uint8Array | undefined> => {
      const left = end + 1 - position
      if (left <= 0) return undefined
      const piece = new Uint8Array(left <= onePiece ? left : Math.min(left, batchSize))
      const { bytesRead } = await handle.read(piece, 0, piece.length, position)
      if (bytesRead === 0) throw new BlobStoreError("missing", `The blob ends at ${position}, before ${end}.`)
      position += bytesRead
      return piece.subarray(0, bytesRead)
    }
    try {
      // Up to one piece is read before the stream is made: the file is closed however the stream ends.
      if (end + 1 - start <= onePiece) {
        const pieces: Array<Uint8Array> = []
        for (let piece = await pull(); piece !== undefined; piece = await pull()) pieces.push(piece)
        await handle.close()
        return new Blob(pieces as Array<Uint8Array<ArrayBuffer>>).stream()
      }
      if ((await handle.stat()).size <= end) throw new BlobStoreError("missing", "There are no such bytes.")
    } catch (cause) {
      await handle.close()
      throw cause
    }
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          try {
            const piece = await pull()
            if (piece !== undefined) controller.enqueue(piece)
            if (position > end) {
              await handle.close()
              controller.close()
            }
          } catch (cause) {
            await handle.close()
            controller.error(toError(cause))
          }
        },
        cancel: () => handle.close(),
      },
      { highWaterMark: 0 },
    )
  }

  const remove = async (key: string): Promise<void> => {
    epochs.delete(key)
    const path = pathOf(key)
    const paths = [path, ...(await listEpochs(path)).map((epoch) => `${path}.${epoch}`)]
    await Promise.all(paths.map((each) => fs.rm(each, { force: true })))
  }

  return {
    abilities: { isDurable: true, isShared: false, smallestAppend: 1 },
    claim: (key, epoch) => guard(() => claim(key, epoch)),
    append: (key, options) => guard(() => append(key, options)),
    finish: (key, { epoch, size }) => guard(() => finish(key, epoch, size)),
    read: (key, { start, end }) => guard(() => read(key, start, end)),
    remove: (key) => guard(() => remove(key)),
    close: async () => {},
  }
}
