import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Result from "effect/Result"
import { logError, logInfo, logWarning } from "../../server-kit/logging.ts"
import { logFailure } from "../observe/outage.ts"
import type { Metrics } from "../observe/metrics.ts"
import type { Service } from "../service.ts"
import type { FileRecord } from "../storage/catalog/catalog.ts"
import { isHeld } from "../storage/is-held.ts"
import { createJudgeHeld } from "./judge-held.ts"
import { createOutage, type Mark } from "./outage.ts"
import { createPostponed, type Pauses } from "./postponed.ts"
import { readHeld } from "./read-held.ts"
import { type Scanner, ScannerError } from "./scanner.ts"
import { createShares, toWideSharing } from "../shares.ts"
import { createTurns } from "./turns.ts"

/** Has every file that is held looked at, and gives the verdict. */
export interface Scans {
  /** A file is held: look now. */
  readonly wake: () => void
  /** Stops. Scans under way are aborted, and made again by the next ingest. */
  readonly close: () => Promise<void>
}

/** When something is tried again, ms. */
export interface ScanTimes {
  /** How often somebody looks for files that nobody has told of. */
  readonly look: number
  /** While the scanner is away. */
  readonly away: Pauses
  /** For a file about which the scanner did not decide. */
  readonly file: Pauses
}

const usualTimes: ScanTimes = {
  look: 5000,
  away: { shortest: 1000, longest: 60_000 },
  file: { shortest: 60_000, longest: 60 * 60_000 },
}

/** Files that are tried later and kept in memory, of all apps; an app has a share of them. */
const mostPostponed = 10_000

/** Files that are counted, of one app, when the scanner is back. */
const mostCounted = 1000

/** Files of an app that are looked through for users whose turn it is. */
const farthest = 200

/** How long a scanner that is prompt takes at most, ms. */
const promptWithin = 10_000

/** How long the process that scans stays it, ms from its last look. */
const leadTime = 30_000

/** When a file was sent to the scanner. */
interface Asked {
  readonly since: Mark
  /** ms of the steady clock */
  readonly askedAt: number
}

const tooLate = new ScannerError("refused", "It wanted to decide later, and gave no verdict in time.")

/** Starts looking at what is held. */
export const createScans = (
  service: Pick<
    Service,
    | "apps"
    | "catalog"
    | "changes"
    | "devStreams"
    | "dispatcher"
    | "limitedLog"
    | "membership"
    | "now"
    | "readers"
    | "settings"
    | "store"
    | "wakeHousekeeping"
  >,
  scanner: Scanner,
  metrics: Pick<Metrics, "scans" | "activeScans">,
  context: Context.Context<never>,
  times: ScanTimes = usualTimes,
  most: number = mostPostponed,
): Scans => {
  const { apps, catalog, changes, membership, settings, now } = service
  /** Pauses are by a clock that only goes forward: where that of the machine is set back, nothing waits longer. */
  const steadyNow = () => performance.now()
  const judge = createJudgeHeld(service, metrics)
  const fork = Effect.runForkWith(context)
  const latch = Latch.makeUnsafe()
  const wake = () => void Latch.openUnsafe(latch)
  const postponed = createPostponed(steadyNow, times.file, createShares(toWideSharing(most, apps.isOne)))
  const turns = createTurns<FileRecord>({ isOne: apps.isOne, isTried: ({ id }) => postponed.has(id) })
  const outage = createOutage(steadyNow, times.away)
  const underWay = new Map<Fiber.Fiber<unknown, unknown>, number>()
  /** When apps may be tried again of which no further file can be remembered: theirs would be tried again at once. */
  const full = new Map<string, number>()

  const countHeld = Effect.promise(() => catalog.listHeld({ limit: mostCounted, except: new Set() })).pipe(
    Effect.map((held) => held.length),
  )

  /** The scanner has decided about a file for which it was asked at a time, or has said that it does not. */
  const noteVerdict = (file: FileRecord, askedAt: number): void =>
    turns.note(file, steadyNow() - askedAt > promptWithin ? "slow" : "prompt")

  /** The scanner has answered, whatever it said. */
  const noteAnswer = Effect.fnUntraced(function* () {
    if (!outage.end()) return
    yield* logInfo("The scanner answers again.", { scanner: scanner.address, waiting: yield* countHeld })
    wake()
  })

  const noteOutage = Effect.fnUntraced(function* (since: Mark, { reason, message, help }: ScannerError) {
    if (!outage.begin(since, reason === "away")) return
    yield* logWarning("The scanner is away: files that are held stay so until it answers.", {
      scanner: scanner.address,
      reason: message,
      ...(help !== undefined && { help }),
    })
  })

  /** Postpones a file. What is known of it is logged once. */
  const postpone = Effect.fnUntraced(function* (
    { id, key, appId }: FileRecord,
    isLonger: boolean,
    say: (key: string) => Effect.Effect<void>,
  ) {
    if (postponed.add({ id, appId }, isLonger)) yield* say(key)
    if (!postponed.isFull(appId)) return void full.delete(appId)
    if (!full.has(appId)) {
      yield* logError(
        "The scanner does not decide about thousands of files of an app; its others wait behind them. Decide by releaseFiles or rejectFiles.",
        { app: appId },
      )
    }
    full.set(appId, steadyNow() + times.look)
  })

  const isStillHeld = (file: FileRecord) =>
    Effect.map(
      Effect.promise(() => catalog.get(file.key)),
      (current) => isHeld(current, file.id),
    )

  /** Ends when the file is held no more: it was deleted, or somebody has judged it. */
  const untilJudged = (file: FileRecord): Effect.Effect<void> =>
    Effect.acquireUseRelease(
      Effect.sync(() => changes.watch(file.key)),
      (watch) =>
        Effect.gen(function* () {
          // Nobody wakes this process where another one was told the verdict.
          while (yield* isStillHeld(file)) {
            yield* Effect.raceFirst(
              Effect.promise(() => watch.next()),
              Effect.sleep(times.look),
            )
          }
        }),
      (watch) => Effect.sync(() => watch.close()),
    )

  const noteFailure = Effect.fnUntraced(function* (file: FileRecord, cause: unknown, { since, askedAt }: Asked) {
    const { reason } = cause instanceof ScannerError ? cause : { reason: "failed" as const }
    metrics.scans.cell(reason === "hungUp" ? "refused" : reason).add()
    if (!(cause instanceof ScannerError)) {
      yield* postpone(file, true, (key) => logError("A file that is held could not be scanned.", { key }, cause))
      return
    }
    const { message, help = scanner.help } = cause
    if (reason === "away") return yield* noteOutage(since, cause)
    // Whether it is the file or the scanner: where it was silent before, the file is not to blame.
    const wasAway = outage.isOn()
    if (reason === "refused") {
      yield* noteAnswer()
      // One that has promised a verdict, and gives none, is as good as silent.
      if (cause === tooLate) turns.note(file, "silent")
      else noteVerdict(file, askedAt)
    }
    if (reason === "silent") {
      turns.note(file, "silent")
      if (!outage.hasAnswered(since)) yield* noteOutage(since, cause)
    }
    yield* postpone(file, reason === "refused" || !wasAway, (key) =>
      Effect.sync(() =>
        service.limitedLog.log("undecided", file.appId, "The scanner does not decide about a file.", () => [
          { key, reason: message, help },
        ]),
      ),
    )
  })

  const scan = Effect.fnUntraced(function* (file: FileRecord) {
    const asked: Asked = { since: outage.mark(), askedAt: steadyNow() }
    const verdict = Effect.result(
      Effect.tryPromise({
        try: (signal) => scanner.scan({ ...file, read: () => readHeld(service, file) }, signal),
        catch: (cause) => cause,
      }),
    )
    const answer = yield* Effect.raceFirst(verdict, untilJudged(file))
    if (answer === undefined) return
    if (Result.isFailure(answer)) {
      if (yield* isStillHeld(file)) yield* noteFailure(file, answer.failure, asked)
      return
    }
    const { success } = answer
    if (success.kind === "later") {
      yield* noteAnswer()
      const over = Effect.as(Effect.sleep(Math.max(success.until - now(), 0)), "over" as const)
      if ((yield* Effect.raceFirst(over, untilJudged(file))) === "over") yield* noteFailure(file, tooLate, asked)
      else {
        postponed.forget(file.id)
        noteVerdict(file, asked.askedAt)
      }
      return
    }
    yield* Effect.orDie(judge(file, success))
    postponed.forget(file.id)
    noteVerdict(file, asked.askedAt)
    yield* noteAnswer()
  })

  /** A file whose turn it is. */
  const start = (file: FileRecord): void => {
    metrics.activeScans.add()
    const fiber = fork(
      Effect.catchCause(scan(file), (cause) =>
        postpone(file, true, (key) =>
          logError("A file that is held could not be scanned.", { key }, Cause.squash(cause)),
        ),
      ),
    )
    underWay.set(fiber, file.id)
    fiber.addObserver(() => {
      underWay.delete(fiber)
      turns.release(file)
      metrics.activeScans.add(-1)
      wake()
    })
  }

  /** What may be looked at now, of each app what was not tried before first. */
  const listDue = Effect.fnUntraced(function* (limit: number) {
    const list = (tried: ReadonlyArray<number>) =>
      Effect.promise(() => catalog.listHeld({ limit, except: new Set([...underWay.values(), ...tried]) }))
    const [all, waiting] = [postponed.listAll(), postponed.list()]
    const fresh = yield* list(all)
    if (all.length === waiting.length) return fresh
    const ids = new Set(fresh.map(({ file }) => file.id))
    return [...fresh, ...(yield* list(waiting)).filter(({ file }) => !ids.has(file.id))]
  })

  /** Gives out the free places. While the scanner cannot be reached there is one, for whoever finds that it is back. */
  const startScans = Effect.fnUntraced(function* () {
    const places = outage.isAway() ? 1 : settings.maxConcurrentScans
    // Of several processes one scans, and says so as long as it does: what another one has begun is not known here.
    if (!(yield* Effect.promise(() => membership.leads("scan", leadTime))) || turns.count() >= places) return
    const first = yield* listDue(places)
    // Of an app alone, files on which the scanner hangs may be before those of all its other users.
    const isBlocked = apps.isOne() && first.some(({ file }) => turns.isSilent(file.appId))
    const held = isBlocked ? yield* listDue(farthest) : first
    const files = held.map(({ file }) => file).filter(({ appId }) => (full.get(appId) ?? 0) <= steadyNow())
    for (const file of turns.take(files, places)) start(file)
  }, Effect.uninterruptible)

  /** Waits in an outage, gives out what places there are, and sleeps until there is something to do. */
  const pump = Effect.gen(function* () {
    Latch.closeUnsafe(latch)
    yield* Effect.sleep(outage.pause())
    yield* startScans()
    const nextAt = postponed.nextAt()
    const nap = nextAt === undefined ? times.look : Math.min(Math.max(nextAt - steadyNow(), 1), times.look)
    yield* Effect.raceFirst(Effect.sleep(nap), latch.await)
  })

  /** A catalog that fails now may work in a moment. */
  const persist: Effect.Effect<void> = Effect.catchCause(pump, (cause) =>
    Effect.andThen(
      logFailure("Files that are held could not be listed for the scanner; trying again.", Cause.squash(cause)),
      Effect.sleep(times.look),
    ),
  )

  const loop = fork(Effect.forever(persist))

  return {
    wake,
    close: async () => {
      await Effect.runPromise(Fiber.interrupt(loop))
      await Effect.runPromise(Fiber.interruptAll([...underWay.keys()]))
    },
  }
}
