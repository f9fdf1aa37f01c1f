import { type FileHandle, open, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileFromStream, type UploadableFile } from "../../client.node.ts"
import { CommandFailure, describeSystemError } from "../command-failure.ts"

/** Bytes read from the disk at a time. */
const pieceSize = 1024 * 1024

/** Standard input, kept on the disk until it is uploaded. */
export interface SpooledInput {
  readonly file: UploadableFile
  /** Frees the room on the disk. */
  readonly close: () => Promise<void>
}

const toFailure = (error: unknown): CommandFailure =>
  new CommandFailure(
    `Standard input cannot be kept in ${tmpdir()}: ${describeSystemError(error)}. Make room there, or set TMPDIR to another folder.`,
  )

/** The bytes from a position to the end, read no faster than they are taken. */
const readFrom = (handle: FileHandle, start: number, size: number): ReadableStream<Uint8Array> => {
  let at = start
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    const { bytesRead, buffer } = await handle.read(new Uint8Array(Math.min(pieceSize, size - at)), { position: at })
    at += bytesRead
    if (bytesRead > 0) controller.enqueue(buffer.subarray(0, bytesRead))
    if (bytesRead === 0 || at === size) controller.close()
  }
  return new ReadableStream({ pull }, { highWaterMark: 0 })
}

/**
 * Writes a stream whose size nobody knows to a temporary file, because a signed URL says how many bytes come. Memory
 * does not grow with it. The file's name is removed as soon as it is open: the system frees it with the process,
 * however that ends, and no other process can open it. Where open files cannot be removed, `close` does it.
 *
 * Fails: with a {@link CommandFailure} where the disk fails, and with the error of the stream; nothing is left then.
 *
 * @param onBytes is called with how many bytes more there are
 */
export const spoolInput = async (
  input: AsyncIterable<Uint8Array>,
  { name, type }: { readonly name: string; readonly type?: string | undefined },
  onBytes: (count: number) => void,
): Promise<SpooledInput> => {
  const path = join(tmpdir(), `sluice-${crypto.randomUUID()}`)
  const handle = await open(path, "wx+", 0o600).catch((error: unknown) => {
    throw toFailure(error)
  })
  const isUnnamed = await rm(path).then(
    () => true,
    () => false,
  )
  const close = async () => {
    await handle.close()
    if (!isUnnamed) await rm(path, { force: true })
  }
  let size = 0
  try {
    for await (const chunk of input) {
      for (let at = 0; at < chunk.length;) {
        const { bytesWritten } = await handle.write(chunk, at, chunk.length - at, size).catch((error: unknown) => {
          throw toFailure(error)
        })
        at += bytesWritten
        size += bytesWritten
      }
      onBytes(chunk.length)
    }
  } catch (error) {
    await close()
    throw error
  }
  const file = fileFromStream({ name, size, type, stream: (start) => readFrom(handle, start, size) })
  return { file, close }
}
