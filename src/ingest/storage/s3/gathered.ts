import type { FileHandle } from "node:fs/promises"
import { createPlaces } from "./places.ts"

/** Memory for bytes on their way into parts, bytes of a process; what has no room goes to a file. */
const budget = 256 * 1024 * 1024

/** Memory is taken in blocks that grow with what is gathered: many slow uploads hold little each. */
const block = { smallest: 16 * 1024, largest: 256 * 1024 }

/** Files that are read back at the same time; each then takes the memory of a part. */
const readBacksAtOnce = 4

/** Bytes that are gathered until there are enough of them for a part. */
export interface Gathered {
  /** How many there are. */
  readonly length: () => number
  /** Copies bytes to the end. */
  readonly add: (bytes: Uint8Array) => Promise<void> | void
  /** Lends all of them, until `use` has resolved. */
  readonly lend: <A>(use: (pieces: ReadonlyArray<Uint8Array>) => Promise<A>) => Promise<A>
  /** Gives the memory or the file back. Nothing may be added after that. */
  readonly drop: () => Promise<void>
}

/**
 * Makes what gathers bytes within one budget of memory. Beyond it bytes are written to files that have no name, so that
 * nothing of them is left when the process ends, however it does.
 *
 * @param folder where those files are; by default the system's folder for temporary files
 */
export const createGatherer = (folder?: string, most = budget): { readonly begin: () => Gathered } => {
  let taken = 0
  const readBacks = createPlaces(readBacksAtOnce)

  const openNameless = async (): Promise<FileHandle> => {
    const fs = process.getBuiltinModule("node:fs/promises")
    const { join } = process.getBuiltinModule("node:path")
    const path = join(folder ?? process.getBuiltinModule("node:os").tmpdir(), `sluice-part-${crypto.randomUUID()}`)
    const handle = await fs.open(path, "wx+", 0o600)
    await fs.unlink(path)
    return handle
  }

  const begin = (): Gathered => {
    let blocks: Array<Uint8Array> = []
    /** Bytes that are used of the last block. */
    let used = 0
    let length = 0
    let held = 0
    let file: FileHandle | undefined

    const letMemoryGo = (): void => {
      taken -= held
      held = 0
      blocks = []
    }

    const pieces = (): ReadonlyArray<Uint8Array> =>
      blocks.map((each, index) => (index === blocks.length - 1 ? each.subarray(0, used) : each))

    const write = async (handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> => {
      for (let at = 0; at < bytes.length;) {
        at += (await handle.write(bytes, at, bytes.length - at, position + at)).bytesWritten
      }
    }

    const addToFile = async (bytes: Uint8Array): Promise<void> => {
      if (file === undefined) {
        file = await openNameless()
        let position = 0
        for (const piece of pieces()) {
          await write(file, piece, position)
          position += piece.length
        }
        letMemoryGo()
      }
      await write(file, bytes, length)
      length += bytes.length
    }

    const add = (bytes: Uint8Array): Promise<void> | void => {
      if (file !== undefined) return addToFile(bytes)
      let rest = bytes
      while (rest.length > 0) {
        let last = blocks.at(-1)
        if (last === undefined || used === last.length) {
          const size = Math.min(Math.max(length, block.smallest), block.largest)
          if (taken + size > most) return addToFile(rest)
          taken += size
          held += size
          last = new Uint8Array(size)
          blocks.push(last)
          used = 0
        }
        const now = rest.subarray(0, last.length - used)
        last.set(now, used)
        used += now.length
        length += now.length
        rest = rest.subarray(now.length)
      }
    }

    const readBack = async (handle: FileHandle): Promise<Uint8Array> => {
      const bytes = new Uint8Array(length)
      for (let at = 0; at < length;) {
        const { bytesRead } = await handle.read(bytes, at, length - at, at)
        if (bytesRead === 0) throw new Error("The file of gathered bytes ended early.")
        at += bytesRead
      }
      return bytes
    }

    return {
      length: () => length,
      add,
      lend: async (use) => {
        if (file === undefined) return use(pieces())
        const giveBack = await readBacks.take()
        try {
          return await use([await readBack(file)])
        } finally {
          giveBack()
        }
      },
      drop: async () => {
        letMemoryGo()
        const opened = file
        file = undefined
        await opened?.close()
      },
    }
  }
  return { begin }
}
