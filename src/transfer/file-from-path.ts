import type { FileHandle } from "node:fs/promises"
import { markDisposable } from "../protocol/disposable-stream.ts"
import { UploadError } from "../protocol/errors/upload-error.ts"
import { findUnknownOption } from "../protocol/unknown-option.ts"
import { type FileFromPath, noFileSystem } from "./no-file-system.ts"

/** Bytes read from the disk at a time. */
const pieceSize = 1024 * 1024

/** The runtime's file system; looked up only here, so that other runtimes and bundlers do not need it. */
const findFileSystem = () => {
  const { process } = globalThis as { process?: Partial<NodeJS.Process> }
  const module = process?.getBuiltinModule
  if (module === undefined) throw noFileSystem()
  return { fs: module("node:fs/promises"), paths: module("node:path"), urls: module("node:url") }
}

const toOpenError = (cause: unknown, path: string | URL): UploadError => {
  const { code, message } = cause as { readonly code?: string; readonly message?: string }
  return code === "ENOENT" || code === "ENOTDIR"
    ? new UploadError({ code: "NOT_FOUND", message: `There is no file at ${path}.`, cause })
    : new UploadError({ code: "BAD_REQUEST", message: `The file at ${path} cannot be read: ${message}`, cause })
}

/** A file as it was when its upload was asked for. */
interface KnownFile {
  readonly path: string
  readonly size: number
  readonly mtimeMs: number
  readonly dev: number
  readonly ino: number
}

const notRegular = () => new Error("it is not a regular file.")

/** Opens a known file. Fails: rejects with an UploadError, SIZE_MISMATCH where it has changed. */
const openKnown = async (
  file: KnownFile,
): Promise<{ readonly handle: FileHandle; readonly check: () => Promise<void> }> => {
  const { fs } = findFileSystem()
  const { O_RDONLY, O_NONBLOCK } = fs.constants
  const { path, size } = file
  try {
    // To open a pipe would otherwise wait for its other end, and hold a thread of the runtime's pool meanwhile.
    const handle = await fs.open(path, O_RDONLY | O_NONBLOCK)
    const check = async () => {
      const now = await handle.stat()
      if (!now.isFile()) throw notRegular()
      if ((["size", "mtimeMs", "dev", "ino"] as const).every((part) => now[part] === file[part])) return
      const sizes = now.size === size ? "" : `: it had ${size} bytes, and has ${now.size} now`
      const message = `The file at ${path} has changed since its upload was asked for${sizes}.`
      throw new UploadError({ code: "SIZE_MISMATCH", message })
    }
    try {
      await check()
    } catch (cause) {
      await handle.close()
      throw cause
    }
    return { handle, check }
  } catch (cause) {
    throw UploadError.is(cause) ? cause : toOpenError(cause, path)
  }
}

/** Reads a known file from a byte on, which is before its end. The last piece is only given out where the file is still the same. */
const readFrom = (start: number, file: KnownFile): ReadableStream<Uint8Array> => {
  const { size } = file
  let opening: ReturnType<typeof openKnown> | undefined
  let at = start

  const readPiece = async (): Promise<Uint8Array> => {
    const { handle, check } = await (opening ??= openKnown(file))
    const { bytesRead, buffer } = await handle.read(new Uint8Array(Math.min(pieceSize, size - at)), { position: at })
    at += bytesRead
    if (bytesRead === 0 || at === size) await check()
    if (bytesRead > 0) return buffer.subarray(0, bytesRead)
    throw new UploadError({
      code: "SIZE_MISMATCH",
      message: `The file at ${file.path} ends at ${at} of ${size} bytes.`,
    })
  }

  const close = async (): Promise<void> => {
    const opened = await opening?.catch(() => undefined)
    await opened?.handle.close()
  }

  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    try {
      controller.enqueue(await readPiece())
      if (at < size) return
      controller.close()
    } catch (cause) {
      controller.error(cause)
    }
    await close()
  }
  // Nothing is read, or opened, before somebody asks for it.
  return markDisposable(new ReadableStream({ pull, cancel: close }, { highWaterMark: 0 }))
}

/** Checks that a file that was empty still is; those of /proc say that they are, and are not. */
const checkEmpty = async (file: KnownFile): Promise<void> => {
  const { handle } = await openKnown(file)
  try {
    const { bytesRead } = await handle.read(new Uint8Array(1), { position: 0 })
    if (bytesRead > 0) throw new Error("its size is not known before it is read. Use fileFromStream.")
  } catch (cause) {
    throw toOpenError(cause, file.path)
  } finally {
    await handle.close()
  }
}

/**
 * Makes a file that can be uploaded from a file on the disk. Node, Bun and Deno.
 *
 * It is opened only while it is sent, and read in pieces of 1 MiB, no faster than the network takes them.
 *
 * Fails: rejects with an UploadError that names the path: NOT_FOUND, BAD_REQUEST, INVALID_CONFIG. The upload fails with
 *        SIZE_MISMATCH where the file has changed since this call (size, time of its content, or another file in its place).
 */
export const fileFromPath: FileFromPath = async (path, options = {}) => {
  const { fs, paths, urls } = findFileSystem()
  const unknown = findUnknownOption(options, ["name", "type"])
  if (unknown !== undefined) throw new UploadError({ code: "INVALID_CONFIG", message: `fileFromPath: ${unknown}` })
  try {
    const isUrl = path instanceof URL || path.startsWith("file://")
    const known = paths.resolve(isUrl ? urls.fileURLToPath(path) : path)
    const stats = await fs.stat(known)
    // Asked before it is opened, because opening a device may do something.
    if (!stats.isFile()) throw notRegular()
    const { size, mtimeMs, dev, ino } = stats
    const file: KnownFile = { path: known, size, mtimeMs, dev, ino }
    if (size === 0) await checkEmpty(file)
    const slice = async (start: number) => {
      if (start < size) return readFrom(start, file)
      if (size === 0) await checkEmpty(file)
      return new Blob()
    }
    const { name = paths.basename(known), type = "" } = options
    return { name, size, type, lastModified: mtimeMs, slice }
  } catch (cause) {
    throw UploadError.is(cause) ? cause : toOpenError(cause, path)
  }
}
