import * as Effect from "effect/Effect"
import type { Rejected } from "../../server-kit/rejected.ts"
import { shareUsedUp } from "../refusals.ts"

/** Files that the calls of an app handle at once; a call that means more runs alone. */
const ofApp = 1000

/** Files that all calls of more than {@link few} handle at once: smaller ones of other apps do not wait for them. */
const ofAll = 2000

/** Files that any call may mean without waiting for those of other apps. */
const few = 20

/** Files that waiting calls of an app may mean together. A call that asks for more counts as so many: what it says is not checked yet. */
const mostWaiting = 100_000

/** The order in which calls of the REST API are served, so that those of one app do not keep everybody else waiting. */
export interface CallTurns {
  /**
   * Performs a call when its turn has come: the calls of an app in the order in which they came, apps in turn. Between two calls
   * that have waited everything else is served.
   *
   * @param size how many files it means
   *
   * Fails: RATE_LIMITED where too many calls of the app wait already, and as `work` does.
   */
  readonly take: <A, E>(appId: string, size: number, work: Effect.Effect<A, E>) => Effect.Effect<A, E | Rejected>
}

interface Waiting {
  readonly size: number
  readonly begin: () => void
}

/** The calls of an app that wait. */
interface Line {
  readonly calls: Array<Waiting>
  /** Files that they mean. */
  size: number
}

const tooManyWaiting = (): Rejected =>
  shareUsedUp("Too many calls of this app are waiting already. Send fewer at a time.", 1)

export const createCallTurns = (): CallTurns => {
  /** Files that the calls under way of an app mean. */
  const running = new Map<string, number>()
  /** Apps whose calls wait, the one whose turn is next first. */
  const lines = new Map<string, Line>()
  let large = 0
  let isScheduled = false

  const fits = (appId: string, size: number): boolean => {
    const own = running.get(appId) ?? 0
    if (own > 0 && own + size > ofApp) return false
    return size <= few || (!isScheduled && (large === 0 || large + size <= ofAll))
  }
  const start = (appId: string, size: number): void => {
    running.set(appId, (running.get(appId) ?? 0) + size)
    if (size <= few) return
    large += size
    // It may be over before the next request is even read: what else has arrived is served before another large one.
    schedule()
  }
  const end = (appId: string, size: number): void => {
    const left = running.get(appId)! - size
    if (left > 0) running.set(appId, left)
    else running.delete(appId)
    if (size > few) large -= size
    if (lines.size > 0) schedule()
  }
  const leave = (appId: string, line: Line, at: number): void => {
    const [call] = line.calls.splice(at, 1)
    line.size -= call!.size
    lines.delete(appId)
    // Apps in turn: the others are before it now.
    if (line.calls.length > 0) lines.set(appId, line)
  }

  /** Begins a call of each app, and of the large ones only the first. The next ones begin once everything else was served. */
  const beginNext = (): void => {
    isScheduled = false
    let hasBegun = false
    for (const [appId, line] of [...lines]) {
      const { size, begin } = line.calls[0]!
      if (!fits(appId, size)) continue
      leave(appId, line, 0)
      start(appId, size)
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
  const wait = (appId: string, size: number): Effect.Effect<void> =>
    Effect.callback<void>((resume) => {
      const call: Waiting = { size, begin: () => resume(Effect.void) }
      const line = lines.get(appId) ?? { calls: [], size: 0 }
      line.calls.push(call)
      line.size += size
      lines.set(appId, line)
      // What it was to wait for may be over since it was told to.
      schedule()
      return Effect.sync(() => {
        const at = line.calls.indexOf(call)
        if (at < 0) end(appId, size)
        else leave(appId, line, at)
      })
    })

  return {
    take: <A, E>(appId: string, means: number, work: Effect.Effect<A, E>) =>
      Effect.uninterruptibleMask((restore): Effect.Effect<A, E | Rejected> => {
        // Whole numbers: what is added and taken away again must leave nothing.
        const size = Math.min(Math.max(Math.ceil(means) || 1, 1), mostWaiting)
        const perform = Effect.ensuring(
          restore(work),
          Effect.sync(() => end(appId, size)),
        )
        const line = lines.get(appId)
        if (line === undefined && fits(appId, size)) {
          start(appId, size)
          return perform
        }
        if (line !== undefined && line.size + size > mostWaiting) return Effect.fail(tooManyWaiting())
        return Effect.andThen(restore(wait(appId, size)), perform)
      }),
  }
}
