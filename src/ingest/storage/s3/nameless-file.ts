import type { FileHandle } from "node:fs/promises"
import { BlobStoreError } from "../blob-store.ts"
import { isOutOfRoom } from "../disk/free-room.ts"

/** A file that has no name: nothing of it is left when its process ends, however that does. */
export interface NamelessFile {
  /** Writes all of the bytes. */
  readonly write: (bytes: Uint8Array, position: number) => Promise<void>
  /** Fills a piece of memory. */
  readonly read: (into: Uint8Array, position: number) => Promise<void>
  readonly close: () => Promise<void>
}

/** The local disk is at fault, and not the bucket: operators have to look elsewhere. */
const toFailure = (folder: string, cause: unknown): BlobStoreError => {
  const isFull = isOutOfRoom(cause)
  const message = isFull
    ? `The local disk of ${folder} is full: parts that have no room in memory go there.`
    : `The local folder ${folder} failed, where parts go that have no room in memory.`
  return new BlobStoreError(isFull ? "full" : "io", message, cause)
}

/**
 * Makes one in a folder, the system's folder for temporary files by default.
 *
 * Fails: rejects with a {@link BlobStoreError} that names the folder, and so does all that is done with the file.
 */
export const openNamelessFile = async (given?: string): Promise<NamelessFile> => {
  const fs = process.getBuiltinModule("node:fs/promises")
  const folder = given ?? process.getBuiltinModule("node:os").tmpdir()

  const attempt = async <A>(run: () => Promise<A>): Promise<A> => {
    try {
      return await run()
    } catch (cause) {
      throw toFailure(folder, cause)
    }
  }

  const open = async (): Promise<FileHandle> => {
    const path = process.getBuiltinModule("node:path").join(folder, `sluice-part-${crypto.randomUUID()}`)
    const opened = await fs.open(path, "wx+", 0o600)
    await fs.unlink(path)
    return opened
  }

  const handle = await attempt(open)
  return {
    write: (bytes, position) =>
      attempt(async () => {
        for (let at = 0; at < bytes.length;) {
          at += (await handle.write(bytes, at, bytes.length - at, position + at)).bytesWritten
        }
      }),
    read: (into, position) =>
      attempt(async () => {
        for (let at = 0; at < into.length;) {
          const { bytesRead } = await handle.read(into, at, into.length - at, position + at)
          if (bytesRead === 0) throw new Error("The file of gathered bytes ended early.")
          at += bytesRead
        }
      }),
    close: () => handle.close(),
  }
}
