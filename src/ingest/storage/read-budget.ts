/** Sizes of the pieces in which files are read for clients, in bytes. */
export const pieces = {
  /** Always granted: the least that a reader holds. Less than its connection costs. */
  smallest: 8 * 1024,
  /** For a new reader, and for a slow one. */
  first: 64 * 1024,
  /** The largest size that still helps. */
  largest: 1024 * 1024,
} as const

/** How much all pieces together may hold, bytes; those of the smallest size are not included. */
const total = 32 * 1024 * 1024

/**
 * A client that was sent more than the buffers of both systems usually hold must have taken some of it, bytes. Linux lets a
 * connection's send buffer grow to 4 MiB (`net.ipv4.tcp_wmem`); the receive buffer of a client that reads nothing stays small.
 */
const provenBy = 6 * 1024 * 1024

/**
 * A client that takes longer for a piece is slow, ms: it gets small ones again. Only small pieces show whether it
 * makes progress at all.
 */
const slow = 1000

/** The memory of the pieces that are being sent to clients, shared by all of them. */
export interface ReadBudget {
  /** A reader begins; it shares with the others until it leaves. */
  readonly join: () => ReadShare
  /** Bytes held now. */
  readonly held: () => number
}

/** The share of one reader. */
export interface ReadShare {
  /**
   * Reserves room for a piece.
   *
   * @returns how many bytes it may have, at most `wanted`: as many as there is room for, but never less than the
   *              smallest piece
   */
  readonly take: (wanted: number) => number
  /** Reserves room for a piece that is read before it is asked for. @returns 0 where there is no room to spare */
  readonly takeAhead: (wanted: number) => number
  /** A piece was passed on to the client, which took it in so many ms: its room is free again. */
  readonly give: (bytes: number, took: number) => void
  /** Returns everything that the reader holds. */
  readonly leave: () => void
}

/**
 * Makes a budget.
 *
 * A client that takes nothing keeps its piece for as long as it is allowed to. So readers that have not yet proven
 * that they take what they are sent share a quarter of the budget, in small pieces. The rest is for those that have,
 * in shares that shrink as their number grows. Where nothing is left there are the smallest pieces: every reader makes
 * progress, and what is held stays below the budget plus one smallest piece for each reader.
 */
export const createReadBudget = (limit = total): ReadBudget => {
  /** Bytes of pieces larger than the smallest, and of all pieces. */
  let [shared, held] = [0, 0]
  /** Readers that have proven that they take what they are sent. */
  let proven = 0

  const join = (): ReadShare => {
    let [passed, own, ownShared] = [0, 0, 0]
    const isProven = () => passed >= provenBy

    const grant = (bytes: number): number => {
      own += bytes
      held += bytes
      if (bytes > pieces.smallest) {
        ownShared += bytes
        shared += bytes
      }
      return bytes
    }

    const findRoom = (wanted: number): number => {
      // Two pieces each: one that the system is sending, one read ahead.
      const share = isProven() ? limit / proven / 2 : pieces.first
      // Only a few sizes, so that memory freed by one piece fits another.
      const size = Math.min(wanted, pieces.largest, 2 ** Math.floor(Math.log2(share)))
      return size > pieces.smallest && shared + size <= (isProven() ? limit : limit / 4) ? size : 0
    }

    const free = (bytes: number): void => {
      own -= bytes
      held -= bytes
      if (bytes > pieces.smallest) {
        ownShared -= bytes
        shared -= bytes
      }
    }

    return {
      take: (wanted) => grant(findRoom(wanted) || Math.min(wanted, pieces.smallest)),
      takeAhead: (wanted) => grant(findRoom(wanted)),
      give: (bytes, took) => {
        free(bytes)
        if (isProven()) proven--
        passed = took > slow ? 0 : passed + bytes
        if (isProven()) proven++
      },
      leave: () => {
        shared -= ownShared
        held -= own
        if (isProven()) proven--
        passed = own = ownShared = 0
      },
    }
  }
  return { join, held: () => held }
}

/** The budget of this process. */
export const readBudget: ReadBudget = createReadBudget()
