/*
 * Configuration: `folder`, made when missing at first, and never again once it was there: a new one in its place would hide that
 * files are lost, and take others that are lost with it. Only this user may read what is made (files 0600, folders 0700).
 *
 * What is stored where: one file per key, `<folder>/<2 hex digits>/<62 hex digits>`, named by the SHA-256 of the key, so
 * that no key can name a path, collide by letter case or grow too long. While it is written, the file's name ends in
 * `.<epoch>`; `finish` takes that off. No other files.
 *
 * Considerations: renaming is the fence. A newer epoch renames the unfinished file, so an older writer of any process
 * finds it gone before its next batch and cannot finish it. (Between the check and the write of one batch an older
 * writer of another process can still slip one in; within a process it cannot.) Bytes are written in batches of 1 MiB;
 * an append resolves when they and the file's name are flushed. The name that `finish` gives need not be durable:
 * `read` also finds the file under its previous name. Files are hashed by a worker thread as they grow. After a flush
 * that failed, the file is truncated to where the last good one left it, and it cannot be resumed before that has
 * succeeded: the system reports lost bytes only once, and from then on reads them out of its cache as if they were
 * there.
 */
import { isOutOfRoom, toFreeRoom } from "./free-room.ts"
import { renameFile } from "./rename-file.ts"
import { appendBody } from "./append.ts"
import { codeOf, createDiskFiles } from "./files.ts"
import { openFile } from "./open-file.ts"
import { readRange } from "./read.ts"
import { type Append, type Appended, type BlobState, type BlobStore, BlobStoreError } from "../blob-store.ts"
import { createFileHasher } from "./file-hasher.ts"
import { wrapPort } from "../wrap-port.ts"
import type { FileHandle } from "node:fs/promises"

/** How many bytes are written before the thread that hashes is told of them: to wake it costs a tenth of writing a MiB. */
const followEvery = 4 * 1024 * 1024

const toError = (cause: unknown): BlobStoreError => {
  if (cause instanceof BlobStoreError) return cause
  const code = codeOf(cause)
  if (isOutOfRoom(cause)) return new BlobStoreError("full", "The disk is full.", cause)
  if (code === "ENOENT") return new BlobStoreError("missing", "There is no such blob.", cause)
  return new BlobStoreError("io", "The disk failed.", cause)
}

/** Keeps blobs as files. Node, Bun and Deno. */
export const createDiskBlobStore = ({ folder }: { readonly folder: string }): BlobStore => {
  const fs = process.getBuiltinModule("node:fs/promises")
  const files = createDiskFiles(folder)
  const hasher = createFileHasher()
  /** The newest epoch this process has seen for each key in progress. */
  const epochs = new Map<string, number>()

  /** How much of each file in progress this process has flushed. */
  const flushed = new Map<string, number>()
  /** Where files have to be truncated before they can be resumed. */
  const doubtful = new Map<string, number>()

  const admit = (key: string, epoch: number): void => {
    const newest = epochs.get(key)
    if (newest !== undefined && epoch < newest) {
      throw new BlobStoreError("fenced", `Epoch ${epoch} was fenced off by epoch ${newest}.`)
    }
    epochs.set(key, epoch)
  }

  /** Truncates an unfinished file, durably. What was hashed of it may include what is cut off. */
  const cut = async (key: string, handle: FileHandle, offset: number): Promise<void> => {
    const size = Math.min(offset, doubtful.get(key) ?? offset)
    doubtful.set(key, size)
    hasher.forget(key)
    await handle.truncate(size)
    await handle.datasync()
    doubtful.delete(key)
  }

  /** Forgets what is known about a file in progress. */
  const forget = (key: string): void => {
    for (const known of [epochs, flushed, doubtful]) known.delete(key)
  }

  const claim = async (key: string, epoch: number): Promise<BlobState> => {
    const before = epochs.get(key) ?? epoch - 1
    admit(key, epoch)
    const path = files.pathOf(key)
    if (!(await files.takeOver(path, epoch, before))) {
      const size = await files.sizeOf(path)
      return { size: size ?? 0, isFinished: size !== undefined }
    }
    // What a process that died had written is in the system's cache, and not certain to be on the disk yet.
    const handle = await openFile(`${path}.${epoch}`, "r+")
    try {
      const doubt = doubtful.get(key)
      if (doubt !== undefined) await cut(key, handle, doubt)
      else {
        await handle.datasync().catch(async (cause: unknown) => {
          await cut(key, handle, flushed.get(key) ?? 0)
          throw cause
        })
      }
      return { size: (await handle.stat()).size, isFinished: false }
    } finally {
      await handle.close()
    }
  }

  /** Opens the file to write at its end; checks that the end is where the writer expects it. */
  const openAt = async (path: string, epoch: number, offset: number): Promise<FileHandle> => {
    if (offset === 0) {
      await files.makeShard(path)
      // A first epoch has nothing before it; a later one may follow a crash between `finish` and the catalog's commit.
      if (epoch > 1 && (await files.sizeOf(path)) !== undefined) {
        throw new BlobStoreError("offset", "The blob is finished.")
      }
      const create = (): Promise<FileHandle> => fs.open(`${path}.${epoch}`, "wx", 0o600)
      const created = await create().catch(async (cause: unknown) => {
        if (codeOf(cause) === "EEXIST") return undefined
        if (codeOf(cause) !== "ENOENT") throw cause
        // Somebody has tidied up empty folders.
        files.forgetShard(path)
        await files.makeShard(path)
        return create()
      })
      if (created !== undefined) return created
    }
    const handle = await openFile(`${path}.${epoch}`, "r+")
    const { size } = await handle.stat()
    if (size === offset) return handle
    await handle.close()
    throw new BlobStoreError("offset", `The blob ends at ${size}, not at ${offset}.`)
  }

  const append = async (
    key: string,
    { epoch, offset, body, isHashed = false, isDisposable = false }: Append,
  ): Promise<Appended> => {
    admit(key, epoch)
    const path = files.pathOf(key)
    const current = `${path}.${epoch}`
    const handle = await openAt(path, epoch, offset)
    const named = offset === 0 ? files.syncShard(path) : undefined
    const isNamed = named?.then(
      () => true,
      () => false,
    )
    // If this fails, the next process that claims the file has to truncate it first.
    const cutOff = (): Promise<void> => cut(key, handle, offset).catch(() => {})
    const admitBatch = (stored: number): void => {
      const isFenced = epochs.get(key) !== epoch || (stored > offset && !files.exists(current))
      if (isFenced) throw new BlobStoreError("fenced", `Epoch ${epoch} was fenced off.`)
    }
    let followed = offset
    const onWritten = (stored: number, isLast: boolean): void => {
      if (!isHashed || stored === followed || (!isLast && stored - followed < followEvery)) return
      followed = stored
      hasher.follow(key, current, stored)
    }
    try {
      const appended = await appendBody(handle, offset, body, { admit: admitBatch, onWritten, cutOff, isDisposable })
      await named
      flushed.set(key, appended.offset)
      return appended
    } catch (cause) {
      // The name is only made durable with the first byte.
      if ((await isNamed) === false) await cutOff()
      throw cause
    } finally {
      await handle.close()
    }
  }

  const finish: BlobStore["finish"] = async (key, { epoch, size, isHashed = false }) => {
    admit(key, epoch)
    const path = files.pathOf(key)
    const unfinished = await files.sizeOf(`${path}.${epoch}`)
    const found = unfinished ?? (await files.sizeOf(path))
    if (found === undefined) throw new BlobStoreError("fenced", `Epoch ${epoch} no longer has a file.`)
    if (found !== size) throw new BlobStoreError("offset", `The blob has ${found} bytes, not ${size}.`)
    const digest = isHashed ? await hasher.digest(key, unfinished === undefined ? path : `${path}.${epoch}`, size) : ""
    if (unfinished !== undefined) await renameFile(`${path}.${epoch}`, path)
    if (epochs.get(key) === epoch) forget(key)
    return { digest, ref: null }
  }

  /** Where the bytes are, finished or not. */
  const locate = async (key: string): Promise<string> => {
    const path = files.pathOf(key)
    if ((await files.sizeOf(path)) !== undefined) return path
    return `${path}.${epochs.get(key) ?? Math.max(0, ...(await files.listEpochs(path)))}`
  }

  const read = async (key: string, start: number, end: number): Promise<ReadableStream<Uint8Array>> => {
    const handle = await openFile(files.pathOf(key), "r").catch(async (cause: unknown) => {
      if (codeOf(cause) !== "ENOENT") throw cause
      return openFile(await locate(key), "r")
    })
    return readRange(handle, start, end, toError)
  }

  const remove = async (key: string): Promise<void> => {
    forget(key)
    hasher.forget(key)
    const path = files.pathOf(key)
    const paths = [path, ...(await files.listEpochs(path)).map((epoch) => `${path}.${epoch}`)]
    await Promise.all(paths.map((each) => fs.rm(each, { force: true })))
  }

  /** Writes a byte, makes it durable and removes it: a disk may well be readable when nothing can be written to it. */
  const probe = async (): Promise<void> => {
    files.requireRoot()
    const path = process.getBuiltinModule("node:path").join(folder, ".probe")
    try {
      await fs.writeFile(path, new Uint8Array(1), { mode: 0o600, flush: true })
    } finally {
      await fs.rm(path, { force: true })
    }
  }

  /** What an ordinary user may still write; the file system reserves some for root. */
  const free = async (): Promise<number> => {
    files.requireRoot()
    return toFreeRoom(await fs.statfs(folder))
  }

  const store: BlobStore = {
    abilities: { isDurable: true, readsUnfinished: true },
    claim,
    append,
    finish,
    read: (key, { start, end }) => read(key, start, end),
    remove,
    probe,
    free,
    close: hasher.close,
  }
  // In one place, so that it applies to every method, present and future.
  return wrapPort(store, async (_method, run) => {
    try {
      return await run()
    } catch (cause) {
      throw toError(cause)
    }
  })
}
