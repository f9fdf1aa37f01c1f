import * as Effect from "effect/Effect"
import { endsWithin } from "../../server-kit/ends-within.ts"
import type { Write } from "../../server-kit/logging.ts"
import type { CatalogProcesses, ProcessLook } from "../storage/catalog/processes.ts"
import { createSharedClock } from "./shared-clock.ts"

/** ms. */
export interface ProcessTimes {
  /** How long a process counts as alive after it has looked. */
  readonly lease: number
  /** Between two looks where nothing is written here, and nobody waits. */
  readonly beat: number
  /** Between two looks otherwise. */
  readonly look: number
  /** Without a look for this long it writes and claims nothing: it ends before its lease does. */
  readonly cutOff: number
}

export const processTimes: ProcessTimes = { lease: 15_000, beat: 4000, look: 250, cutOff: 10_000 }

/** For how long a process has some work to itself, ms; it says so again while it goes on. */
const turn = 60_000

/** How long a look may take until another one is tried, ms: an answer that is on a dead connection never comes. */
const patience = 6000

/** How long requests wait for the first look of a process, ms: where it does not come the catalog answers nothing, as a rule. */
const joinTime = 5000

/** What this ingest is among those that work on its catalog. Alone on it where no other one can be. */
export interface Membership {
  /** ms since the epoch, by the clock that all of them go by. */
  readonly now: () => number
  /** Whether the others know that it is alive. Otherwise they may take over what it has: it begins nothing. */
  readonly isConnected: () => boolean
  /** What the others had under way a moment ago, by name. */
  readonly elsewhere: (name: string) => number
  /** Whether this is the one that does some work, and stays it for so many ms. */
  readonly leads: (work: string, time: number) => Promise<boolean>
  /** Does work that only one does at a time; false where another one is at it. */
  readonly alone: (work: string, run: Effect.Effect<void>) => Effect.Effect<boolean>
  /** Begins to look. */
  readonly join: () => void
  /**
   * Resolves once it knows what time it is, or has waited for too long; undefined afterwards. Until then its own clock may say
   * that uploads are over which are not.
   */
  readonly joined: () => Promise<void> | undefined
  /** Gives up what it has, once nothing of it goes on. */
  readonly leave: () => Promise<void>
}

/** An ingest that has its catalog to itself. */
export const single: Membership = {
  now: () => Date.now(),
  isConnected: () => true,
  elsewhere: () => 0,
  leads: async () => true,
  alone: (_work, run) => Effect.as(run, true),
  join: () => {},
  joined: () => undefined,
  leave: async () => {},
}

/** What a member does when it hears from the others, or does not. */
export interface MemberOf {
  readonly processes: CatalogProcesses
  /** What it has under way, by name. */
  readonly countActive: () => Readonly<Record<string, number>>
  /** Whether others may want something of it at any moment, or it of them. */
  readonly isBusy: () => boolean
  /** It was told something. */
  readonly heard: (look: ProcessLook) => void
  /** It must assume that others take over what it writes. */
  readonly lost: () => void
  readonly write: Write
}

/** An ingest among others on its catalog. */
export const createMembership = (
  { processes, countActive, isBusy, heard, lost, write }: MemberOf,
  { lease, beat, look: interval, cutOff }: ProcessTimes = processTimes,
): Membership => {
  const clock = createSharedClock()
  let others: ProcessLook["others"] = {}
  let lastSent = -Infinity
  /** When the newest look began that was answered: the lease is counted from then. */
  let lastHeard = performance.now()
  let isLost = false
  /** Whether a look was answered: before, nothing is known of the time. */
  let hasHeard = false
  const first = Promise.withResolvers<void>()
  let joined: Promise<void> | undefined = first.promise.then(() => {
    joined = undefined
  })
  let looking: Promise<unknown> | undefined

  const look = async (): Promise<void> => {
    const sentAt = performance.now()
    lastSent = sentAt
    let told: ProcessLook
    try {
      told = await processes.look({ lease, active: countActive() })
    } catch {
      // The catalog counts and reports its failures where it is wrapped.
      return
    }
    clock.correct(told.now, sentAt, performance.now())
    // An answer that was given up may come after that of a later look.
    lastHeard = Math.max(lastHeard, sentAt)
    const isFirst = !hasHeard
    hasHeard = true
    first.resolve()
    others = told.others
    const wasLost = isLost
    isLost = false
    if (wasLost) write("Info", "The catalog answers again; the ingest goes on.", [])
    // What was due meanwhile was not claimed.
    heard({ ...told, hasReleased: told.hasReleased || wasLost || isFirst })
  }

  const lookIfDue = (): void => {
    const silence = performance.now() - lastHeard
    if (!isLost && silence >= cutOff) {
      isLost = true
      write("Error", "The catalog has not answered for a while: uploads are cut off, and others may go on with them.", [
        { seconds: Math.round(silence / 1000) },
      ])
      lost()
    }
    const pause = isBusy() || !hasHeard ? interval : beat
    if (looking !== undefined || performance.now() - lastSent < pause - interval / 2) return
    looking = endsWithin(look(), patience).finally(() => {
      looking = undefined
    })
  }
  let timer: ReturnType<typeof setInterval> | undefined
  let joinTimer: ReturnType<typeof setTimeout> | undefined

  const leads = async (work: string, time: number): Promise<boolean> => hasHeard && processes.lead(work, time)

  /** Says again and again that the work goes on. */
  const keepLeading = (work: string): Effect.Effect<never> =>
    Effect.forever(
      Effect.andThen(
        Effect.sleep(turn / 3),
        Effect.promise(() => leads(work, turn).catch(() => false)),
      ),
    )

  return {
    now: clock.now,
    isConnected: () => hasHeard && performance.now() - lastHeard < cutOff,
    elsewhere: (name) => others[name] ?? 0,
    leads,
    alone: (work, run) =>
      Effect.gen(function* () {
        yield* Effect.promise(async () => joined)
        if (!(yield* Effect.promise(() => leads(work, turn)))) return false
        yield* Effect.ensuring(
          Effect.raceFirst(run, keepLeading(work)),
          Effect.promise(() => leads(work, 0).catch(() => false)),
        )
        return true
      }),
    join: () => {
      lastHeard = performance.now()
      timer = setInterval(lookIfDue, interval)
      lookIfDue()
      joinTimer = setTimeout(first.resolve, joinTime)
      ;(joinTimer as { unref?: () => void }).unref?.()
    },
    joined: () => joined,
    leave: async () => {
      clearInterval(timer)
      clearTimeout(joinTimer)
      first.resolve()
      // A catalog that does not answer takes it for dead when its lease is over.
      await endsWithin(Promise.resolve(looking).then(processes.leave), patience)
    },
  }
}
