import { fileFromStream } from "../transfer/file-from-stream.ts"
import { UploadError } from "../protocol/upload-error.ts"
import type { UploadDetails, UploadSource } from "./upload-source.ts"

/** A file on the server's own disk. */
export interface PathInput extends UploadDetails {
  /** A path, or a `file:` URL. */
  readonly path: string | URL
  /** By default the path's last part. */
  readonly name?: string | undefined
  /** Media type; by default looked up by the name's extension. */
  readonly type?: string | undefined
}

/** Bytes read from the disk at a time. */
const pieceSize = 256 * 1024

/** The runtime's file system; looked up only here, so that other runtimes and bundlers do not need it. */
const findFileSystem = () => {
  const { process } = globalThis as { process?: Partial<NodeJS.Process> }
  const module = process?.getBuiltinModule
  if (module === undefined) {
    throw new UploadError({
      code: "INVALID_CONFIG",
      message: "This runtime has no file system to upload a path from. Give a Blob or a stream.",
    })
  }
  return { fs: module("node:fs/promises"), path: module("node:path"), url: module("node:url") }
}

const toOpenError = (cause: unknown, path: string): UploadError => {
  const { code, message } = cause as { readonly code?: string; readonly message?: string }
  return code === "ENOENT" || code === "ENOTDIR"
    ? new UploadError({ code: "NOT_FOUND", message: `There is no file at ${path}.`, cause })
    : new UploadError({ code: "BAD_REQUEST", message: `The file at ${path} cannot be read: ${message}`, cause })
}

/**
 * Opens a file on the disk, which is then read while it is sent: its size does not matter to memory.
 *
 * Fails: rejects with an UploadError that names the path: NOT_FOUND, BAD_REQUEST, INVALID_CONFIG. The upload fails with
 *        SIZE_MISMATCH where the file grows or shrinks meanwhile.
 */
export const openPath = async (input: PathInput): Promise<UploadSource> => {
  const { fs, path, url } = findFileSystem()
  try {
    const place = input.path instanceof URL ? url.fileURLToPath(input.path) : input.path
    // Checked before it is opened, because opening a pipe would wait for its other end.
    if (!(await fs.stat(place)).isFile()) throw new Error("it is not a regular file.")
    const handle = await fs.open(place)
    const { size, mtimeMs } = await handle.stat()
    const stream = (start: number) => {
      let at = start
      const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
        const { bytesRead, buffer } = await handle.read(new Uint8Array(pieceSize), 0, pieceSize, at)
        at += bytesRead
        if (bytesRead === 0) controller.close()
        else controller.enqueue(buffer.subarray(0, bytesRead))
      }
      return new ReadableStream({ pull }, { highWaterMark: 0 })
    }
    const { name = path.basename(place), type, customId, contentDisposition, acl } = input
    return {
      ...fileFromStream({ name, size, type, lastModified: mtimeMs, stream }),
      customId,
      contentDisposition,
      acl,
      close: () => handle.close(),
    }
  } catch (cause) {
    throw toOpenError(cause, String(input.path))
  }
}
