import type { Random } from "../random.ts"

/** What an ingest can be killed in the middle of. */
export const moments = [
  /** It has just been started, and may be recovering. */
  "start",
  /** An app registers its files. */
  "registration",
  /** A client asks for its offset. */
  "offset",
  /** Some of a body was sent. */
  "body",
  /** The last byte of a body was sent: bytes are flushed, the catalog commits. */
  "last byte",
  /** A client has just read its 200. */
  "answer",
  /** An app has received a callback, and has not answered. */
  "callback",
  /** An app has posted its result. */
  "result",
  /** An app has answered a callback with its result. */
  "signed answer",
  /** A URL that had expired was signed anew. */
  "renewal",
  /** The app has asked for the deletion of a file. */
  "deletion",
  /** The app has claimed a file. */
  "claim",
  /** The app has said of a held file whether it may be read. */
  "verdict",
  /** Bytes of a failed, expired, replaced or deleted upload are taken back. */
  "clean-up",
  /** Whatever it is doing. */
  "any",
] as const

/** What else an ingest on a bucket can be killed in the middle of: the request has arrived there. */
export const bucketMoments = ["multipart upload", "part", "completion", "object", "removal of an object"] as const

export type Moment = (typeof moments)[number] | (typeof bucketMoments)[number]

/** Waits for the chosen moment of each life, and kills. */
export interface Executioner {
  /** Something happens. */
  readonly see: (moment: Moment) => void
  /** Resolves when the ingest is to die, with the moment it dies in. */
  readonly next: (listening: Promise<unknown>) => Promise<Moment>
}

/** Those that come so seldom that the next one has to do. */
const rare: ReadonlySet<Moment> = new Set([
  "renewal",
  "claim",
  "verdict",
  "multipart upload",
  "part",
  "completion",
  "removal of an object",
] as const)

/** ms after which a life ends in which the chosen moment does not come, from when it listens. */
const longestLife = 1000

/** @param chosen the moments that have their turn */
export const createExecutioner = (random: Random, chosen: ReadonlyArray<Moment> = moments): Executioner => {
  let turn: Array<Moment> = []
  let armed: { readonly moment: Moment; readonly strike: () => void; left: number } | undefined
  return {
    see: (moment) => {
      if (armed?.moment === moment && --armed.left === 0) armed.strike()
    },
    next: (listening) =>
      new Promise((resolve) => {
        // Each moment has its turn, in an order of its own each round.
        if (turn.length === 0) turn = [...chosen].sort(() => random.below(3) - 1)
        const moment = turn.pop()!
        const delay = random.chance(0.4) ? 0 : random.between(1, 12)
        const lifetime = moment === "any" ? random.between(1, longestLife / 3) : longestLife
        let timer: ReturnType<typeof setTimeout> | undefined
        const end = (reached: Moment) => {
          armed = undefined
          clearTimeout(timer)
          resolve(reached)
        }
        if (moment === "start") {
          setTimeout(end, random.between(40, 110), moment)
          return
        }
        void listening.then(() => {
          timer = setTimeout(end, lifetime, "any")
        })
        const strike = () => void (delay === 0 ? end(moment) : setTimeout(end, delay, moment))
        const isFrequent = moment === "body" || moment === "last byte"
        const most = isFrequent ? 12 : rare.has(moment) ? 1 : 4
        if (moment !== "any") armed = { moment, left: random.between(1, most), strike }
      }),
  }
}
