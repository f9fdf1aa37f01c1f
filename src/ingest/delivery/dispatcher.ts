import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import { logDebug, logError, logInfo, logWarning } from "../../server-kit/logging.ts"
import type { PostFailed } from "../../server-kit/post-json.ts"
import { redact } from "../../server-kit/redact.ts"
import { names } from "../../protocol/names.ts"
import type { Catalog, DueDelivery } from "../storage/catalog.ts"
import { createCallbackSlots, type Slot } from "./callback-slots.ts"
import type { Changes } from "./changes.ts"
import type { PostEvent } from "./post-event.ts"
import { isHandled } from "./refused-callbacks.ts"
import { judgeRetry } from "./retry-schedule.ts"
import type { Settings } from "../settings.ts"
import { traceIdOf } from "../../protocol/trace-context.ts"
import type { Tracing } from "../observe/tracing.ts"

/** Room for the callback of a commit that is about to be made. */
export interface Reservation {
  /** Until when the commit claims its event. */
  readonly claimedUntil: (now: number) => number
  /** Sends the event that was claimed; the room is released when its attempt has ended. */
  readonly send: (due: DueDelivery) => void
  /** Releases the room, where nothing was sent. */
  readonly release: () => void
}

/** Delivers events to apps over HTTP, at least once. */
export interface Dispatcher {
  /** Undefined while the app's next event has to wait for room: it is then claimed later. */
  readonly reserve: (appId: string) => Reservation | undefined
  /** Something may be due: look now. */
  readonly wake: () => void
  /** Whether the event of a file is being sent now. */
  readonly isUnderWay: (key: string) => boolean
  /** No attempt begins from now on. */
  readonly pause: () => void
  /** Waits at most `patience` ms for what is in progress. */
  readonly drain: (patience: number) => Promise<void>
  /** Stops. Attempts in progress are aborted and, because they are not recorded, sent again later. */
  readonly close: () => Promise<void>
}

/** How long a claim outlasts the timeout, ms. */
const claimSlack = 30_000

/** How long an event may wait that another process made due (an operator's command), ms. */
const longestSleep = 5000

/**
 * The command that tells where a callback goes, and what is wrong there. Operators copy it into a shell, so it names no
 * URL in which a shell could find more than a word: an app has chosen it.
 */
const toDoctorCommand = ({ registration }: DueDelivery): string => {
  const { origin, pathname } = new URL(registration.callbackUrl)
  const url = `${origin}${pathname}`
  return `${names.word} doctor --callback-url ${/^[\w:/.%@+,=[\]-]+$/.test(url) ? url : "<url>"}`
}

/** Starts delivering what the catalog has pending. */
export const createDispatcher = (
  {
    catalog,
    changes,
    settings,
    tracing,
    postEvent,
  }: {
    readonly catalog: Catalog
    readonly changes: Changes
    readonly settings: Pick<Settings, "callbackTimeout" | "callbackRetries" | "maxConcurrentCallbacks">
    readonly tracing: Tracing | undefined
    readonly postEvent: PostEvent
  },
  context: Context.Context<never>,
): Dispatcher => {
  const fork = Effect.runForkWith(context)
  const latch = Latch.makeUnsafe()
  const wake = () => void Latch.openUnsafe(latch)
  const slots = createCallbackSlots(settings.maxConcurrentCallbacks, wake)
  /** By the key of the file. There is one at a time for each file, except where a claim ended before its attempt. */
  const underWay = new Map<Fiber.Fiber<unknown, unknown>, string>()
  let isPaused = false
  let isClosed = false

  const claimedUntil = (now: number): number => now + settings.callbackTimeout + claimSlack

  /** An app that does not answer gets less room, until it does. */
  const noteAnswer = (appId: string, failure: PostFailed | undefined): Effect.Effect<void> => {
    if (failure?.reason === "forbidden") return Effect.void
    const hasAnswered = failure === undefined || failure.status !== undefined
    if (!slots.note(appId, hasAnswered)) return Effect.void
    return hasAnswered
      ? logInfo("An app answers callbacks again.", { app: appId })
      : logWarning("An app does not answer callbacks; until it does it gets two at a time.", { app: appId })
  }

  const deliver = Effect.fnUntraced(function* (due: DueDelivery) {
    const startedAt = yield* Clock.currentTimeMillis
    const answer = yield* Effect.result(postEvent(due, startedAt))
    const now = yield* Clock.currentTimeMillis
    const { id: deliveryId, attempt } = due
    const record = { deliveryId, attempt, startedAt, latency: now - startedAt }
    const { trace } = due.registration
    const facts = {
      event: deliveryId,
      key: due.file.key,
      attempt,
      ms: record.latency,
      ...(trace !== null && { trace: traceIdOf(trace) }),
    }
    yield* noteAnswer(due.file.appId, answer._tag === "Failure" ? answer.failure : undefined)
    if (answer._tag === "Success") {
      const { status, result } = answer.success
      const isKept = yield* Effect.promise(() =>
        catalog.recordAttempt({ ...record, ...answer.success, error: null, outcome: "delivered" }),
      )
      yield* logDebug("A callback was delivered.", { ...facts, status })
      return isKept && result !== undefined && "data" in result ? { id: due.file.id, data: result.data } : undefined
    } else {
      const { failure } = answer
      const outcome = failure.status === 410 ? "dead" : judgeRetry(due.retry, now, settings.callbackRetries)
      const reason = redact(failure.message)
      yield* Effect.promise(() =>
        catalog.recordAttempt({
          ...record,
          status: failure.status ?? null,
          error: reason,
          answer: failure.body === undefined ? null : redact(failure.body),
          outcome,
          result: failure.reported === undefined ? undefined : { error: failure.reported },
        }),
      )
      yield* logWarning("A callback failed.", {
        ...facts,
        reason,
        ...(!isHandled(failure) && { help: toDoctorCommand(due) }),
        next: outcome === "dead" ? "given up" : new Date(outcome.retryAt).toISOString(),
      })
      // It may be due before all others.
      wake()
      return undefined
    }
  })

  /** Sends an event that is claimed; its slot is released when the attempt has ended. */
  const send = (due: DueDelivery, slot: Slot): void => {
    if (isClosed) return slot.release()
    const { key } = due.file
    const fiber = fork(
      Effect.catchCause(deliver(due), (cause) =>
        Effect.as(logError("A callback could not be sent.", { event: due.id, key }, Cause.squash(cause)), undefined),
      ),
    )
    underWay.set(fiber, key)
    fiber.addObserver((exit) => {
      underWay.delete(fiber)
      slot.release()
      // Those who wait for the file check it again, even when the attempt was aborted.
      changes.notify(key, exit._tag === "Success" ? exit.value : undefined)
    })
  }

  /**
   * Sends everything that it claimed even when it is interrupted: an event that is claimed and not sent would wait for
   * its claim to end.
   */
  const claim = Effect.fnUntraced(function* (now: number) {
    const until = claimedUntil(now)
    const limit = settings.maxConcurrentCallbacks
    const claimed = yield* Effect.promise(() =>
      slots.claim((roomOf) => catalog.claimDue({ channel: "callback", now, claimedUntil: until, limit, roomOf })),
    )
    for (const { due, slot } of claimed) send(due, slot)
  }, Effect.uninterruptible)

  const nextDueAfter = (time: number) => Effect.promise(() => catalog.nextDueAt(time))

  /**
   * Claims and sends as much as there is room for, then sleeps until the next event is due, something wakes it, or it
   * is time to look. A claim is a transaction that is flushed, so it looks first whether anything is due.
   */
  const pump = Effect.gen(function* () {
    Latch.closeUnsafe(latch)
    const now = yield* Clock.currentTimeMillis
    const first = yield* nextDueAfter(0)
    const isDue = first !== null && first <= now
    if (isDue) yield* claim(now)
    const next = isDue ? yield* nextDueAfter(now) : first
    const nap = next === null ? longestSleep : Math.min(Math.max(next - now, 1), longestSleep)
    return yield* Effect.raceFirst(Effect.sleep(nap), latch.await)
  })

  /** What a process that died had claimed is due at once. */
  const recover = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (!catalog.abilities.isShared) yield* Effect.promise(() => catalog.releaseClaims(now))
    if (tracing !== undefined) yield* Effect.promise(() => tracing.ready)
  })

  /** A catalog that fails now may work in a moment. */
  const persist = (step: Effect.Effect<void>): Effect.Effect<void> =>
    Effect.catchCause(step, (cause) =>
      Effect.andThen(
        logError("Events could not be claimed; trying again.", Cause.squash(cause)),
        Effect.andThen(
          Effect.sleep(5000),
          Effect.suspend(() => persist(step)),
        ),
      ),
    )

  const loop = fork(Effect.andThen(persist(recover), Effect.forever(persist(pump))))

  return {
    reserve: (appId) => {
      const slot = isPaused ? undefined : slots.reserve(appId)
      if (slot === undefined) return undefined
      let isSent = false
      return {
        claimedUntil,
        send: (due) => {
          isSent = true
          send(due, slot)
        },
        release: () => {
          if (!isSent) slot.release()
        },
      }
    },
    wake,
    isUnderWay: (key) => [...underWay.values()].includes(key),
    pause: () => {
      isPaused = true
      loop.interruptUnsafe()
    },
    drain: async (patience) => {
      await Effect.runPromise(Fiber.interrupt(loop))
      await Effect.runPromise(Effect.timeoutOption(Fiber.awaitAll([...underWay.keys()]), Math.max(patience, 0)))
    },
    close: async () => {
      isPaused = isClosed = true
      await Effect.runPromise(Fiber.interruptAll([loop, ...underWay.keys()]))
    },
  }
}
