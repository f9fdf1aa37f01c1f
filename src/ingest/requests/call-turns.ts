import * as Effect from "effect/Effect"
import type { Rejected } from "../../server-kit/rejected.ts"
import { shareUsedUp } from "../refusals.ts"

/** Files that the calls of an app handle at once; a call that means more runs alone. */
const ofApp = 1000

/** Files that all calls of more than {@link few} handle at once: smaller ones of other apps do not wait for them. */
const ofAll = 2000

/** Files that any call may mean without waiting for those of other apps. */
const few = 20

/**
 * Calls of a line that begin without waiting in one turn of the event loop. A new connection is accepted once a turn: where those of
 * a thousand connections are all performed in one, nobody else gets in.
 */
const atOnce = 16

/** Files that waiting calls of an app may mean together. A call that asks for more counts as so many: what it says is not checked yet. */
const mostWaiting = 100_000

/** The order in which calls of apps are served, so that those of one app do not keep everybody else waiting. */
export interface CallTurns {
  /**
   * Performs a call when its turn has come: the calls of an app in the order in which they came, apps in turn. Between two calls
   * that have waited everything else is served. Of the large calls those that came first are never passed by others for ever.
   *
   * @param lineId the app's id, or what stands for a line of its own for some of its calls
   * @param size  how many files it means
   * @param aside what a call does that has to wait: it gets what it waits for, and may keep it from waiting by failing
   *
   * Fails: RATE_LIMITED where too many calls of the app wait already, and as `work` and `aside` do.
   */
  readonly take: <A, E>(
    lineId: string,
    size: number,
    work: Effect.Effect<A, E>,
    aside?: (wait: Effect.Effect<void>) => Effect.Effect<void, Rejected>,
  ) => Effect.Effect<A, E | Rejected>
}

interface Waiting {
  readonly size: number
  readonly begin: () => void
}

/** The calls of an app that wait for each other. */
interface Line {
  readonly calls: Array<Waiting>
  /** Files that they mean. */
  size: number
}

const tooManyWaiting = (): Rejected =>
  shareUsedUp("Too many calls of this app are waiting already. Send fewer at a time.", 1)

export const createCallTurns = (): CallTurns => {
  /** Files that the calls under way of a line mean. */
  const running = new Map<string, number>()
  /** The lines in which calls wait, the one whose turn is next first. */
  const lines = new Map<string, Line>()
  /** Calls of lines that began without waiting in this turn of the event loop. */
  const begun = new Map<string, number>()
  let large = 0
  let isScheduled = false
  /** Whether a large call waits for nothing but those of other apps: then no other large one is begun before it. */
  let isBarred = false

  const fitsOwn = (lineId: string, size: number): boolean => {
    const own = running.get(lineId) ?? 0
    return own === 0 || own + size <= ofApp
  }
  const fitsAll = (size: number): boolean => large === 0 || large + size <= ofAll
  const fits = (lineId: string, size: number): boolean =>
    fitsOwn(lineId, size) && (size <= few || (!isScheduled && !isBarred && fitsAll(size)))
  const start = (lineId: string, size: number): void => {
    running.set(lineId, (running.get(lineId) ?? 0) + size)
    if (size <= few) return
    large += size
    // It may be over before the next request is even read: what else has arrived is served before another large one.
    schedule()
  }
  const end = (lineId: string, size: number): void => {
    const left = running.get(lineId)! - size
    if (left > 0) running.set(lineId, left)
    else running.delete(lineId)
    if (size > few) large -= size
    if (lines.size > 0) schedule()
  }
  /** Whether a call may begin at once in this turn, and counts it. */
  const mayBeginNow = (lineId: string): boolean => {
    if (begun.size === 0) setImmediate(() => begun.clear())
    const count = begun.get(lineId) ?? 0
    begun.set(lineId, count + 1)
    return count < atOnce
  }
  const leave = (lineId: string, line: Line, at: number): void => {
    const [call] = line.calls.splice(at, 1)
    line.size -= call!.size
    lines.delete(lineId)
    // Apps in turn: the others are before it now.
    if (line.calls.length > 0) lines.set(lineId, line)
  }

  /** Begins a call of each app, and of the large ones only the first. The next ones begin once everything else was served. */
  const beginNext = (): void => {
    isScheduled = false
    isBarred = false
    let hasBegun = false
    for (const [lineId, line] of [...lines]) {
      const { size, begin } = line.calls[0]!
      if (!fits(lineId, size)) {
        isBarred ||= fitsOwn(lineId, size) && !fitsAll(size)
        continue
      }
      leave(lineId, line, 0)
      start(lineId, size)
      hasBegun = true
      begin()
    }
    if (lines.size > 0 && hasBegun) schedule()
  }
  const schedule = (): void => {
    if (isScheduled) return
    isScheduled = true
    setImmediate(beginNext)
  }

  /** Resolves when the call has its turn. Whoever is interrupted leaves the line, or gives the turn back. */
  const wait = (lineId: string, size: number): Effect.Effect<void> =>
    Effect.callback<void>((resume) => {
      const call: Waiting = { size, begin: () => resume(Effect.void) }
      const line = lines.get(lineId) ?? { calls: [], size: 0 }
      line.calls.push(call)
      line.size += size
      lines.set(lineId, line)
      // What it was to wait for may be over since it was told to.
      schedule()
      return Effect.sync(() => {
        const at = line.calls.indexOf(call)
        if (at < 0) return end(lineId, size)
        leave(lineId, line, at)
        // Others may have waited for this one alone.
        if (lines.size > 0) schedule()
      })
    })

  return {
    take: <A, E>(
      lineId: string,
      means: number,
      work: Effect.Effect<A, E>,
      aside: (wait: Effect.Effect<void>) => Effect.Effect<void, Rejected> = (wait) => wait,
    ) =>
      Effect.uninterruptibleMask((restore): Effect.Effect<A, E | Rejected> => {
        // Whole numbers: what is added and taken away again must leave nothing.
        const size = Math.min(Math.max(Math.ceil(means) || 1, 1), mostWaiting)
        const perform = Effect.ensuring(
          restore(work),
          Effect.sync(() => end(lineId, size)),
        )
        const line = lines.get(lineId)
        if (line === undefined && fits(lineId, size) && mayBeginNow(lineId)) {
          start(lineId, size)
          return perform
        }
        if (line !== undefined && line.size + size > mostWaiting) return Effect.fail(tooManyWaiting())
        return Effect.andThen(aside(restore(wait(lineId, size))), perform)
      }),
  }
}
