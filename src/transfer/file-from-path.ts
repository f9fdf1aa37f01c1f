import type { FileHandle } from "node:fs/promises"
import { UploadError } from "../protocol/upload-error.ts"
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
}

/** Reads a known file from a byte on, which is before its end. The last piece is only given out where the file is still the same. */
const readFrom = (start: number, { path, size, mtimeMs }: KnownFile): ReadableStream<Uint8Array> => {
  const { fs } = findFileSystem()
  let opening: Promise<FileHandle> | undefined
  let at = start

  const readPiece = async (): Promise<Uint8Array> => {
    opening ??= fs.open(path)
    const handle = await opening.catch((cause: unknown) => {
      throw toOpenError(cause, path)
    })
    const { bytesRead, buffer } = await handle.read(new Uint8Array(Math.min(pieceSize, size - at)), { position: at })
    at += bytesRead
    if (bytesRead > 0 && at < size) return buffer.subarray(0, bytesRead)
    const now = await handle.stat()
    if (at === size && now.size === size && now.mtimeMs === mtimeMs) return buffer.subarray(0, bytesRead)
    const sizes = `it had ${size} bytes when its upload began, and has ${now.size} now`
    throw new UploadError({ code: "SIZE_MISMATCH", message: `The file at ${path} has changed: ${sizes}.` })
  }

  const close = async (): Promise<void> => {
    const handle = await opening?.catch(() => undefined)
    await handle?.close()
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
  return new ReadableStream({ pull, cancel: close }, { highWaterMark: 0 })
}

/**
 * Makes a file that can be uploaded from a file on the disk. Node, Bun and Deno.
 *
 * It is opened only while it is sent, and read in pieces of 1 MiB, no faster than the network takes them.
 *
 * Fails: rejects with an UploadError that names the path: NOT_FOUND, BAD_REQUEST, INVALID_CONFIG. The upload fails with
 *        SIZE_MISMATCH where the file has changed since this call.
 */
export const fileFromPath: FileFromPath = async (path, { name, type = "" } = {}) => {
  const { fs, paths, urls } = findFileSystem()
  try {
    const known = path instanceof URL ? urls.fileURLToPath(path) : path
    const stats = await fs.stat(known)
    // Asked before it is opened, because opening a pipe would wait for its other end.
    if (!stats.isFile()) throw new Error("it is not a regular file.")
    const { size, mtimeMs } = stats
    const slice = (start: number) => (start < size ? readFrom(start, { path: known, size, mtimeMs }) : new Blob())
    return { name: name ?? paths.basename(known), size, type, lastModified: mtimeMs, slice }
  } catch (cause) {
    throw toOpenError(cause, path)
  }
}
