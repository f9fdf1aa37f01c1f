import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Rejected } from "../../http/rejected.ts"
import { attempt } from "../attempt.ts"
import type { UploadRecord } from "../storage/catalog.ts"
import type { Service } from "../service.ts"
import { deleted } from "../upload/writers.ts"

/** What was known when the waiting began: only what happens after that can fail it. */
interface Since {
  readonly failures: number
  readonly error: string | undefined
}

type Verdict = { readonly serverData: string } | { readonly error: string } | "wait"

const errorOf = ({ result }: UploadRecord): string | undefined =>
  result !== null && "error" in result ? result.error : undefined

/** Whether a finished upload can be answered, and with what. */
const judge = (upload: UploadRecord, since: Since): Verdict => {
  const { file, registration, delivery, result } = upload
  if (file.slug === null) return { serverData: "null" }
  if (registration === null) return "wait"
  if (!registration.awaitServerData) return { serverData: "null" }
  if (result !== null && "data" in result) return { serverData: result.data }
  const isOver = delivery !== null && delivery.status !== "pending"
  const error = errorOf(upload)
  if (error !== undefined && (isOver || error !== since.error)) return { error }
  if (delivery !== null && (delivery.status === "dead" || delivery.failures > since.failures)) {
    return { error: "The app could not be reached, or refused the callback." }
  }
  return "wait"
}

const failed = (upload: UploadRecord, reason: string) =>
  new Rejected({
    code: "CALLBACK_FAILED",
    detail: `The file is stored, but the app failed to handle it: ${reason} ${
      upload.delivery?.status === "pending" ? "The callback will be tried again." : ""
    }`.trim(),
  })

/** What those are told whose request the ingest cannot end any more. */
export const stopping = (): Rejected =>
  new Rejected({
    code: "INGEST_UNAVAILABLE",
    detail: "The ingest is stopping. What has arrived is kept; send the same request again in a moment.",
    headers: { "retry-after": "1" },
  })

/**
 * The app's answer to a finished upload as JSON text, once it is there: what `onUploadComplete` returned, or null where
 * nobody waits for it.
 *
 * Fails:  CALLBACK_FAILED as soon as a delivery fails; CALLBACK_TIMEOUT after the operator's `callbackWait`. The file
 *         stays and the callback is tried again in both cases.
 * Source: docs/protocol.md §10.
 */
export const awaitServerData = (
  service: Service,
  upload: UploadRecord,
  since: Since,
): Effect.Effect<string, Rejected> => {
  const answer = (current: UploadRecord, verdict: Exclude<Verdict, "wait">) =>
    "serverData" in verdict ? Effect.succeed(verdict.serverData) : Effect.fail(failed(current, verdict.error))

  const verdict = judge(upload, since)
  if (verdict !== "wait") return answer(upload, verdict)

  const watch = service.changes.watch(upload.file.key)
  const wait = Effect.gen(function* () {
    for (;;) {
      if (service.changes.isClosed()) return yield* stopping()
      const current = yield* attempt(() => service.catalog.get(upload.file.key))
      if (current === null || current.file.status === "Deleting") return yield* deleted()
      const now = judge(current, since)
      if (now !== "wait") return yield* answer(current, now)
      yield* Effect.promise(() => watch.next())
    }
  })
  return wait.pipe(
    Effect.timeoutOrElse({
      duration: Duration.millis(service.settings.callbackWait),
      orElse: () =>
        Effect.fail(
          new Rejected({
            code: "CALLBACK_TIMEOUT",
            detail:
              "The file is stored, but the app has not handled it yet. Send the same request again to go on waiting.",
          }),
        ),
    }),
    Effect.ensuring(Effect.sync(() => watch.close())),
  )
}

/** Of an upload that ends now: everything that happens can still fail it. */
export const sinceStart: Since = { failures: 0, error: undefined }

/** Of a repeated request: earlier failures are history as long as another attempt is due. */
export const sinceNow = (upload: UploadRecord): Since => ({
  failures: upload.delivery?.failures ?? 0,
  error: errorOf(upload),
})
