/** Gathered bytes: the first `length` of `memory`. */
export interface Gathered {
  readonly memory: Uint8Array
  readonly length: number
}

/** Nothing yet. */
export const nothingGathered: Gathered = { memory: new Uint8Array(), length: 0 }

/**
 * Adds a chunk to the gathered bytes, in one piece of memory that grows by doubling. A list of chunks would let a body
 * that is cut into single bytes cost two hundred times its size. The first chunk is kept without a copy.
 */
export const appendBytes = ({ memory, length }: Gathered, chunk: Uint8Array): Gathered => {
  const end = length + chunk.length
  if (length === 0) return { memory: chunk, length: end }
  let grown = memory
  if (end > memory.length) {
    grown = new Uint8Array(Math.max(end, 2 * memory.length, 1024))
    grown.set(memory.subarray(0, length))
  }
  grown.set(chunk, length)
  return { memory: grown, length: end }
}

/** The gathered bytes, without the unused memory after them. */
export const toBytes = ({ memory, length }: Gathered): Uint8Array => memory.subarray(0, length)
