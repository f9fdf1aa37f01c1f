import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import { logWarning } from "../../server-kit/logging.ts"
import { logFailure } from "../observe/outage.ts"
import { announceDeletion } from "./announce-deletion.ts"
import { limits } from "../../protocol/limits.ts"
import { createClockWatch } from "./clock-watch.ts"
import { createReclaimer } from "./reclaim.ts"
import { createEventId } from "../event-id.ts"
import type { Service } from "../service.ts"

/** Rows handled at a time, so that a sweep never blocks the catalog for long. */
const batch = 100

/** Files that a step of a large deletion marks. Whoever uploads meanwhile waits for such a step: it takes some 2 ms. */
const deletionBatch = 25

/** How often somebody looks whether the time of a file has passed, ms. */
const lookInterval = 5000

/** When a process that was called to sweep tries again where another one is at it, ms. */
const turnAgain = 500

/** Whether a sweep may take its next step. */
type MayGoOn = () => boolean

const always: MayGoOn = () => true

/** Ends abandoned uploads and registrations. */
const endAbandoned = (service: Service, mayGoOn: MayGoOn): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { catalog, settings } = service
    for (let found = batch; found >= batch && mayGoOn();) {
      const now = service.now()
      found = yield* Effect.promise(() =>
        catalog.expire({
          expiredBefore: now - settings.unfinishedTtl,
          unregisteredBefore: now - settings.unregisteredTtl,
          // While its URLs can be renewed, an upload that waits for its turn can still begin.
          abandonedBefore: now - Math.max(settings.unfinishedTtl, limits.renewWindow),
          limit: batch,
          now,
          createEventId,
        }),
      )
      if (found > 0) {
        service.dispatcher.wake()
        service.devStreams.wake()
      }
    }
  })

/** Deletes files whose time has passed. */
const deleteOverdue = (service: Service, mayForget: MayForget, mayGoOn: MayGoOn): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (let found = batch; found >= batch && mayGoOn() && (yield* mayForget);) {
      const keys = yield* Effect.promise(() => service.catalog.deleteOverdue({ now: service.now(), limit: batch }))
      found = keys.length
      // The bytes are removed by a later step of the same sweep.
      announceDeletion(service, keys, 0)
    }
  })

/** Goes on with deletions of many files. */
const continueDeletions = (service: Service, mayGoOn: MayGoOn): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (let isDone = false; !isDone && mayGoOn();) {
      const step = yield* Effect.promise(() =>
        service.catalog.continueDeletions({ now: service.now(), limit: deletionBatch }),
      )
      announceDeletion(service, step.keys, 0)
      isDone = step.isDone
    }
  })

/** Whether a sweep may delete what the clock alone says is over. */
type MayForget = Effect.Effect<boolean>

/** A clock that was right a moment ago and is days ahead now may be right again in another moment: what is forgotten stays so. */
const createMayForget = (getService: () => Service): MayForget => {
  const watch = createClockWatch(() => getService().now())
  return Effect.gen(function* () {
    const state = watch.look()
    if (state === "jumped") {
      yield* logWarning("The clock has jumped; nothing is forgotten for good until it was steady for an hour.", {
        seconds: Math.round(watch.jump() / 1000),
      })
    }
    return state === "steady"
  })
}

/** Deletes old history, and what remains of deletions. */
const prune = ({ catalog, settings, now }: Service, mayForget: MayForget, mayGoOn: MayGoOn): Effect.Effect<void> => {
  const steps: ReadonlyArray<() => Promise<number>> = [
    () => catalog.prune({ before: now() - settings.historyTtl, limit: batch }),
    () => catalog.pruneEvents({ before: now() - settings.historyTtl, limit: batch }),
    () => catalog.forgetTombstones({ now: now(), limit: batch }),
    () => catalog.forgetDeletions({ before: now() - limits.uploadLifetime, limit: batch }),
  ]
  return Effect.gen(function* () {
    for (const step of steps) {
      for (let found = batch; found >= batch && mayGoOn() && (yield* mayForget);) found = yield* Effect.promise(step)
    }
  })
}

/** Lets the catalog release the room of deleted rows, step by step: requests are served between any two steps. */
const compact = ({ catalog }: Service, mayGoOn: MayGoOn): Effect.Effect<void> =>
  Effect.gen(function* () {
    while (mayGoOn() && (yield* Effect.promise(() => catalog.compact()))) yield* Effect.yieldNow
  })

/** Waits until the next sweep is due: for the interval of sweeps, or until the time of a file has passed. */
const waitForSweep = ({ catalog, settings, now }: Service): Effect.Effect<void> =>
  Effect.gen(function* () {
    const end = performance.now() + settings.sweepInterval
    for (let left = settings.sweepInterval; left > 0; left = end - performance.now()) {
      yield* Effect.sleep(Math.min(left, lookInterval))
      // A catalog that fails is asked again with the next sweep.
      const deadline = yield* Effect.promise(() => catalog.findNextDeadline().catch(() => null))
      if (deadline !== null && deadline <= now()) return
    }
  })

/** A step that fails does not stop the others, and runs again with the next sweep. */
const tryStep = (step: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.catchCause(step, (cause) => logFailure("Housekeeping failed; it will be tried again.", Cause.squash(cause)))

/**
 * Makes the first part of a sweep: ends abandoned uploads, deletes files whose time has passed and those that deletions mean. Then
 * the bytes of ended files are removed, and old history is deleted. A step that fails does not stop the others. Of several
 * processes one at a time changes the catalog, and none waits for the store of another one.
 *
 * A blob is only ever written after its row in the catalog, and the row outlives it: whatever a crash leaves behind,
 * the rows know of it. So the store itself is never searched for unknown blobs.
 */
const createCatalogSweep = (service: Service, mayForget: MayForget, mayGoOn: MayGoOn = always): Effect.Effect<void> => {
  const steps = [
    endAbandoned(service, mayGoOn),
    deleteOverdue(service, mayForget, mayGoOn),
    continueDeletions(service, mayGoOn),
  ]
  return Effect.forEach(steps, tryStep, { discard: true })
}

/** Does a part of a sweep unless another process does; whether it has. A catalog that cannot say is asked again with the next sweep. */
const tryAlone = ({ membership }: Service, work: string, run: Effect.Effect<void>): Effect.Effect<boolean> =>
  Effect.catchCause(membership.alone(work, run), (cause) =>
    Effect.as(logFailure("Housekeeping failed; it will be tried again.", Cause.squash(cause)), false),
  )

/** Does an ingest's housekeeping for as long as it runs. */
export interface Housekeeping {
  /** Sweeps at an interval, when the time of a file has passed, and after each call of `wake`, for ever, one sweep at a time. */
  readonly keep: Effect.Effect<never>
  /** Sweeps once and compacts the catalog, for as long as it may go on. */
  readonly sweepWhile: (mayGoOn: () => boolean) => Effect.Effect<void>
  /** Something was deleted: sweep soon. */
  readonly wake: () => void
  /** Waits until everything announced by `wake` is swept, at most so many ms. */
  readonly settle: (atMost: number) => Effect.Effect<void>
}

/**
 * @param getService returns the ingest's parts, this one among them: called when housekeeping begins, and for each sweep of a tick
 */
export const createHousekeeping = (getService: () => Service): Housekeeping => {
  const awake = Latch.makeUnsafe()
  let isCalled = false
  const isSwept = Latch.makeUnsafe(true)
  const mayForget = createMayForget(getService)
  const keep = Effect.suspend(() => {
    const service = getService()
    const sweepCatalog = createCatalogSweep(service, mayForget)
    const reclaim = tryStep(createReclaimer(service))
    let compactedAt = -Infinity
    const keepOnce = Effect.gen(function* () {
      const wasCalled = isCalled
      isCalled = false
      const isDone = yield* tryAlone(service, "sweep", sweepCatalog)
      if (isDone || wasCalled) yield* reclaim
      if (isDone) yield* tryAlone(service, "prune", tryStep(prune(service, mayForget, always)))
      else {
        // Another process sweeps: it may be past what this one was called for.
        if (!wasCalled) return
        isCalled = true
        yield* Effect.sleep(turnAgain)
        return Latch.openUnsafe(awake)
      }
      if (!Latch.isOpen(awake)) Latch.openUnsafe(isSwept)
      // Not after every call of `wake`: each deletion makes one.
      if (performance.now() - compactedAt < service.settings.sweepInterval) return
      compactedAt = performance.now()
      yield* tryStep(compact(service, always))
    })
    return Effect.forever(
      Effect.gen(function* () {
        // Re-arm before the sweep: a call of `wake` during it may be about something that the sweep has already passed.
        Latch.closeUnsafe(awake)
        yield* keepOnce
        yield* Effect.raceFirst(waitForSweep(service), awake.await)
      }),
    )
  })
  return {
    keep,
    sweepWhile: (mayGoOn) =>
      Effect.suspend(() => {
        const service = getService()
        const steps = [
          createCatalogSweep(service, mayForget, mayGoOn),
          createReclaimer(service, mayGoOn),
          prune(service, mayForget, mayGoOn),
          compact(service, mayGoOn),
        ]
        return Effect.forEach(steps, tryStep, { discard: true })
      }),
    wake: () => {
      isCalled = true
      Latch.closeUnsafe(isSwept)
      Latch.openUnsafe(awake)
    },
    settle: (atMost) => Effect.raceFirst(isSwept.await, Effect.sleep(atMost)),
  }
}
