import { createHash } from "node:crypto"
import type { UploadableFile } from "../../api.ts"

/** A file that is hashed while it is sent. */
export interface HashedFile {
  readonly file: UploadableFile
  /** The SHA-256 of the whole content, 64 hex digits; reads what was not sent. Fails: as the file does. */
  readonly digest: () => Promise<string>
}

const toStream = (body: object): ReadableStream<Uint8Array> =>
  "getReader" in body ? (body as ReadableStream<Uint8Array>) : (body as Blob).stream()

/**
 * Hashes a file's bytes on their way, each once and in order, however often a part of it is sent again after a
 * connection broke.
 */
export const withHash = (file: UploadableFile): HashedFile => {
  const hash = createHash("sha256")
  /** Bytes from the start. */
  let hashed = 0

  const slice = async (start: number): Promise<ReadableStream<Uint8Array>> => {
    let at = Math.min(start, hashed)
    const reader = toStream(await file.slice(at)).getReader()
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return controller.close()
        if (at + value.length > hashed) {
          hash.update(value.subarray(hashed - at))
          hashed = at + value.length
        }
        const rest = value.subarray(Math.max(0, start - at))
        at += value.length
        if (rest.length > 0) return controller.enqueue(rest)
      }
    }
    return new ReadableStream({ pull, cancel: (reason) => reader.cancel(reason) }, { highWaterMark: 0 })
  }

  const digest = async (): Promise<string> => {
    if (hashed < file.size) for await (const _ of await slice(hashed));
    return hash.digest("hex")
  }

  return {
    // An empty file has nothing to hash, and a Blob says so.
    file: { ...file, slice: (start) => (file.size === 0 ? file.slice(start) : slice(start)) },
    digest,
  }
}
