import * as Effect from "effect/Effect"
import { endsWithin } from "../../server-kit/ends-within.ts"
import type { Write } from "../../server-kit/logging.ts"
import type { DrivenOutbox } from "../delivery/outbox.ts"
import type { Housekeeping } from "./housekeeping.ts"
import type { Catalog } from "../storage/catalog/catalog.ts"

/** What a platform gives with a request: a worker's `ctx`, or `{ waitUntil: after }` in Next.js. */
export interface RequestContext {
  /** Keeps the process at work until this is done, although the answer was given. */
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined
}

/** How much a tick may do. */
export interface TickOptions {
  /** How long it may begin something new, ms. It then ends, but for one step of the catalog or the store. */
  readonly budget: number
}

/** What a tick leaves. */
export interface TickReport {
  /** Everything that was due is done. Otherwise tick again at once. */
  readonly isDone: boolean
  /** Attempts at callbacks and events that go on, each at most `callbackTimeout`. Those that are cut off are made again. */
  readonly underWay: number
  /**
   * When the next attempt falls due, or the time of a file has passed, ms since the epoch; null: nothing is known. Abandoned
   * uploads are not in it, so tick every ten minutes all the same.
   */
  readonly nextAt: number | null
}

/** How long after its answer a request still begins attempts, ms: one that found many of them must not make all. */
const afterAnswer = 10_000

/** Those for whom an ingest works that does nothing by itself: requests, and ticks. */
export interface Drivers {
  /** Somebody drives until then, by `performance.now()`, or until the returned function is called. */
  readonly begin: (until: number) => () => void
  readonly isDriven: () => boolean
}

export const createDrivers = (): Drivers => {
  const all = new Set<{ readonly until: number }>()
  return {
    begin: (until) => {
      const driver = { until }
      all.add(driver)
      return () => void all.delete(driver)
    },
    isDriven: () => {
      const now = performance.now()
      for (const { until } of all) if (until > now) return true
      return false
    },
  }
}

/** Fails: throws a TypeError where an ingest is asked to do nothing by itself, and something that needs it to. */
export const requireNothingBehind = (asked: {
  readonly background?: boolean | undefined
  readonly scan?: unknown
  readonly tracing?: unknown
}): void => {
  if (asked.background !== false) return
  for (const name of ["scan", "tracing"] as const) {
    if (asked[name] === undefined) continue
    throw new TypeError(
      `INVALID_CONFIG: the ingest's background is false, and ${name} works in the background. Leave one of them out.`,
    )
  }
}

/** What is driven. */
interface Driven {
  readonly drivers: Drivers
  readonly outboxes: ReadonlyArray<DrivenOutbox>
  readonly housekeeping: Pick<Housekeeping, "sweepWhile">
  readonly catalog: Pick<Catalog, "findNextDeadline">
  /** ms since the epoch, by the clock that all processes go by. */
  readonly now: () => number
  readonly write: Write
}

/** Has an ingest work that does nothing by itself. */
export const createDrive = ({ drivers, outboxes, housekeeping, catalog, now, write }: Driven) => {
  const settle = (): Promise<unknown> => Promise.all(outboxes.map((outbox) => outbox.settle()))
  const countUnderWay = (): number => outboxes.reduce((sum, outbox) => sum + outbox.countUnderWay(), 0)

  /** The earliest of some times; undefined where there is none. */
  const findNext = async (): Promise<number | null> => {
    const times = await Promise.all([...outboxes.map((outbox) => outbox.nextDueAt(0)), catalog.findNextDeadline()])
    const known = times.filter((time) => time !== null)
    return known.length === 0 ? null : Math.min(...known)
  }

  /** Sends what is due until nothing is, or the time is over. */
  const deliver = async (until: number): Promise<void> => {
    const isLeft = async (outbox: DrivenOutbox): Promise<boolean> => {
      const next = await outbox.nextDueAt(0)
      return next !== null && next <= now()
    }
    for (let left = outboxes; left.length > 0 && performance.now() < until;) {
      for (const outbox of left) outbox.wake()
      await endsWithin(settle(), until - performance.now())
      const due = await Promise.all(left.map(isLeft))
      left = left.filter((_, index) => due[index])
    }
  }

  let sweeping: Promise<void> = Promise.resolve()
  /** One sweep at a time; one that was asked for while another was under way follows it. */
  const sweep = (mayGoOn: () => boolean): Promise<void> =>
    (sweeping = sweeping.then(() => (mayGoOn() ? Effect.runPromise(housekeeping.sweepWhile(mayGoOn)) : undefined)))

  return {
    /** Answers a request, and drives what it begins, also after the answer. */
    answer: async <A>(respond: () => Promise<A>, context: RequestContext | undefined): Promise<A> => {
      const endRequest = drivers.begin(Infinity)
      try {
        return await respond()
      } finally {
        const endAfter = drivers.begin(performance.now() + afterAnswer)
        endRequest()
        const work = settle().finally(endAfter)
        try {
          if (typeof context?.waitUntil === "function") context.waitUntil(work)
        } catch (cause) {
          write("Error", "The platform's waitUntil failed; callbacks after the answer may be cut off.", [cause])
        }
      }
    },

    tick: async ({ budget }: TickOptions): Promise<TickReport> => {
      if (!(budget >= 0 && budget < Infinity))
        throw new TypeError(`INVALID_CONFIG: a tick's budget is ${budget}, and must be ms.`)
      const until = performance.now() + budget
      const mayGoOn = () => performance.now() < until
      const end = drivers.begin(until)
      try {
        // What a sweep ends is told to apps.
        await Promise.all([deliver(until), sweep(mayGoOn)])
        await deliver(until)
        const isSwept = mayGoOn()
        const underWay = countUnderWay()
        const nextAt = await findNext()
        const isDue = nextAt !== null && nextAt <= now()
        return { isDone: isSwept && underWay === 0 && !isDue, underWay, nextAt }
      } finally {
        end()
      }
    },
  }
}
