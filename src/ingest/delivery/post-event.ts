import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { HttpAnswer } from "../../http/transport.ts"
import { PostFailed, postJson } from "../../server-kit/post-json.ts"
import { names } from "../../protocol/names.ts"
import { acceptsResult } from "../../protocol/signing/signed-answer.ts"
import { signWithEach } from "../../protocol/signing/signature-list.ts"
import { standardWebhookHeaders } from "../../protocol/signing/standard-webhooks.ts"
import type { TraceContext } from "../../protocol/trace-context.ts"
import { findUrlMistake } from "../../schema/http-url.ts"
import { type Apps, isCallbackAllowed } from "../access/apps.ts"
import type { DueDelivery } from "../storage/catalog/catalog.ts"
import type { CallbackTransport } from "./callback-transport.ts"
import { renderEvent } from "./event.ts"
import { type Answer, isSigned, judgeAnswer, readAnswer } from "./judge-answer.ts"
import type { Settings } from "../settings.ts"
import type { ResultPorts } from "./result.ts"
import { isHandled, type RefusedCallbacks } from "./refused-callbacks.ts"
import type { Tracing } from "../observe/tracing.ts"
import { whenKnown } from "../when-known.ts"

/** Sends an event once. */
export type PostEvent = (due: DueDelivery, sentAt: number) => Effect.Effect<Answer, PostFailed>

/**
 * Makes the function that sends events.
 *
 * Source: docs/protocol.md §8.
 */
export const createPostEvent = ({
  apps,
  ports,
  settings,
  tracing,
  transport,
  refused,
}: {
  readonly apps: Apps
  readonly ports: ResultPorts
  readonly settings: Pick<Settings, "url" | "callbackTimeout">
  readonly tracing: Tracing | undefined
  readonly transport: Pick<CallbackTransport, "of">
  readonly refused: RefusedCallbacks
}): PostEvent => {
  /** The app that an event is sent to and signed for. Fails: while nothing may be sent to this URL for it. */
  const authorise = Effect.fnUntraced(function* (appId: string, url: URL) {
    const app = yield* Effect.orDie(whenKnown(apps.byId(appId)))
    const mistake = findUrlMistake(url.href)
    const forbidden =
      app === undefined || app.signers.length === 0
        ? `The app ${appId} has no active key to sign it with`
        : !isCallbackAllowed(app, url)
          ? `${url.origin} is not a callback origin of the app ${appId}`
          : mistake && `The callback URL is not possible. ${mistake}`
    if (forbidden !== undefined) return yield* new PostFailed({ reason: "forbidden", cause: new Error(forbidden) })
    return app!
  })

  const read = (answer: HttpAnswer, patience: number) => readAnswer(answer, patience, settings.callbackTimeout)

  const post = Effect.fnUntraced(function* (due: DueDelivery, sentAt: number, trace: TraceContext | null) {
    const url = new URL(due.registration.callbackUrl)
    const app = yield* authorise(due.file.appId, url)
    const { signers } = app
    const body = renderEvent(due, sentAt, settings.url)
    const [signature, webhookHeaders] = yield* Effect.promise(() =>
      Promise.all([signWithEach(body, signers), standardWebhookHeaders({ id: due.id, sentAt }, body, signers)]),
    )
    url.searchParams.set(names.action.slug, due.registration.callbackSlug)
    const received = yield* postJson({
      url: url.href,
      headers: {
        [names.header.hook]: due.hook,
        [names.header.signature]: signature,
        // Whatever stood in the way of a result in the answer does not stand in the way of one that is posted.
        ...(due.attempt === 1 && { [names.header.accept]: acceptsResult }),
        ...webhookHeaders,
        ...trace,
      },
      body,
      timeout: settings.callbackTimeout,
      send: transport.of(app),
      read,
    }).pipe(
      Effect.catch((failure) => {
        const { status, headers, body = "" } = failure
        // Only what is signed says more than its status does.
        return status !== undefined && headers !== undefined && isSigned(headers)
          ? Effect.succeed({ status, headers, body })
          : Effect.fail(failure)
      }),
    )
    return yield* judgeAnswer(ports, app, due, received)
  })

  /** Remembers that nothing arrived, or that something did. */
  const note = ({ id, file, registration }: DueDelivery, failure?: PostFailed) =>
    Effect.sync(() => {
      const callback = { eventId: id, appId: file.appId, origin: new URL(registration.callbackUrl).origin }
      if (failure === undefined || isHandled(failure)) refused.forget(callback)
      else refused.remember(callback, failure)
    })

  /** An attempt in its trace, which is recorded or only passed on. */
  return (due, sentAt) => {
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
    const attempted = post(due, sentAt, span?.context ?? trace).pipe(
      Effect.tap(() => note(due)),
      Effect.tapError((failure) => note(due, failure)),
    )
    if (span === undefined) return attempted
    return Effect.onExit(attempted, (exit) =>
      Effect.sync(() => {
        const failed = exit._tag === "Failure" ? exit.cause.reasons.find(Cause.isFailReason)?.error : undefined
        span.annotate({ "http.response.status_code": exit._tag === "Success" ? exit.value.status : failed?.status })
        span.end(exit._tag === "Success" ? undefined : (failed?.message ?? "The attempt was aborted."))
      }),
    )
  }
}
