import * as Effect from "effect/Effect"
import type { Incoming } from "../../http/incoming.ts"
import { smallBody } from "../../server-kit/body-memory.ts"
import type { Rejected } from "../../server-kit/rejected.ts"
import { createBodyTurns } from "./body-turns.ts"
import { createShares, toWideSharing } from "../shares.ts"
import { shareUsedUp } from "../refusals.ts"

/** Bytes of bodies that are being read into memory, or wait there, of all apps. */
const total = 256 * 1024 * 1024

/** Memory for the bodies of apps' requests, which are held whole until they are complete. */
export interface BodyRoom {
  /**
   * Reads a body of an app while room for it is reserved: as much as it announces, at most `maximum` bytes. Large ones are read in
   * turns, as {@link BodyTurns} says: `read` gets the request to read.
   *
   * Fails: RATE_LIMITED when the app's share is used up, and as reading fails.
   */
  readonly hold: <A, E>(
    appId: string,
    request: Incoming,
    maximum: number,
    read: (request: Incoming) => Effect.Effect<A, E>,
  ) => Effect.Effect<A, E | Rejected>
  /**
   * Keeps a body of an app, which was read, until something is over. Of small ones many may be kept: all of their bytes count.
   *
   * Fails: RATE_LIMITED when the app's share is used up, and as `wait` does.
   */
  readonly keep: <A, E>(appId: string, length: number, wait: Effect.Effect<A, E>) => Effect.Effect<A, E | Rejected>
}

const sizeOf = (request: Incoming, maximum: number): number => {
  if (request.body === null) return 0
  const announced = Number(request.headers.get("content-length") ?? maximum)
  if (announced <= smallBody) return 0
  return announced < maximum ? announced : maximum
}

/** @param isAlone whether there is only one app: it may use all of the room */
export const createBodyRoom = (isAlone: () => boolean): BodyRoom => {
  const turns = createBodyTurns()
  const shares = createShares(toWideSharing(total, isAlone))
  const reserve = <A, E>(
    appId: string,
    size: number,
    detail: string,
    work: Effect.Effect<A, E>,
  ): Effect.Effect<A, E | Rejected> =>
    Effect.suspend((): Effect.Effect<A, E | Rejected> => {
      if (size > shares.roomOf(appId)) return Effect.fail(shareUsedUp(detail, 1))
      shares.add(appId, size)
      return Effect.ensuring(
        work,
        Effect.sync(() => shares.add(appId, -size)),
      )
    })
  return {
    hold: (appId, request, maximum, read) => {
      const size = sizeOf(request, maximum)
      return reserve(
        appId,
        size,
        "Too many large requests of this app are being read already. Try again in a moment.",
        read(size === 0 ? request : turns.pace(appId, request)),
      )
    },
    keep: (appId, length, wait) =>
      reserve(appId, length, "Too many calls of this app are waiting already. Send fewer at a time.", wait),
  }
}
