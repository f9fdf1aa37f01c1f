import * as Effect from "effect/Effect"
import { limits } from "../../protocol/limits.ts"
import { names } from "../../protocol/names.ts"
import { verifyAnswer } from "../../protocol/signing/signed-answer.ts"
import { readStart, readText } from "../../http/read-answer.ts"
import type { HttpAnswer } from "../../http/transport.ts"
import { type PostAnswer, PostFailed } from "../../server-kit/post-json.ts"
import { parseJson } from "../../server-kit/read-body.ts"
import { redact } from "../../server-kit/redact.ts"
import { Rejected } from "../../server-kit/rejected.ts"
import type { App } from "../access/apps.ts"
import type { DueDelivery, ResultRecord } from "../storage/catalog/catalog.ts"
import { decodeResult, type ResultPorts, toResultRecord } from "./result.ts"

/** What an app answered to an event that it accepted. */
export interface Answer {
  readonly status: number
  /** The first characters; null where the answer was the result. */
  readonly answer: string | null
  /** What the app's code returned, where the answer says so. */
  readonly result?: ResultRecord
}

/** Whether an answer to a callback claims to carry the result. */
export const isSigned = (headers: HttpAnswer["headers"]): boolean => headers.get(names.header.signature) !== null

/** Reads an answer to a callback within ms: all of one that is signed, because it is the result, else its start. */
export const readAnswer = (answer: HttpAnswer, patience: number, patienceForAll: number): Promise<string> =>
  isSigned(answer.headers) ? readText(answer, patienceForAll, limits.callbackAnswer) : readStart(answer, patience)

const refuse = (detail: string) => new Rejected({ code: "BAD_REQUEST", detail })

const encoder = new TextEncoder()

/** The result in a signed answer. Fails: why it cannot be kept. */
const readResult = Effect.fnUntraced(function* (
  ports: ResultPorts,
  app: App,
  due: DueDelivery,
  { status, headers, body }: PostAnswer,
) {
  if (body.length > limits.callbackAnswer) return yield* refuse("it is too large.")
  const signature = headers.get(names.header.signature) ?? ""
  if (!(yield* Effect.promise(() => verifyAnswer(due, body, signature, app.signers)))) {
    return yield* refuse(
      "it is not signed with a key of the app: it broke off, or something on the way changes bodies.",
    )
  }
  const result = yield* decodeResult(yield* parseJson(encoder.encode(body)))
  const { eventId = due.id, attempt: ofAttempt = due.attempt } = result
  if (eventId !== due.id || ofAttempt !== due.attempt) return yield* refuse("it is about another event or attempt.")
  if (result.fileKey !== due.file.key) return yield* refuse(`it is about another file, ${result.fileKey}.`)
  if ("error" in result === status < 300) return yield* refuse("its status and its body contradict each other.")
  return yield* toResultRecord(ports, app, result)
})

/** Why a good answer without a signature is not that of a receiver that has taken the event; undefined where it is. */
const findMistake = ({ headers, body }: PostAnswer): string | undefined => {
  // Who answers with the result has not posted it, and nobody would hear of it.
  if (/^\s*\{\s*"fileKey"\s*:/.test(body))
    return "it carries a result without a signature: something on the way drops headers."
  // Some receivers say nothing. A page may have no words either.
  const isPage = /html/i.test(headers.get("content-type") ?? "")
  if (/^\s*\{\s*"ok"\s*:\s*true\b/.test(body) || (body === "" && !isPage)) return undefined
  return "it is not the route handler's. Let its path through any login in front of the app."
}

/**
 * Makes what is recorded of an answer.
 *
 * Fails: `PostFailed`, with `reported` where the app's own code failed and said so.
 */
export const judgeAnswer = Effect.fnUntraced(function* (
  ports: ResultPorts,
  app: App,
  due: DueDelivery,
  received: PostAnswer,
) {
  const { status, headers, body } = received
  if (!isSigned(headers)) {
    const mistake = findMistake(received)
    if (mistake === undefined) return { status, answer: redact(body) } satisfies Answer
    return yield* new PostFailed({ reason: "answer", status, body, cause: refuse(mistake) })
  }
  const result = yield* Effect.mapError(
    readResult(ports, app, due, received),
    (cause) => new PostFailed({ reason: "answer", status, cause }),
  )
  if ("data" in result) return { status, answer: null, result } satisfies Answer
  return yield* new PostFailed({ reason: "status", status, body: result.error, reported: result.error })
})
