import { type NamelessFile, openNamelessFile } from "./nameless-file.ts"
import { type BlockPool, createBlockPool } from "./block-pool.ts"
import { createShare } from "./share.ts"

/** Memory for bytes on their way into parts, bytes of a process; what has no room goes to a file. Twice as much made nothing faster. */
const budget = 128 * 1024 * 1024

/** Which part of it is for what is read back from files: without one of its own it would wait for those who wait for it. */
const readBackShare = 1 / 4

/** Memory is taken in blocks that grow with what is gathered: many slow uploads hold little each. */
const block = { smallest: 16 * 1024, largest: 256 * 1024 }

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
 * Makes what gathers bytes within one budget of memory. Beyond it bytes are written to files that have no name, and read
 * back within the same budget, as many parts at a time as fit into a quarter of it, and one where that is larger.
 *
 * @param folder where those files are; by default the system's folder for temporary files
 */
export const createGatherer = (folder?: string, most = budget): { readonly begin: () => Gathered } => {
  const readBacks = createShare(most * readBackShare)
  const readPool = createBlockPool(() => most * readBackShare - readBacks.taken())
  const pool: BlockPool = createBlockPool(() => room())
  const room = (): number => most - Math.max(most * readBackShare, readBacks.taken()) - pool.taken()

  const begin = (): Gathered => {
    let blocks: Array<Uint8Array> = []
    /** Bytes that are used of the last block. */
    let used = 0
    let length = 0
    let file: NamelessFile | undefined

    const letMemoryGo = (): void => {
      for (const each of blocks) pool.give(each)
      blocks = []
    }

    const pieces = (): ReadonlyArray<Uint8Array> =>
      blocks.map((each, index) => (index === blocks.length - 1 ? each.subarray(0, used) : each))

    const addToFile = async (bytes: Uint8Array): Promise<void> => {
      if (file === undefined) {
        file = await openNamelessFile(folder)
        let position = 0
        for (const piece of pieces()) {
          await file.write(piece, position)
          position += piece.length
        }
        letMemoryGo()
      }
      await file.write(bytes, length)
      length += bytes.length
    }

    const add = (bytes: Uint8Array): Promise<void> | void => {
      if (file !== undefined) return addToFile(bytes)
      let rest = bytes
      while (rest.length > 0) {
        let last = blocks.at(-1)
        if (last === undefined || used === last.length) {
          const size = Math.min(Math.max(length, block.smallest), block.largest)
          if (size > room()) return addToFile(rest)
          last = pool.take(size)
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

    const readInto = async (
      lent: ReadonlyArray<Uint8Array>,
      from: NamelessFile,
    ): Promise<ReadonlyArray<Uint8Array>> => {
      const filled = lent.map((each, index) => each.subarray(0, length - index * block.largest))
      for (const [index, each] of filled.entries()) await from.read(each, index * block.largest)
      return filled
    }

    return {
      length: () => length,
      add,
      lend: async (use) => {
        if (file === undefined) return use(pieces())
        const giveBack = await readBacks.take(length)
        const lent = Array.from({ length: Math.ceil(length / block.largest) }, () => readPool.take(block.largest))
        try {
          return await use(await readInto(lent, file))
        } finally {
          // First, because what is free may be kept.
          giveBack()
          for (const each of lent) readPool.give(each)
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
