import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import type { PostFailed } from "../../server-kit/post-json.ts"
import { logFailure } from "../observe/outage.ts"
import { createDeliverySlots, type DeliverySlots, judgePromptness, type Slot } from "./delivery-slots.ts"

/** What one kind of delivery consists of: callbacks to apps, or events to endpoints. */
export interface Deliveries<Due, Kept> {
  /** At once, of all receivers. */
  readonly maximum: number
  /** How long an attempt may take, ms. */
  readonly timeout: number
  /** ms since the epoch. */
  readonly now: () => number
  /** Whether it may claim and begin anything now. */
  readonly mayBegin: () => boolean
  readonly receiverOf: (due: Due) => string
  /** Claims what is due, of each receiver as much as it has room for. */
  readonly claim: (claim: {
    readonly now: number
    readonly claimedUntil: number
    readonly limit: number
    readonly roomOf: (receiver: string) => number
  }) => Promise<ReadonlyArray<Due>>
  /** When the next one falls due after a moment, ms since the epoch; null when none will. */
  readonly nextDueAt: (after: number) => Promise<number | null>
  /** Is done before the first claim: what a process that died had claimed is due at once. */
  readonly recover: Effect.Effect<void>
  /** Makes an attempt and records it. Its failures are defects: an attempt that went wrong is a success that was recorded. */
  readonly attempt: (due: Due) => Effect.Effect<Kept>
  /** For the log where an attempt was a defect. */
  readonly factsOf: (due: Due) => Readonly<Record<string, unknown>>
  /** An attempt is over, also one that was aborted. */
  readonly ended?: (due: Due, exit: Exit.Exit<Kept | undefined>) => void
}

/** Sends what is owed, at least once, for as long as it is open. */
export interface Outbox<Due> extends Pick<DeliverySlots<Due>, "reserve"> {
  /**
   * Notes how an attempt ended, and after how many ms: a receiver that is not prompt gets less room, until it is. Returns what
   * has become of it, where that is news.
   */
  readonly note: (
    receiver: string,
    failure: PostFailed | undefined,
    latency: number,
  ) => "silent" | "answers again" | undefined
  /** Until when whoever claims something now has it to itself. */
  readonly claimedUntil: (now: number) => number
  /** Sends what is claimed; its slot is released when the attempt has ended. */
  readonly send: (due: Due, slot: Slot) => void
  /** Something may be due: look now. */
  readonly wake: () => void
  /** Waits for looks and attempts that are under way, and for those that they lead to. */
  readonly settle: () => Promise<void>
  /** Something falls due after this moment, ms since the epoch; 0: at all. Null: nothing does. */
  readonly nextDueAt: (after: number) => Promise<number | null>
  /** What is being sent now. */
  readonly underWay: () => Iterable<Due>
  readonly countUnderWay: () => number
  readonly isPaused: () => boolean
  /** No attempt begins from now on. */
  readonly pause: () => void
  /** Waits at most `patience` ms for what is in progress. */
  readonly drain: (patience: number) => Promise<void>
  /** Stops. Attempts in progress are aborted and, because they are not recorded, made again later. */
  readonly close: () => Promise<void>
}

/** What others do with an outbox. */
export type DrivenOutbox = Pick<
  Outbox<never>,
  "wake" | "settle" | "nextDueAt" | "countUnderWay" | "pause" | "drain" | "close"
>

/** How long a claim outlasts the timeout, ms. */
const claimSlack = 30_000

/** How long something may wait that another process made due (an operator's command), ms. */
const longestSleep = 5000

/**
 * Starts sending what is owed.
 *
 * @param isDriven where it is given, nothing runs by itself: it looks when it is woken, as long as somebody drives it
 */
export const createOutbox = <Due, Kept>(
  {
    maximum,
    timeout,
    now,
    mayBegin,
    receiverOf,
    claim,
    nextDueAt,
    recover,
    attempt,
    factsOf,
    ended,
  }: Deliveries<Due, Kept>,
  context: Context.Context<never>,
  isDriven?: () => boolean,
): Outbox<Due> => {
  const fork = Effect.runForkWith(context)
  const latch = Latch.makeUnsafe()
  let isAsked = false
  let looking: Promise<void> | undefined
  const wake = (): void => {
    if (isDriven === undefined) return void Latch.openUnsafe(latch)
    isAsked = true
    if (looking !== undefined || isPaused || !isDriven()) return
    looking = lookWhileDriven(isDriven).finally(() => {
      looking = undefined
      // Asked for in the moment that it ended.
      if (isAsked) wake()
    })
  }
  const slots = createDeliverySlots(maximum, receiverOf, wake)
  const underWay = new Map<Fiber.Fiber<unknown, unknown>, Due>()
  let isPaused = false
  let isClosed = false

  const claimedUntil = (at: number): number => at + timeout + claimSlack

  const send = (due: Due, slot: Slot): void => {
    if (isClosed) return slot.release()
    const fiber = fork(
      Effect.catchCause(attempt(due), (cause) =>
        Effect.as(logFailure("An event could not be sent.", Cause.squash(cause), factsOf(due)), undefined),
      ),
    )
    underWay.set(fiber, due)
    fiber.addObserver((exit) => {
      underWay.delete(fiber)
      slot.release()
      ended?.(due, exit)
    })
  }

  /** Sends everything that it claimed even when it is interrupted: what is claimed and not sent would wait for its claim to end. */
  const claimAndSend = Effect.fnUntraced(function* (at: number) {
    if (!mayBegin()) return
    const until = claimedUntil(at)
    const claimed = yield* Effect.promise(() =>
      slots.claim((roomOf) => claim({ now: at, claimedUntil: until, limit: maximum, roomOf })),
    )
    for (const { due, slot } of claimed) send(due, slot)
  }, Effect.uninterruptible)

  const findNext = (after: number) => Effect.promise(() => nextDueAt(after))

  /**
   * Claims and sends as much as there is room for, then sleeps until the next one is due, something wakes it, or it is
   * time to look. A claim is a transaction that is flushed, so it looks first whether anything is due.
   */
  const pump = Effect.gen(function* () {
    Latch.closeUnsafe(latch)
    const at = now()
    const first = yield* findNext(0)
    const isDue = first !== null && first <= at
    if (isDue) yield* claimAndSend(at)
    const next = isDue ? yield* findNext(at) : first
    const nap = next === null ? longestSleep : Math.min(Math.max(next - at, 1), longestSleep)
    return yield* Effect.raceFirst(Effect.sleep(nap), latch.await)
  })

  const lookOnce = Effect.gen(function* () {
    const at = now()
    const first = yield* findNext(0)
    if (first !== null && first <= at) yield* claimAndSend(at)
  })

  /** Looks once for each time that it is asked to. What a catalog fails to give is left to whoever asks next. */
  const lookWhileDriven = async (isGoing: () => boolean): Promise<void> => {
    const mayLook = (): boolean => isAsked && !isPaused && isGoing()
    do {
      isAsked = false
      const look = Effect.catchCause(lookOnce, (cause) =>
        logFailure("Events could not be claimed; they will be tried again.", Cause.squash(cause)),
      )
      await Effect.runPromiseWith(context)(look)
    } while (mayLook())
    isAsked = false
  }

  /** A catalog that fails now may work in a moment. */
  const persist = (step: Effect.Effect<void>): Effect.Effect<void> =>
    Effect.catchCause(step, (cause) =>
      Effect.andThen(
        logFailure("Events could not be claimed; they will be tried again.", Cause.squash(cause)),
        Effect.andThen(
          Effect.sleep(5000),
          Effect.suspend(() => persist(step)),
        ),
      ),
    )

  const isBusy = (): boolean => looking !== undefined || underWay.size > 0

  const loop =
    isDriven === undefined ? fork(Effect.andThen(persist(recover), Effect.forever(persist(pump)))) : undefined

  return {
    reserve: slots.reserve,
    note: (receiver, failure, latency) => {
      const answer = judgePromptness(failure, latency)
      if (answer === undefined || !slots.note(receiver, answer)) return undefined
      return answer === "none" ? "silent" : "answers again"
    },
    claimedUntil,
    send,
    wake,
    settle: async () => {
      while (isBusy()) {
        await Promise.all([looking, Effect.runPromise(Fiber.awaitAll([...underWay.keys()]))])
      }
    },
    nextDueAt,
    underWay: () => underWay.values(),
    countUnderWay: () => underWay.size,
    isPaused: () => isPaused,
    pause: () => {
      isPaused = true
      loop?.interruptUnsafe()
    },
    drain: async (patience) => {
      await looking
      if (loop !== undefined) await Effect.runPromise(Fiber.interrupt(loop))
      await Effect.runPromise(Effect.timeoutOption(Fiber.awaitAll([...underWay.keys()]), Math.max(patience, 0)))
    },
    close: async () => {
      isPaused = isClosed = true
      await looking
      await Effect.runPromise(Fiber.interruptAll([...(loop === undefined ? [] : [loop]), ...underWay.keys()]))
    },
  }
}
