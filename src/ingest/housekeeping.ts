import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import { toBlobName } from "./storage/blob-name.ts"
import type { Reclaimable } from "./storage/catalog.ts"
import { logError } from "../http/logging.ts"
import { Rejected } from "../http/rejected.ts"
import { type Service, createEventId } from "./service.ts"
import type { Writer } from "./upload/writers.ts"

/** Rows and blobs taken at a time: a sweep never holds the catalog for long. */
const batch = 100

/** How long a registration waits for its first byte before it is forgotten, ms. */
const abandonedTtl = 30 * 24 * 60 * 60 * 1000

/**
 * Removes the bytes of an ended file; false when a newer request was faster to take its key.
 *
 * Whoever is writing them lets go first: a request that was granted its epoch just before the file expired would leave
 * a blob behind that nothing names any more.
 */
const reclaim = async ({ catalog, store, writers }: Service, blob: Reclaimable): Promise<boolean> => {
  const isCurrent = (await catalog.get(blob.key))?.file.id === blob.id
  let writer: Writer | undefined
  try {
    if (isCurrent) writer = await writers.take(blob.key)
    await store.remove(toBlobName(blob))
    await catalog.reclaimed(blob)
    return true
  } catch (cause) {
    if (cause instanceof Rejected) return false
    throw cause
  } finally {
    writer?.letGo()
  }
}

/**
 * Ends what nobody will finish, gives the bytes of ended files back, forgets old history. Interruptible between any two
 * files.
 *
 * A blob is only ever written after its row in the catalog, and the row outlives it: whatever a crash leaves, the rows
 * know. So the store itself is never searched for blobs nobody knows.
 */
export const sweep = (service: Service): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { catalog, settings } = service
    for (let found = batch; found >= batch;) {
      const now = service.now()
      found = yield* Effect.promise(() =>
        catalog.expire({
          expiredBefore: now - settings.unfinishedTtl,
          unregisteredBefore: now - settings.unregisteredTtl,
          abandonedBefore: now - abandonedTtl,
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
    for (let reclaimed = batch; reclaimed >= batch;) {
      reclaimed = 0
      const remove = (blob: Reclaimable) =>
        // One file that cannot be removed must not keep the others.
        Effect.catchCause(
          Effect.promise(async () => {
            if (await reclaim(service, blob)) reclaimed++
          }),
          (cause) =>
            logError(
              "The bytes of a file could not be removed; it will be tried again.",
              { key: blob.key },
              Cause.squash(cause),
            ),
        )
      const blobs = yield* Effect.promise(() => catalog.listReclaimable(batch))
      yield* Effect.forEach(blobs, remove, { concurrency: 8, discard: true })
    }
    for (let found = batch; found >= batch;) {
      found = yield* Effect.promise(() => catalog.prune({ before: service.now() - settings.historyTtl, limit: batch }))
    }
  })

/** Sweeps now and again, and whenever the bell rings, for ever: one sweep at a time. */
export const keepHouse = (service: Service, bell: Latch.Latch): Effect.Effect<never> =>
  Effect.forever(
    Effect.gen(function* () {
      // Before the sweep: who rings during it has something the sweep may have passed by.
      Latch.closeUnsafe(bell)
      yield* Effect.catchCause(sweep(service), (cause) =>
        logError("Housekeeping failed; it will be tried again.", Cause.squash(cause)),
      )
      yield* Effect.raceFirst(Effect.sleep(service.settings.sweepInterval), bell.await)
    }),
  )
