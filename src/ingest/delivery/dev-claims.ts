import type { Catalog } from "../storage/catalog/catalog.ts"
import type { Settings } from "../settings.ts"

/** Heartbeats for which an event in flight is claimed, each time anew. */
const heartbeatsClaimed = 3

/** Files that are looked up at once. */
const mostLooked = 1000

/** What has become of the event of a file. */
export interface Ended {
  readonly key: string
  /** The attempt that has failed; undefined where the event is delivered. */
  readonly failed?: number | undefined
}

/** Events that are in flight on development streams, as other processes on the same catalog see them. */
export interface DevClaims {
  /** How long an event is claimed, ms; 0 where no other process claims any: those in flight are just left out. */
  readonly time: number
  /** Claims events until another moment. What fails is made up for by the end of the claim. */
  readonly move: (events: ReadonlyArray<string>, until: number) => Promise<void>
  /** Those of these files whose attempts have ended, whoever was told. */
  readonly findEnded: (keys: ReadonlySet<string>) => Promise<ReadonlyArray<Ended>>
}

export const createDevClaims = (
  { processes, getMany }: Pick<Catalog, "processes" | "getMany">,
  { heartbeat }: Pick<Settings, "heartbeat">,
): DevClaims => {
  let from = 0
  return {
    time: processes === undefined ? 0 : heartbeatsClaimed * heartbeat,
    move: async (events, until) => {
      if (processes !== undefined && events.length > 0) await processes.moveClaims({ events, until }).catch(() => {})
    },
    findEnded: async (keys) => {
      const all = [...keys]
      // Where there are more, they take turns.
      from = from < all.length ? from : 0
      const uploads = await getMany(all.slice(from, from + mostLooked))
      from += mostLooked
      return uploads.flatMap(({ file: { key }, delivery }): ReadonlyArray<Ended> => {
        if (delivery === null) return []
        if (delivery.status === "delivered") return [{ key }]
        return delivery.failures === delivery.attempts ? [{ key, failed: delivery.attempts }] : []
      })
    },
  }
}
