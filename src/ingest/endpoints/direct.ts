import * as Effect from "effect/Effect"
import { toJsonAnswer } from "../../http/answer.ts"
import type { Incoming } from "../../http/incoming.ts"
import { limits } from "../../protocol/limits.ts"
import type { DirectQuestion } from "../../protocol/messages.ts"
import { createDecoder } from "../../schema/decode.ts"
import { DirectQuestionSchema } from "../../schema/direct-question.ts"
import { logWarning } from "../../server-kit/logging.ts"
import { readMessage } from "../../server-kit/read-body.ts"
import { Rejected } from "../../server-kit/rejected.ts"
import { attempt } from "../attempt.ts"
import { authoriseUpload } from "../access/authorise.ts"
import { findTooLarge } from "../refusals.ts"
import { refuseOrphan } from "../registrations.ts"
import type { Service } from "../service.ts"
import type { Settings } from "../settings.ts"
import { direct } from "../upload/direct.ts"

const decode = createDecoder(DirectQuestionSchema)

/** Whose log has it already that their store lets no parts past the ingest. */
const told = new WeakSet<Settings>()

/** A client that knows nothing of direct uploads has sent a small file: the answer says that it should be PUT. */
const notAsked = (cause: Rejected): Rejected =>
  cause.code === "BAD_REQUEST" && cause.status === undefined
    ? new Rejected({
        code: "METHOD_NOT_ALLOWED",
        detail: `A POST to this URL asks where parts of the file go, and has them as JSON. To send the file, PUT it. ${cause.detail}`,
        headers: { allow: "HEAD, PUT, POST, DELETE, OPTIONS" },
        cause,
      })
    : cause

/**
 * `POST` of a signed URL that allows a direct upload: where parts of the file go.
 *
 * Shape:  `DirectQuestion` → 200 with a `DirectAnswer`.
 * Fails:  as a PUT does; METHOD_NOT_ALLOWED for a body that is no question.
 * Source: docs/protocol.md §10.
 */
export const respondDirect = Effect.fnUntraced(function* (
  service: Service,
  request: Incoming,
  url: string,
  origin: string,
) {
  const { settings } = service
  const authorised = yield* authoriseUpload(service, url)
  const { grant } = authorised
  yield* refuseOrphan(service, grant)
  const tooLarge = findTooLarge(grant, settings.maxFileSize)
  if (tooLarge !== undefined) return yield* tooLarge
  const question: DirectQuestion = yield* readMessage(
    request,
    limits.directQuestion,
    settings.bodyTimeout,
    decode,
  ).pipe(Effect.mapError(notAsked))
  const { answer, refusal } = yield* service.slots.hold(
    grant,
    attempt(() => direct(service, { ...authorised, origin }, question)),
  )
  if (refusal !== undefined && !told.has(settings)) {
    told.add(settings)
    yield* logWarning(`Direct uploads go through the ingest: ${refusal}.`)
  }
  return toJsonAnswer(answer, { "cache-control": "no-store" })
})
