import { UploadError } from "../protocol/errors/upload-error.ts"
import type { UploadableFile } from "./uploadable-file.ts"

/** The parts of a file that is read as a stream. */
export interface StreamFileOptions {
  readonly name: string
  /** Bytes, exactly: the size is signed before the first byte is read. */
  readonly size: number
  /** Media type; empty by default. */
  readonly type?: string | undefined
  /** ms since the epoch. */
  readonly lastModified?: number | undefined
  /** The bytes from `start` to the end; called again with the offset to resume from after a connection broke. */
  readonly stream: (start: number) => ReadableStream<Uint8Array> | Promise<ReadableStream<Uint8Array>>
}

/**
 * Makes a file that can be uploaded from a stream whose length is known: a file on a disk, or an answer of another
 * server.
 *
 * Node, Bun and Deno send it as it is read, no faster than the network takes it. Browsers cannot send streams: there
 * it is read into a Blob first.
 *
 * Fails: the upload, with SIZE_MISMATCH, where the stream has fewer or more bytes than announced.
 */
export const fileFromStream = (options: StreamFileOptions): UploadableFile => {
  const { name, size, type = "", lastModified, stream } = options
  const slice = async (start: number) => {
    const length = size - start
    if (length === 0) return new Blob()
    let seen = 0
    const check = (isWrong: boolean) => {
      if (!isWrong) return
      const message = `The stream of ${name} gives ${seen > length ? "more" : "fewer"} than the ${length} bytes that its size of ${size} leaves from byte ${start} on.`
      throw new UploadError({ code: "SIZE_MISMATCH", message })
    }
    const exactly = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        seen += chunk.byteLength
        check(seen > length)
        controller.enqueue(chunk)
      },
      flush: () => check(seen < length),
    })
    return (await stream(start)).pipeThrough(exactly)
  }
  return { name, size, type, lastModified, slice }
}
