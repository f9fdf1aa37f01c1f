import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Rejected } from "../../server-kit/rejected.ts"
import { attempt } from "../attempt.ts"
import type { UploadRecord } from "../storage/catalog/catalog.ts"
import type { Service } from "../service.ts"
import type { Watch } from "./changes.ts"
import { deleted, uploadFailed, stopping } from "../refusals.ts"

/** What was known when the waiting began: only later changes can end it. */
export interface Known {
  readonly failures: number
  readonly error: string | undefined
  /** The attempt in progress has failed but has not ended: the next attempt is the one to wait for. */
  readonly isSpent: boolean
  /** The upload has ended in this request, which was told of every change since. */
  readonly isNew: boolean
}

/** For an upload that ends now: any later failure can still fail it. */
export const nothingKnown: Known = { failures: 0, error: undefined, isSpent: false, isNew: true }

/** What a finished upload is answered with. */
export interface AppAnswer {
  /** JSON text. */
  readonly serverData: string
  /** It is answered before the verdict on its file. */
  readonly isHeld: boolean
}

type Verdict = { readonly serverData: string } | { readonly error: string } | "wait"

const errorOf = ({ result }: UploadRecord): string | undefined =>
  result !== null && "error" in result ? result.error : undefined

const hasFailedAgain = ({ delivery }: UploadRecord): boolean =>
  delivery !== null && delivery.status === "pending" && delivery.failures === delivery.attempts

/** Whether a finished upload can be answered, and with what. */
const judge = (upload: UploadRecord, known: Known): Verdict => {
  const { file, registration, delivery, result } = upload
  if (file.slug === null) return { serverData: "null" }
  if (registration === null) return "wait"
  if (!registration.awaitServerData) return { serverData: "null" }
  if (result !== null && "data" in result) return { serverData: result.data }
  const isOver = delivery !== null && delivery.status !== "pending"
  const error = errorOf(upload)
  if (error !== undefined && (isOver || (!known.isSpent && error !== known.error))) return { error }
  const hasFailed = delivery?.status === "dead" || (!known.isSpent && (delivery?.failures ?? 0) > known.failures)
  return hasFailed ? { error: error ?? "The app could not be reached, or refused the callback." } : "wait"
}

/** Whether the file is still there. Its key may belong to another one by now, whose fate is not for this client to know. */
const isThere = (current: UploadRecord | null, { file }: UploadRecord): current is UploadRecord =>
  current?.file.id === file.id && current.file.status !== "Deleting"

/** Seconds after which a client should ask again when its app is not there. */
const awayPause = "1"

/** How many recent events are searched for one that reached the app, if the ingest was restarted since. */
const recent = 50

/** Whether a callback of an app has ever reached it at this origin, as far as the process or the catalog remembers. */
const wasReached = async ({ catalog, refusedCallbacks }: Service, appId: string, origin: string): Promise<boolean> => {
  if (refusedCallbacks.wasReached(appId, origin)) return true
  const delivered = await catalog.listDeliveries({ status: "delivered", limit: recent })
  return delivered.some(
    ({ file, registration }) =>
      file.appId === appId && registration !== null && new URL(registration.callbackUrl).origin === origin,
  )
}

/**
 * Whether the app of a file is probably restarting: nothing answered its callback, where something did before, and the
 * app has decided nothing. A client that asks again only checks whether the app is back.
 */
const isAway = async (service: Service, upload: UploadRecord): Promise<boolean> => {
  const { registration, file, delivery, result } = upload
  if (delivery?.status !== "pending" || registration === null || result !== null) return false
  if (!service.refusedCallbacks.foundNobody(delivery.id)) return false
  return wasReached(service, file.appId, new URL(registration.callbackUrl).origin)
}

const refuse = Effect.fnUntraced(function* (service: Service, upload: UploadRecord, reason: string) {
  const willCome = upload.delivery?.status === "pending" ? " The callback will be tried again." : ""
  return yield* new Rejected({
    code: "CALLBACK_FAILED",
    detail: `The file is stored, but the app failed to handle it: ${reason}${willCome}`,
    ...((yield* attempt(() => isAway(service, upload))) && { headers: { "retry-after": awayPause } }),
  })
})

/**
 * The app's answer to a finished upload, once it is there: what `onUploadComplete` returned, or null
 * where the upload does not wait for it.
 *
 * Fails:  CALLBACK_FAILED as soon as a delivery fails, with `retry-after` where no app was there; CALLBACK_TIMEOUT
 *         after the operator's `callbackWait`. In both cases the file stays and the callback is tried again.
 * Source: docs/protocol.md §10.
 *
 * @param watch of the file's key, begun before the upload ended
 */
export const awaitServerData = (
  service: Service,
  upload: UploadRecord,
  since: Known,
  watch: Watch,
): Effect.Effect<AppAnswer, Rejected> => {
  const answer = (current: UploadRecord, verdict: Exclude<Verdict, "wait">) =>
    "serverData" in verdict
      ? Effect.succeed({ serverData: verdict.serverData, isHeld: current.file.hold })
      : refuse(service, current, verdict.error)

  const verdict = judge(upload, since)
  // A failure is judged by what the catalog holds now: asking again may have changed it.
  if (verdict !== "wait" && "serverData" in verdict) return answer(upload, verdict)

  let known = since

  const hasCome = (current: UploadRecord | null): boolean =>
    !isThere(current, upload) ||
    current.file.failure !== null ||
    (known.isSpent && hasFailedAgain(current)) ||
    judge(current, known) !== "wait"

  const wait = Effect.gen(function* () {
    let isRead = since.isNew
    for (;;) {
      if (service.changes.isClosed()) return yield* stopping()
      const current = isRead ? upload : yield* attempt(() => service.catalog.get(upload.file.key))
      isRead = false
      if (!isThere(current, upload)) return yield* deleted()
      const { failure } = current.file
      if (failure !== null) return yield* uploadFailed(failure)
      if (known.isSpent && hasFailedAgain(current)) {
        known = yield* attempt(() => askAgain(service, current))
        continue
      }
      const now = judge(current, known)
      if (now !== "wait") return yield* answer(current, now)
      // A callback that the app is working on is waited for. A further attempt would be made by the next process.
      const { changes, dispatcher } = service
      if (changes.isDraining() && !dispatcher.isUnderWay(upload.file.key)) return yield* stopping()
      const kept = yield* Effect.promise(() => watch.next())
      if (kept?.id === upload.file.id) return { serverData: kept.data, isHeld: false }
    }
  })
  return Effect.acquireUseRelease(
    // What another process writes is noted by nobody here.
    Effect.sync(() => service.looks.join(upload.file.key, hasCome)),
    () => wait,
    (leave) => Effect.sync(leave),
  ).pipe(
    Effect.timeoutOrElse({
      duration: Duration.millis(service.settings.callbackWait),
      orElse: () =>
        Effect.fail(
          new Rejected({
            code: "CALLBACK_TIMEOUT",
            // A person may take days to decide.
            isUsual: upload.file.hold,
            detail: upload.file.hold
              ? "The file is stored, and is still being checked. Send the same request again to keep waiting."
              : "The file is stored, but the app has not handled it yet. Send the same request again to keep waiting.",
          }),
        ),
    }),
  )
}

/**
 * Makes the callback of a finished upload due at once where it has failed and a client asks for the app's answer
 * again. An attempt that is in progress, or waits for its turn, is left to finish. Returns what was known before.
 */
export const askAgain = async (
  { catalog, changes, dispatcher, devStreams, askedAgain, now }: Service,
  upload: UploadRecord,
): Promise<Known> => {
  const { file, registration, delivery, result } = upload
  const error = errorOf(upload)
  const nothingElse = { ...nothingKnown, isNew: false }
  if (delivery === null || registration === null) return { ...nothingElse, error }
  const { failures, attempts, status } = delivery
  const known = {
    ...nothingElse,
    failures,
    error,
    isSpent: status === "pending" && failures < attempts && error !== undefined,
  }
  const at = now()
  const isAwaited = registration.awaitServerData && !(result !== null && "data" in result)
  if (!isAwaited || !hasFailedAgain(upload) || changes.isDraining()) return known
  const isDue = delivery.nextAt <= at
  if (!registration.isDev && isDue) {
    // Another process may have made it due.
    dispatcher.wake()
    return known
  }
  const turn = askedAgain.ask(delivery.id, attempts)
  // The last failure is the answer.
  if (turn === "tooSoon") return nothingElse
  if (turn === "shared") return isDue ? known : { ...known, error: undefined }
  // Over HTTP the dispatcher sends what is due. On a stream it waits until the stream is woken.
  if (!isDue && !(await catalog.redeliver({ id: delivery.id, now: at }))) return known
  if (registration.isDev) devStreams.wake(file.appId, registration.callbackSlug)
  else dispatcher.wake()
  // An event that is only due keeps its error until the next attempt begins.
  return isDue ? known : { ...known, error: undefined }
}
