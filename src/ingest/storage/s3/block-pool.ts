/** Bytes of blocks that are kept for the next part: made anew, they cost a third of the processor time of an upload. */
const mostSpare = 32 * 1024 * 1024

/** Gives out memory in blocks, and takes it back. */
export interface BlockPool {
  /** A block of this size, which is one of a few; what is in it is left of others. */
  readonly take: (size: number) => Uint8Array
  readonly give: (block: Uint8Array) => void
  /** Bytes that are given out. */
  readonly taken: () => number
}

/** Makes one. @param room how many bytes may be kept beside those that are given out */
export const createBlockPool = (room: () => number): BlockPool => {
  /** By size. */
  const spare = new Map<number, Array<Uint8Array>>()
  let kept = 0
  let taken = 0

  const takeSpare = (size: number): Uint8Array | undefined => {
    const block = spare.get(size)?.pop()
    if (block !== undefined) kept -= size
    return block
  }

  /** What is spare is within the budget too. */
  const shrink = (): void => {
    for (const size of spare.keys()) while (kept > room() && takeSpare(size) !== undefined);
  }

  return {
    take: (size) => {
      const block = takeSpare(size) ?? new Uint8Array(Buffer.allocUnsafeSlow(size).buffer)
      taken += size
      shrink()
      return block
    },
    give: (block) => {
      const { length } = block
      taken -= length
      if (kept + length > Math.min(mostSpare, room())) return
      const same = spare.get(length) ?? []
      same.push(block)
      spare.set(length, same)
      kept += length
    },
    taken: () => taken,
  }
}
