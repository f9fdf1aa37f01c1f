import type { HttpAnswer } from "../../../../http/transport.ts"
import { readText } from "../../../../http/read-answer.ts"
import { parseAnswer } from "./answer-xml.ts"
import { ownCodes, S3Error } from "./s3-error.ts"
import type { S3Credentials } from "./s3-settings.ts"

/** Longest answer to a failure that is read, characters, and how long it is waited for, ms. */
const longest = 65_536
const patience = 5000

/** Statuses after which the same request may succeed. */
const retryableStatuses: ReadonlySet<number> = new Set([429, 500, 502, 503, 504])

/** Codes that say the same, whatever the status; inside a 200 there is no other. */
const retryableCodes: ReadonlySet<string> = new Set([
  "InternalError",
  "OperationAborted",
  "RequestTimeout",
  "ServiceUnavailable",
  "SlowDown",
])

/** Statuses and codes after which nobody knows what became of a request. */
const unclearStatuses: ReadonlySet<number> = new Set([500, 502, 504])
const unclearCode = "InternalError"

/** What a HEAD is answered with has no body, so no code. */
const codesOfHead: Readonly<Record<number, string>> = { 400: "BadRequest", 403: "Forbidden", 404: "NotFound" }

/** Without one of these, no request has left. */
const neverSent = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/

/** Some servers repeat which key they were asked with. */
const hideKeys = (detail: string, { accessKeyId, sessionToken = "" }: S3Credentials): string =>
  [accessKeyId, sessionToken].reduce((text, key) => (key.length < 8 ? text : text.replaceAll(key, "…")), detail)

/** What an `<Error>` says, with whatever status it came. */
export const toAnsweredError = (operation: string, answer: HttpAnswer, text: string, keys: S3Credentials): S3Error => {
  const { status } = answer
  const error = parseAnswer(text)
  const isError = error?.name === "Error"
  const said = isError ? error.text("Code") : ""
  // It goes into messages and logs: what cannot be a code is none.
  const code = (/^[\w.-]{1,64}$/.test(said) && said) || (text === "" && codesOfHead[status]) || ownCodes.strangeAnswer
  const fromBody = isError ? error.text("RequestId") : ""
  return new S3Error({
    operation,
    status,
    code,
    detail: isError ? hideKeys(error.text("Message"), keys) : undefined,
    requestId: answer.headers.get("x-amz-request-id") ?? (fromBody === "" ? undefined : fromBody),
    isRetryable: retryableStatuses.has(status) || retryableCodes.has(code),
    isOutcomeUnknown: unclearStatuses.has(status) || code === unclearCode,
  })
}

/** What an answer says that is no success. It is read to its end, so that its connection is free. */
export const readFailure = async (operation: string, answer: HttpAnswer, keys: S3Credentials): Promise<S3Error> =>
  toAnsweredError(operation, answer, await readText(answer, patience, longest), keys)

/** Why no answer came, or none that is whole. */
export const toConnectionError = (operation: string, cause: unknown, isLate: boolean): S3Error => {
  const { message = "", cause: inner } = (cause ?? {}) as { message?: string; cause?: { message?: string } }
  const code = (cause as { code?: string } | undefined)?.code ?? (inner as { code?: string } | undefined)?.code ?? ""
  return new S3Error({
    operation,
    code: isLate ? ownCodes.timedOut : ownCodes.noAnswer,
    // `fetch` says no more than that it failed; the reason is inside.
    detail: inner?.message ?? message,
    isRetryable: true,
    isOutcomeUnknown: !neverSent.test(code),
    cause,
  })
}

/** An answer of a success that S3 would not give. Whether anything came of the request cannot be known. */
export const toStrangeAnswer = (operation: string, status: number, detail: string): S3Error =>
  new S3Error({ operation, status, code: ownCodes.strangeAnswer, detail, isRetryable: false, isOutcomeUnknown: true })
