import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { logDebug } from "../../server-kit/logging.ts"
import type { PostFailed } from "../../server-kit/post-json.ts"
import { rateLimitAdvice } from "../../server-kit/rate-limit-advice.ts"
import { redact } from "../../server-kit/redact.ts"
import { names } from "../../protocol/names.ts"
import type { Catalog, DueDelivery } from "../storage/catalog/catalog.ts"
import { findShortage } from "../find-shortage.ts"
import type { Changes, KeptData } from "./changes.ts"
import { createOutbox, type DrivenOutbox } from "./outbox.ts"
import type { PostEvent } from "./post-event.ts"
import { isHandled, isRateLimited } from "./refused-callbacks.ts"
import { judgeFailure, tellNext } from "./retry-schedule.ts"
import type { LimitedLog } from "../observe/limited-log.ts"
import type { Membership } from "../processes/membership.ts"
import type { Settings } from "../settings.ts"
import { traceIdOf } from "../../protocol/trace-context.ts"
import type { FreeSpace } from "../storage/free-space.ts"
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

/** Delivers callbacks to apps over HTTP, at least once. */
export interface Dispatcher extends DrivenOutbox {
  /** Undefined while the app's next event has to wait for room: it is then claimed later. */
  readonly reserve: (appId: string) => Reservation | undefined
  /** Whether the event of a file is being sent now. */
  readonly isUnderWay: (key: string) => boolean
}

/**
 * The command that tells where a callback goes, and what is wrong there. Operators copy it into a shell, so it names no
 * URL in which a shell could find more than a word: an app has chosen it.
 */
const toDoctorCommand = ({ registration }: DueDelivery): string => {
  const { origin, pathname } = new URL(registration.callbackUrl)
  const url = `${origin}${pathname}`
  return `${names.word} doctor --callback-url ${/^[\w:/.%@+,=[\]-]+$/.test(url) ? url : "<url>"}`
}

/** Answers up to this size are always kept, characters: those of the route handler are. */
const shortAnswer = 64

/** Starts delivering what the catalog has pending. */
export const createDispatcher = (
  {
    catalog,
    space,
    changes,
    settings,
    tracing,
    postEvent,
    limitedLog,
    membership: { now, isConnected },
  }: {
    readonly catalog: Catalog
    readonly space: Pick<FreeSpace, "admit">
    readonly changes: Changes
    readonly settings: Pick<Settings, "callbackTimeout" | "callbackRetries" | "maxConcurrentCallbacks">
    readonly tracing: Tracing | undefined
    readonly postEvent: PostEvent
    readonly limitedLog: Pick<LimitedLog, "log">
    readonly membership: Pick<Membership, "now" | "isConnected">
  },
  context: Context.Context<never>,
  isDriven?: () => boolean,
): Dispatcher => {
  /** What an app has said, where it is short or the disks have room: nothing depends on it. */
  const keep = (said: string | null): Effect.Effect<string | null> =>
    said === null || said.length <= shortAnswer
      ? Effect.succeed(said)
      : Effect.map(findShortage(space, said.length), (shortage) => (shortage === undefined ? said : null))

  /** Logs when an app falls silent, and when it answers again. */
  const noteAnswer = (appId: string, failure: PostFailed | undefined, latency: number): void => {
    const news = outbox.note(appId, failure, latency)
    if (news === undefined) return
    const toDetails = () => [{ app: appId }]
    if (news === "answers again") {
      return limitedLog.log("answersAgain", appId, "An app answers callbacks again.", toDetails)
    }
    limitedLog.log(
      "unanswered",
      appId,
      "An app does not answer callbacks; until it does it gets two at a time.",
      toDetails,
    )
  }

  const deliver = Effect.fnUntraced(function* (due: DueDelivery) {
    const startedAt = now()
    const answer = yield* Effect.result(postEvent(due, startedAt))
    const endedAt = now()
    const { id: deliveryId, attempt } = due
    const record = { deliveryId, attempt, startedAt, latency: endedAt - startedAt }
    const { trace } = due.registration
    const facts = {
      event: deliveryId,
      key: due.file.key,
      attempt,
      ms: record.latency,
      ...(trace !== null && { trace: traceIdOf(trace) }),
    }
    noteAnswer(due.file.appId, answer._tag === "Failure" ? answer.failure : undefined, record.latency)
    if (answer._tag === "Success") {
      const { status, result } = answer.success
      const said = yield* keep(answer.success.answer)
      const isKept = yield* Effect.promise(() =>
        catalog.recordAttempt({ ...record, status, result, answer: said, error: null, outcome: "delivered" }),
      )
      yield* logDebug("A callback was delivered.", { ...facts, status })
      return isKept && result !== undefined && "data" in result ? { id: due.file.id, data: result.data } : undefined
    } else {
      const { failure } = answer
      const outcome = judgeFailure(failure, due.retry, endedAt, settings.callbackRetries)
      const reason = redact(failure.message)
      const said = yield* keep(failure.body === undefined ? null : redact(failure.body))
      yield* Effect.promise(() =>
        catalog.recordAttempt({
          ...record,
          status: failure.status ?? null,
          error: reason,
          answer: said,
          outcome,
          result: failure.reported === undefined ? undefined : { error: failure.reported },
        }),
      )
      const kind = outcome === "dead" ? "callbackGivenUp" : "callbackFailed"
      limitedLog.log(kind, due.file.appId, "A callback failed.", () => [
        {
          ...facts,
          reason,
          ...(!isHandled(failure) && { help: toDoctorCommand(due) }),
          ...(isRateLimited(failure) && { hint: rateLimitAdvice }),
          next: tellNext(outcome),
        },
      ])
      // It may be due before all others.
      outbox.wake()
      return undefined
    }
  })

  /** What a process that died had claimed is due at once. */
  const recover = Effect.gen(function* () {
    if (!catalog.abilities.isShared) yield* Effect.promise(() => catalog.releaseClaims(now()))
    if (tracing !== undefined) yield* Effect.promise(() => tracing.ready)
  })

  const outbox = createOutbox<DueDelivery, KeptData | undefined>(
    {
      maximum: settings.maxConcurrentCallbacks,
      timeout: settings.callbackTimeout,
      now,
      mayBegin: isConnected,
      receiverOf: ({ file }) => file.appId,
      claim: (claim) => catalog.claimDue({ channel: "callback", ...claim }),
      nextDueAt: catalog.nextDueAt,
      recover,
      attempt: deliver,
      factsOf: ({ id, file }) => ({ event: id, key: file.key }),
      // Those who wait for the file check it again, even when the attempt was aborted.
      ended: ({ file }, exit) => changes.notify(file.key, exit._tag === "Success" ? exit.value : undefined),
    },
    context,
    isDriven,
  )

  return {
    ...outbox,
    reserve: (appId) => {
      const slot = outbox.isPaused() || !isConnected() ? undefined : outbox.reserve(appId)
      if (slot === undefined) return undefined
      let isSent = false
      return {
        claimedUntil: outbox.claimedUntil,
        send: (due) => {
          isSent = true
          outbox.send(due, slot)
        },
        release: () => {
          if (!isSent) slot.release()
        },
      }
    },
    isUnderWay: (key) => [...outbox.underWay()].some(({ file }) => file.key === key),
  }
}
