import type { ProblemCode } from "../../protocol/errors/problem.ts"
import type { UploadError } from "../../protocol/errors/upload-error.ts"
import { explainInDevelopment, type HandlerAddress } from "./explain-in-development.ts"
import { explainForeign } from "./explain-foreign.ts"
import { foreignAnswerOf } from "./foreign-answer.ts"
import { isDevelopment } from "./is-development.ts"

declare const process: { readonly env: { readonly NODE_ENV?: string | undefined } }

/** Codes that only the app's developers and operators can do something about. */
const theirs: ReadonlySet<ProblemCode> = new Set([
  "MISSING_TOKEN",
  "INVALID_TOKEN",
  "INVALID_CONFIG",
  "ROUTE_NOT_FOUND",
  "METHOD_NOT_ALLOWED",
  "INVALID_SIGNATURE",
])

/** Whether the detail of an error is for the operators of the app, and not for its users. */
export const isForOperators = ({ code }: UploadError): boolean => theirs.has(code)

const told = new WeakSet<UploadError>()

/** In development: writes to the console what a page can find out about a missing answer. */
export const tellDeveloper = (error: UploadError, address: HandlerAddress): void => {
  let explain: typeof explainInDevelopment | undefined
  // Bundlers remove this block in production only in exactly this form. It calls nothing, because only `process` may be missing.
  try {
    if (process.env.NODE_ENV !== "production" && process.env.NODE_ENV !== "test") explain = explainInDevelopment
  } catch {
    if (isDevelopment()) explain = explainInDevelopment
  }
  explain?.(error, address)
}

/**
 * Writes errors to the console, once each, that users are not shown.
 *
 * @param address address of the route handler
 */
export const tellOperator = (error: UploadError, address?: HandlerAddress): void => {
  tellDeveloper(error, address)
  const isTold =
    (foreignAnswerOf(error) !== undefined && error.status < 500) ||
    isForOperators(error) ||
    error.code === "INGEST_UNAVAILABLE" ||
    // The page says that it failed; the reason is for the developer.
    (error.code === "CALLBACK_FAILED" && isDevelopment())
  if (!isTold || told.has(error)) return
  told.add(error)
  console.error(`Sluice: ${error.code}: ${error.detail}${explainForeign(error)}`)
}
