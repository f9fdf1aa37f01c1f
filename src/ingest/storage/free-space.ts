import { formatByteSize } from "../../protocol/byte-size.ts"
import { storageFull } from "../refusals.ts"
import { type BlobStore, BlobStoreError } from "./blob-store.ts"

/** Keeps a reserve of the disk for the catalog. */
export interface FreeSpace {
  /**
   * Reserves room for bytes that are about to be stored. Returns a promise when the disk has to be asked first.
   *
   * Fails: throws, or rejects with, `Rejected` INGEST_UNAVAILABLE when they would eat into the reserve.
   */
  readonly take: (length: number) => void | Promise<void>
  /** Fails: rejects with a {@link BlobStoreError} `full` where the reserve is reached: nothing could be stored now. */
  readonly check: () => Promise<void>
}

/** How long an answer of the disk is valid, ms; what is taken meanwhile is subtracted. */
const maximumAge = 1000

/** @param minimumFree the reserve, bytes; 0: none */
export const createFreeSpace = (store: Pick<BlobStore, "free">, minimumFree: number): FreeSpace => {
  if (store.free === undefined || minimumFree === 0) return { take: () => {}, check: async () => {} }
  let left = 0
  let askedAt = -Infinity
  let asking: Promise<void> | undefined

  const readFree = async (): Promise<number> => {
    try {
      return (await store.free?.()) ?? Infinity
    } catch {
      // A disk that cannot be asked will fail by itself when it is full.
      return Infinity
    }
  }

  const ask = async (): Promise<void> => {
    left = (await readFree()) - minimumFree
    // Not the wall clock, which may be set back.
    askedAt = performance.now()
    asking = undefined
  }

  /** Resolves when the disk has been asked; undefined where its last answer is still valid. */
  const refresh = (): Promise<void> | undefined =>
    performance.now() - askedAt < maximumAge ? undefined : (asking ??= ask())

  const shortage = (): BlobStoreError => {
    const [found, reserve] = [formatByteSize(Math.max(0, left + minimumFree)), formatByteSize(minimumFree)]
    return new BlobStoreError(
      "full",
      `${found} are free where the store keeps its files, ${reserve} are held in reserve. Free space there.`,
    )
  }

  const subtract = (length: number): void => {
    if (length > left) throw storageFull(shortage())
    left -= length
  }

  return {
    take: (length) => {
      const asked = refresh()
      return asked === undefined ? subtract(length) : asked.then(() => subtract(length))
    },
    check: async () => {
      await refresh()
      if (left <= 0) throw shortage()
    },
  }
}
