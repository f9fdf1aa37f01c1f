import { UploadError } from "../../protocol/errors/upload-error.ts"
import { toByteStream } from "./byte-stream.ts"

/** Bytes kept on disk for a while. */
export interface Spool {
  readonly size: number
  /** From an offset to the end. */
  readonly read: (start: number) => ReadableStream<Uint8Array>
  /** Frees the room on the disk. */
  readonly close: () => Promise<void>
}

const pieceSize = 256 * 1024

/**
 * Writes bytes to a temporary file, whose name is removed as soon as it is open: the system frees it with the process,
 * however that ends, and no other process can open it. Where open files cannot be removed, `close` does it.
 *
 * Fails: rejects with the error of the bytes or of `check`, and with INTERNAL_ERROR where the disk fails; nothing is
 *        left behind then.
 *
 * @param check is called with how many bytes there are, before they are written
 */
export const spool = async (bytes: AsyncIterable<Uint8Array>, check: (size: number) => void): Promise<Spool> => {
  const { open, rm } = process.getBuiltinModule("node:fs/promises")
  const { join } = process.getBuiltinModule("node:path")
  const { tmpdir } = process.getBuiltinModule("node:os")
  const path = join(tmpdir(), `sluice-${crypto.randomUUID()}`)
  const fail = (cause: unknown): never => {
    const message = `A file whose server does not say its size cannot be kept in ${tmpdir()} (${String((cause as { code?: unknown }).code)}). Make room there, or set TMPDIR to another folder.`
    throw new UploadError({ code: "INTERNAL_ERROR", message, cause })
  }
  const file = await open(path, "wx+", 0o600).catch(fail)
  let isNamed = true
  const unname = async () => {
    await rm(path, { force: true })
    isNamed = false
  }
  let closing: Promise<void> | undefined
  const close = () =>
    (closing ??= (async () => {
      await file.close()
      if (isNamed) await unname()
    })())

  let size = 0
  try {
    await unname().catch(() => undefined)
    for await (const chunk of bytes) {
      check(size + chunk.byteLength)
      for (let at = 0; at < chunk.byteLength;) {
        const { bytesWritten } = await file.write(chunk, at, chunk.byteLength - at, size).catch(fail)
        at += bytesWritten
        size += bytesWritten
      }
    }
  } catch (error) {
    await close()
    throw error
  }

  const readFrom = async function* (start: number): AsyncGenerator<Uint8Array, void> {
    for (let at = start; at < size;) {
      const { bytesRead, buffer } = await file.read(new Uint8Array(Math.min(pieceSize, size - at)), 0, undefined, at)
      if (bytesRead === 0) return
      at += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  }
  return { size, read: (start) => toByteStream(readFrom(start)), close }
}
