/** Sizes of the pieces in which files are read for clients, in bytes. */
export const pieces = {
  /** Always granted: what a reader holds at least. Below what its connection costs. */
  smallest: 8 * 1024,
  /** For a reader of whom nothing is known yet, and for a slow one. */
  first: 64 * 1024,
  /** The most that is worth it. */
  largest: 1024 * 1024,
} as const

/** What all pieces together may hold, bytes; those of the smallest size come on top. */
const total = 32 * 1024 * 1024

/**
 * A client that was sent more than the buffers of both systems usually hold has taken some of it, bytes. Linux lets a
 * connection's send buffer grow to 4 MiB (`net.ipv4.tcp_wmem`); the receive buffer of a client that reads nothing stays small.
 */
const provenBy = 6 * 1024 * 1024

/**
 * A client that takes longer for a piece is slow, ms: it gets small ones again. Whether it gets on at all can be told from
 * small pieces only.
 */
const slow = 1000

/** The memory of the pieces that are on their way to clients, shared by all of them. */
export interface ReadBudget {
  /** A reader begins; it shares with the others until it leaves. */
  readonly join: () => ReadShare
  /** Bytes held now. */
  readonly held: () => number
}

/** What one reader may hold. */
export interface ReadShare {
  /**
   * Takes room for a piece.
   *
   * @returns how many bytes it may have, `wanted` at most: as many as there is room for, but never less than the smallest piece
   */
  readonly take: (wanted: number) => number
  /** Takes room for a piece that is read before it is asked for. @returns 0 where that is a luxury now */
  readonly takeAhead: (wanted: number) => number
  /** A piece of so many bytes was passed on to the client, which took it in so many ms: its room is free again. */
  readonly give: (bytes: number, took: number) => void
  /** Gives back all the reader holds. */
  readonly leave: () => void
}

/**
 * Makes a budget.
 *
 * A client that takes nothing keeps its piece for as long as it is let. So whoever has not shown to take what it is sent
 * shares a quarter of the budget, in small pieces, and the rest is for those who have, in shares that shrink as they
 * grow in number. Where nothing is left there are the smallest pieces: all get on, and what is held stays below the budget and a
 * smallest piece for each reader.
 */
export const createReadBudget = (limit = total): ReadBudget => {
  /** Bytes of pieces larger than the smallest, and of all. */
  let [shared, held] = [0, 0]
  /** Readers that have shown to take what they are sent. */
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
      // Two pieces each: one with the system, one read ahead.
      const share = isProven() ? limit / proven / 2 : pieces.first
      // Of few sizes, so that memory one piece has left fits another.
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
