import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { standardWebhookHeaders } from "../../protocol/signing/standard-webhooks.ts"
import type { Signer } from "../../protocol/signing/signature.ts"
import { createWebhookSigner } from "../../protocol/signing/webhook-secret.ts"
import { findUrlMistake } from "../../schema/http-url.ts"
import { logDebug } from "../../server-kit/logging.ts"
import { PostFailed, postJson } from "../../server-kit/post-json.ts"
import { redact } from "../../server-kit/redact.ts"
import type { Apps } from "../access/apps.ts"
import { createBoundedMap } from "../bounded-map.ts"
import type { LimitedLog } from "../observe/limited-log.ts"
import type { Membership } from "../processes/membership.ts"
import type { Settings } from "../settings.ts"
import type { Catalog } from "../storage/catalog/catalog.ts"
import type { DueEvent } from "../storage/catalog/endpoints.ts"
import { whenKnown } from "../when-known.ts"
import type { CallbackTransport } from "./callback-transport.ts"
import { renderEndpointEvent } from "./endpoint-event.ts"
import { createRests } from "./endpoint-rests.ts"
import { createOutbox, type DrivenOutbox } from "./outbox.ts"
import { judgeFailure, tellNext } from "./retry-schedule.ts"

/** Delivers events to endpoints of apps, at least once. */
export type EndpointDispatcher = DrivenOutbox

/** How long it may take until an endpoint that an operator has made is known here, ms. */
const lookAgainAfter = 5000

/** How many secrets have their keys kept at hand. */
const mostSigners = 1000

/**
 * Starts delivering what the catalog has pending for endpoints.
 *
 * Source: docs/protocol.md §8.
 */
export const createEndpointDispatcher = (
  {
    apps,
    catalog,
    settings,
    transport,
    limitedLog,
    membership: { now, isConnected },
  }: {
    readonly apps: Apps
    readonly catalog: Catalog
    readonly settings: Pick<Settings, "url" | "callbackTimeout" | "callbackRetries" | "maxConcurrentCallbacks">
    readonly transport: Pick<CallbackTransport, "of">
    readonly limitedLog: Pick<LimitedLog, "log">
    readonly membership: Pick<Membership, "now" | "isConnected">
  },
  context: Context.Context<never>,
  isDriven?: () => boolean,
): EndpointDispatcher => {
  const signers = createBoundedMap<Signer>(mostSigners)
  const signerOf = (secret: string): Signer => {
    const signer = signers.get(secret) ?? createWebhookSigner(secret)
    signers.set(secret, signer)
    return signer
  }

  const rests = createRests()
  /** Keeps the attempt's place for a moment, where its endpoint has failed several times. What is driven waits for nothing. */
  const rest = ({ endpoint }: DueEvent, isDelivered: boolean): Effect.Effect<void> => {
    const pause = rests.after(endpoint.id, isDelivered)
    return pause === 0 || isDriven !== undefined || outbox.isPaused() ? Effect.void : Effect.sleep(pause)
  }

  /** Logs when an endpoint falls silent, and when it answers again. */
  const noteAnswer = ({ endpoint }: DueEvent, failure: PostFailed | undefined, latency: number): void => {
    const news = outbox.note(endpoint.id, failure, latency)
    if (news === undefined) return
    const toDetails = () => [{ endpoint: endpoint.id, app: endpoint.appId }]
    if (news === "answers again") {
      return limitedLog.log("answersAgain", endpoint.id, "An endpoint answers again.", toDetails)
    }
    limitedLog.log(
      "unanswered",
      endpoint.id,
      "An endpoint does not answer; until it does it gets two events at a time.",
      toDetails,
    )
  }

  const post = Effect.fnUntraced(function* (due: DueEvent, sentAt: number) {
    const { endpoint } = due
    const app = yield* Effect.orDie(whenKnown(apps.byId(endpoint.appId)))
    const mistake = findUrlMistake(endpoint.url)
    if (app === undefined || mistake !== undefined) {
      const why = app === undefined ? `There is no app ${endpoint.appId}` : `The URL is not possible. ${mistake}`
      return yield* new PostFailed({ reason: "forbidden", cause: new Error(why) })
    }
    const body = renderEndpointEvent(due, settings.url)
    const active = endpoint.secrets.flatMap(({ secret }) => (secret === null ? [] : [signerOf(secret)]))
    const headers = yield* Effect.promise(() => standardWebhookHeaders({ id: due.id, sentAt }, body, active))
    const { callbackTimeout: timeout } = settings
    return yield* postJson({ url: endpoint.url, headers, body, timeout, send: transport.of(app, endpoint.id) })
  })

  const deliver = Effect.fnUntraced(function* (due: DueEvent) {
    const startedAt = now()
    const answer = yield* Effect.result(post(due, startedAt))
    const endedAt = now()
    const { id: deliveryId, attempt } = due
    const record = { deliveryId, attempt, startedAt, latency: endedAt - startedAt }
    const facts = { ...factsOf(due), attempt, ms: record.latency }
    noteAnswer(due, answer._tag === "Failure" ? answer.failure : undefined, record.latency)
    if (answer._tag === "Success") {
      const { status, body } = answer.success
      yield* Effect.promise(() =>
        catalog.recordEventAttempt({ ...record, status, error: null, answer: redact(body), outcome: "delivered" }),
      )
      yield* logDebug("An event was delivered to an endpoint.", { ...facts, status })
      return yield* rest(due, true)
    }
    const { failure } = answer
    const outcome = judgeFailure(failure, due.retry, endedAt, settings.callbackRetries)
    const reason = redact(failure.message)
    yield* Effect.promise(() =>
      catalog.recordEventAttempt({
        ...record,
        status: failure.status ?? null,
        error: reason,
        answer: failure.body === undefined ? null : redact(failure.body),
        outcome,
      }),
    )
    const kind = outcome === "dead" ? "eventGivenUp" : "eventFailed"
    limitedLog.log(kind, due.endpoint.id, "An event did not reach an endpoint.", () => [
      { ...facts, reason, next: tellNext(outcome) },
    ])
    // It may be due before all others.
    outbox.wake()
    yield* rest(due, false)
  })

  const factsOf = ({ id, type, endpoint }: DueEvent) => ({ event: id, type, endpoint: endpoint.id })

  let hasEndpoints = true
  let lookedAt = -Infinity
  const nextDueAt = async (after: number): Promise<number | null> => {
    if (performance.now() - lookedAt >= lookAgainAfter) {
      lookedAt = performance.now()
      hasEndpoints = (await catalog.listEndpoints()).length > 0
    }
    return hasEndpoints ? catalog.nextEventAt(after) : null
  }

  const outbox = createOutbox<DueEvent, void>(
    {
      maximum: settings.maxConcurrentCallbacks,
      timeout: settings.callbackTimeout,
      now,
      mayBegin: isConnected,
      receiverOf: ({ endpoint }) => endpoint.id,
      claim: catalog.claimEvents,
      nextDueAt,
      recover: Effect.gen(function* () {
        if (!catalog.abilities.isShared) yield* Effect.promise(() => catalog.releaseEventClaims(now()))
      }),
      attempt: deliver,
      factsOf,
    },
    context,
    isDriven,
  )

  return {
    ...outbox,
    // Without endpoints nothing is ever due, and every upload calls this.
    wake: () => {
      if (hasEndpoints) outbox.wake()
    },
  }
}
