import * as Effect from "effect/Effect"
import { limits } from "../../protocol/limits.ts"
import { names } from "../../protocol/names.ts"
import { verifyAnswer } from "../../protocol/signed-answer.ts"
import { PostFailed, readStart, readText } from "../../server-kit/post-json.ts"
import { parseJson } from "../../server-kit/read-body.ts"
import { redact } from "../../server-kit/redact.ts"
import { Rejected } from "../../server-kit/rejected.ts"
import type { App } from "../apps.ts"
import type { Catalog, DueDelivery, ResultRecord } from "../storage/catalog.ts"
import { decodeResult, toResultRecord } from "./result.ts"

/** What an app answered to an event that it accepted. */
export interface Answer {
  readonly status: number
  /** The first characters; null where the answer was the result. */
  readonly answer: string | null
  /** What the app's code returned, where the answer says so. */
  readonly result?: ResultRecord
}

/** An answer to a callback, with its text: all of it where it is signed, else its start. */
interface Received {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Reads an answer to a callback: all of one that is signed, because it is the result. */
export const readAnswer = (response: Response, patience: { readonly start: number; readonly all: number }) =>
  response.headers.has(names.header.signature)
    ? readText(response, patience.all, limits.callbackAnswer)
    : readStart(response, patience.start)

const refuse = (detail: string) => new Rejected({ code: "BAD_REQUEST", detail })

const encoder = new TextEncoder()

/** The result in a signed answer. Fails: why it cannot be kept. */
const readResult = Effect.fnUntraced(function* (
  catalog: Catalog,
  app: App,
  due: DueDelivery,
  { status, headers, text }: Received,
) {
  if (text.length > limits.callbackAnswer) return yield* refuse("it is too large.")
  const signature = headers.get(names.header.signature) ?? ""
  if (!(yield* Effect.promise(() => verifyAnswer(due, text, signature, app.signers)))) {
    return yield* refuse("it is not signed with a key of the app. Does a proxy change bodies?")
  }
  const result = yield* decodeResult(yield* parseJson(encoder.encode(text)))
  if (result.fileKey !== due.file.key) return yield* refuse(`it is about another file, ${result.fileKey}.`)
  if ("error" in result === status < 300) return yield* refuse("its status and its body contradict each other.")
  return yield* toResultRecord(catalog, app, result)
})

/**
 * Makes what is recorded of an answer.
 *
 * Fails: `PostFailed`, with `reported` where the app's own code failed and said so.
 */
export const judgeAnswer = Effect.fnUntraced(function* (
  catalog: Catalog,
  app: App,
  due: DueDelivery,
  received: Received,
) {
  const { status, headers, text } = received
  if (!headers.has(names.header.signature)) return { status, answer: redact(text) } satisfies Answer
  const result = yield* Effect.mapError(
    readResult(catalog, app, due, received),
    (cause) => new PostFailed({ reason: "answer", status, cause }),
  )
  if ("data" in result) return { status, answer: null, result } satisfies Answer
  return yield* new PostFailed({ reason: "status", status, body: result.error, reported: result.error })
})
