import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { logError, logInfo } from "../../server-kit/logging.ts"
import { Rejected } from "../../server-kit/rejected.ts"
import type { Service } from "../service.ts"
import { toBlobName } from "../storage/blob-name.ts"
import type { Reclaimable } from "../storage/catalog/catalog.ts"
import type { Writer } from "../upload/writers.ts"

/** Blobs handled at a time, so that a sweep never blocks the catalog for long. */
const batch = 100

/** Failures after which a sweep ends: on a store that is down every further attempt fails as well. */
const mostFailures = 1000

/** Failing blobs whose back-off is kept in memory; any others are tried in every sweep. */
const mostRemembered = 10_000

/** How long a failing blob waits at most, ms. It waits for one interval of sweeps first, then twice as long each time. */
const longestWait = 24 * 60 * 60 * 1000

/** A blob that could not be removed. */
interface Failing {
  readonly failures: number
  /** When it may be tried again, ms of the steady clock. */
  readonly until: number
  /** The pass over all blobs that last saw it. */
  readonly pass: number
}

/**
 * Removes the bytes of an ended file; false when a newer request has taken over its key in the meantime.
 *
 * The current writer releases them first: a request that was granted its epoch just before the file expired would
 * otherwise leave a blob behind that nothing names any more.
 */
const remove = async ({ catalog, store, writers }: Service, blob: Reclaimable): Promise<boolean> => {
  const isCurrent = (await catalog.get(blob.key))?.file.id === blob.id
  let writer: Writer | undefined
  try {
    if (isCurrent) writer = await writers.take(blob.key)
    await store.remove(toBlobName(blob), { lastEpoch: blob.lastEpoch })
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
 * Makes the step of a sweep that removes the bytes of ended files. It visits all of them: failing ones do not keep the
 * others from their turn, wait longer each time, and are logged when they first fail.
 *
 * @param mayGoOn   whether it may take the next hundred
 * @param steadyNow ms, of a clock that only goes forward: where that of the machine is set back, nothing waits longer
 */
export const createReclaimer = (
  service: Service,
  mayGoOn: () => boolean = () => true,
  steadyNow = () => performance.now(),
): Effect.Effect<void> => {
  const failing = new Map<number, Failing>()
  /** The last file whose blob had its turn in this pass. */
  let after = 0
  let pass = 0

  const mayTry = ({ id }: Reclaimable): boolean => {
    const known = failing.get(id)
    if (known === undefined) return true
    failing.set(id, { ...known, pass })
    return known.until <= steadyNow()
  }

  /** Whether it fails for the first time, as far as is remembered. */
  const noteFailure = ({ id }: Reclaimable): boolean => {
    const known = failing.get(id)
    if (known === undefined && failing.size >= mostRemembered) return false
    const failures = (known?.failures ?? 0) + 1
    const wait = Math.min(service.settings.sweepInterval * 2 ** (failures - 1), longestWait)
    failing.set(id, { failures, until: steadyNow() + wait, pass })
    return known === undefined
  }

  /** The next pass begins with the first file again. */
  const endPass = (): void => {
    after = 0
    for (const [id, known] of failing) if (known.pass !== pass) failing.delete(id)
    pass++
  }

  return Effect.gen(function* () {
    const firstFailures: Array<{ readonly key: string; readonly cause: unknown }> = []
    let [failed, recovered] = [0, 0]
    const take = Effect.fnUntraced(function* (blob: Reclaimable) {
      const removed = yield* Effect.exit(Effect.promise(() => remove(service, blob)))
      if (Exit.isSuccess(removed)) {
        if (removed.value && failing.delete(blob.id)) recovered++
        return
      }
      failed++
      if (noteFailure(blob)) firstFailures.push({ key: blob.key, cause: Cause.squash(removed.cause) })
    })
    while (mayGoOn()) {
      const blobs = yield* Effect.promise(() => service.catalog.listReclaimable(batch, after))
      yield* Effect.forEach(blobs.filter(mayTry), take, { concurrency: 8, discard: true })
      if (blobs.length < batch) {
        endPass()
        break
      }
      after = blobs.at(-1)!.id
      if (failed >= mostFailures) break
    }
    const [first] = firstFailures
    if (first !== undefined) {
      yield* logError(
        "The bytes of ended files could not be removed; they will be tried again, each time later.",
        { key: first.key, count: firstFailures.length },
        first.cause,
      )
    }
    if (recovered > 0) {
      yield* logInfo("The bytes of ended files that could not be removed before are removed.", { count: recovered })
    }
  })
}
