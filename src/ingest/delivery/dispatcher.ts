import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import { logDebug, logError, logWarning } from "../../http/logging.ts"
import { PostFailed, postJson, readStart } from "../../http/post-json.ts"
import { redact } from "../../http/redact.ts"
import { names } from "../../protocol/names.ts"
import { signWithEach } from "../../protocol/signature-list.ts"
import { standardWebhookHeaders } from "../../protocol/standard-webhooks.ts"
import type { TraceContext } from "../../protocol/trace-context.ts"
import { type Apps, isCallbackAllowed } from "../apps.ts"
import type { AttemptRecord, Catalog, DueDelivery } from "../storage/catalog.ts"
import type { Changes } from "./changes.ts"
import { renderEvent } from "./event.ts"
import type { Settings } from "../settings.ts"
import { type Tracing, traceIdOf } from "../observe/tracing.ts"

/** Delivers events to apps over HTTP, at least once. */
export interface Dispatcher {
  /** Until when a commit may claim its event for {@link send}; null when too much is under way already. */
  readonly claimUntil: (now: number) => number | null
  /** Sends an event that is claimed. */
  readonly send: (due: DueDelivery) => void
  /** Something may be due: look now. */
  readonly wake: () => void
  /** Sends nothing more, and waits at most `patience` ms for what is under way. */
  readonly drain: (patience: number) => Promise<void>
  /** Stops; what is under way is broken off and, not being recorded, sent again later. */
  readonly close: () => Promise<void>
}

/** Deliveries under way at once. */
const concurrency = 32

/** How long past the timeout a claim holds, ms. */
const claimSlack = 30_000

/** How long an app that has accepted an event may take with the body of its answer, ms. */
const answerPatience = 1000

/** How long an event waits that another process made due (an operator's command), ms. */
const longestSleep = 5000

/** Up to a fifth more or less, so that many events of one outage do not come back at one moment. */
const jitter = (delay: number): number => Math.round(delay * (0.8 + 0.4 * Math.random()))

/** What follows a failed attempt. Source: docs/protocol.md §8. */
const judge = (
  failed: PostFailed,
  retry: number,
  now: number,
  retries: ReadonlyArray<number>,
): AttemptRecord["outcome"] => {
  const delay = retries[retry]
  return failed.status === 410 || delay === undefined ? "dead" : { retryAt: now + jitter(delay) }
}

/** What an app answered to an event it took. */
interface Answer {
  readonly status: number
  /** The first characters. */
  readonly answer: string
}

/** Starts delivering what the catalog has pending. */
export const createDispatcher = (
  {
    apps,
    catalog,
    changes,
    settings,
    tracing,
  }: {
    readonly apps: Apps
    readonly catalog: Catalog
    readonly changes: Changes
    readonly settings: Settings
    readonly tracing: Tracing | undefined
  },
  context: Context.Context<never>,
): Dispatcher => {
  const fork = Effect.runForkWith(context)
  const latch = Latch.makeUnsafe()
  const underWay = new Set<Fiber.Fiber<unknown, unknown>>()
  let isClosed = false

  /** The keys an event is signed with. Fails: while nothing may be sent to this URL for the app. */
  const authorise = Effect.fnUntraced(function* (appId: string, url: URL) {
    const app = yield* Effect.promise(async () => apps.byId(appId))
    const forbidden =
      app === undefined || app.signers.length === 0
        ? `The app ${appId} has no active key to sign it with`
        : isCallbackAllowed(app, url)
          ? undefined
          : `${url.origin} is none of the callback origins of the app ${appId}`
    if (forbidden !== undefined) return yield* new PostFailed({ reason: "forbidden", cause: new Error(forbidden) })
    return app!.signers
  })

  const post = Effect.fnUntraced(function* (due: DueDelivery, sentAt: number, trace: TraceContext | null) {
    const url = new URL(due.registration.callbackUrl)
    const signers = yield* authorise(due.file.appId, url)
    const body = renderEvent(due, sentAt, settings.url)
    const [signature, webhookHeaders] = yield* Effect.promise(() =>
      Promise.all([signWithEach(body, signers), standardWebhookHeaders({ id: due.id, sentAt }, body, signers)]),
    )
    url.searchParams.set(names.action.slug, due.registration.callbackSlug)
    const response = yield* postJson({
      url: url.href,
      headers: { [names.header.hook]: due.hook, [names.header.signature]: signature, ...webhookHeaders, ...trace },
      body,
      timeout: settings.callbackTimeout,
      fetch: settings.fetch,
    })
    const answer = redact(yield* Effect.promise(() => readStart(response, answerPatience)))
    return { status: response.status, answer }
  })

  /** An attempt in its trace, which is recorded or only passed on. */
  const postTraced = (due: DueDelivery, sentAt: number): Effect.Effect<Answer, PostFailed> => {
    const { trace } = due.registration
    const span = tracing?.start({
      name: "callback",
      kind: "client",
      parent: trace ?? undefined,
      attributes: {
        [`${names.word}.event_id`]: due.id,
        [`${names.word}.attempt`]: due.attempt,
        [`${names.word}.file_key`]: due.file.key,
      },
    })
    const attempted = post(due, sentAt, span?.context ?? trace)
    if (span === undefined) return attempted
    return Effect.onExit(attempted, (exit) =>
      Effect.sync(() => {
        const failed = exit._tag === "Failure" ? exit.cause.reasons.find(Cause.isFailReason)?.error : undefined
        span.annotate({ "http.response.status_code": exit._tag === "Success" ? exit.value.status : failed?.status })
        span.end(exit._tag === "Success" ? undefined : (failed?.message ?? "The attempt was broken off."))
      }),
    )
  }

  const deliver = Effect.fnUntraced(function* (due: DueDelivery) {
    const startedAt = yield* Clock.currentTimeMillis
    const answer = yield* Effect.result(postTraced(due, startedAt))
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
    if (answer._tag === "Success") {
      yield* Effect.promise(() =>
        catalog.recordAttempt({ ...record, ...answer.success, error: null, outcome: "delivered" }),
      )
      yield* logDebug("A callback was delivered.", { ...facts, status: answer.success.status })
    } else {
      const { failure } = answer
      const outcome = judge(failure, due.retry, now, settings.callbackRetries)
      yield* Effect.promise(() =>
        catalog.recordAttempt({
          ...record,
          status: failure.status ?? null,
          error: failure.message,
          answer: failure.body === undefined ? null : redact(failure.body),
          outcome,
        }),
      )
      yield* logWarning("A callback failed.", {
        ...facts,
        reason: failure.message,
        next: outcome === "dead" ? "given up" : new Date((outcome as { retryAt: number }).retryAt).toISOString(),
      })
    }
    changes.notify(due.file.key)
  })

  const send = (due: DueDelivery): void => {
    if (isClosed) return
    const fiber = fork(
      Effect.catchCause(deliver(due), (cause) =>
        logError("A callback could not be sent.", { event: due.id, key: due.file.key }, Cause.squash(cause)),
      ),
    )
    underWay.add(fiber)
    fiber.addObserver(() => {
      underWay.delete(fiber)
      Latch.openUnsafe(latch)
    })
  }

  /** Claims and sends until nothing is due, then sleeps until the next event is, somebody calls, or it is time to look. */
  const pump = Effect.gen(function* () {
    Latch.closeUnsafe(latch)
    const limit = concurrency - underWay.size
    if (limit > 0) {
      const now = yield* Clock.currentTimeMillis
      const claimedUntil = now + settings.callbackTimeout + claimSlack
      const due = yield* Effect.promise(() => catalog.claimDue({ channel: "callback", now, claimedUntil, limit }))
      for (const delivery of due) send(delivery)
      if (due.length < limit) {
        const next = yield* Effect.promise(() => catalog.nextDueAt())
        const nap = next === null ? longestSleep : Math.min(Math.max(next - now, 1), longestSleep)
        return yield* Effect.raceFirst(Effect.sleep(nap), latch.await)
      }
    }
    return yield* latch.await
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
    claimUntil: (now) =>
      isClosed || underWay.size >= concurrency ? null : now + settings.callbackTimeout + claimSlack,
    send,
    wake: () => void Latch.openUnsafe(latch),
    drain: async (patience) => {
      isClosed = true
      await Effect.runPromise(Fiber.interrupt(loop))
      await Effect.runPromise(Effect.timeoutOption(Fiber.awaitAll([...underWay]), Math.max(patience, 0)))
    },
    close: async () => {
      isClosed = true
      await Effect.runPromise(Fiber.interruptAll([loop, ...underWay]))
    },
  }
}
