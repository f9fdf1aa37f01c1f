import type { CarriedHasher } from "./carried-hasher.ts"

/** The place of a part among those that are hashed one after the other. */
export interface HashTurn {
  /** Hashes it, once those before it are hashed; undefined where that failed, which is no reason to fail an upload. */
  readonly hash: (pieces: ReadonlyArray<Uint8Array>) => Promise<Uint8Array | undefined>
  /** Nobody will: nor will the parts after it be hashed. */
  readonly skip: () => void
}

/** Hashes parts one after the other. */
export interface HashChain {
  readonly take: () => HashTurn
}

/**
 * Hashes parts in the order in which turns were taken, whatever order they come in.
 *
 * @param state of all bytes before the first one; null for none
 */
export const createHashChain = (hasher: CarriedHasher, state: Uint8Array | null): HashChain => {
  let last = Promise.resolve<Uint8Array | null | undefined>(state)
  return {
    take: () => {
      const before = last
      const turn = Promise.withResolvers<Uint8Array | undefined>()
      last = turn.promise
      const hash = async (pieces: ReadonlyArray<Uint8Array>): Promise<Uint8Array | undefined> => {
        const known = await before
        return known === undefined ? undefined : (await hasher.add(known, pieces)).state
      }
      return {
        hash: (pieces) => {
          turn.resolve(hash(pieces).catch(() => undefined))
          return turn.promise
        },
        skip: () => turn.resolve(undefined),
      }
    },
  }
}
