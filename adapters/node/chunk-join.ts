/** Chunks smaller than this are joined: each costs some 400 bytes in addition to its own, however few those are. */
export const smallChunk = 4096

/** Joins chunks in memory of its own, which grows by doubling. */
export interface ChunkJoin {
  /** @returns how many bytes there are now */
  readonly add: (chunk: Uint8Array<ArrayBuffer>) => number
  /** Returns all bytes, and begins anew. */
  readonly take: () => Uint8Array<ArrayBuffer>
}

export const createChunkJoin = (): ChunkJoin => {
  let memory = new Uint8Array()
  let length = 0
  return {
    add: (chunk) => {
      const end = length + chunk.length
      if (length === 0) memory = new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength)
      else {
        if (end > memory.length) {
          const grown = new Uint8Array(Math.max(end, 2 * memory.length, 1024))
          grown.set(memory.subarray(0, length))
          memory = grown
        }
        memory.set(chunk, length)
      }
      length = end
      return end
    },
    take: () => {
      const joined = length === memory.length ? memory : new Uint8Array(memory.buffer.transfer(length))
      memory = new Uint8Array()
      length = 0
      return joined
    },
  }
}
