import type { ProblemCode } from "../protocol/problem.ts"
import type { UploadError } from "../protocol/upload-error.ts"
import { explainInDevelopment, type HandlerAddress } from "./explain-in-development.ts"
import { isDevelopment } from "./is-development.ts"

declare const process: { readonly env: { readonly NODE_ENV?: string | undefined } }

/** What only the app's developers and operators can do something about. */
const theirs: ReadonlySet<ProblemCode> = new Set([
  "MISSING_TOKEN",
  "INVALID_TOKEN",
  "INVALID_CONFIG",
  "ROUTE_NOT_FOUND",
  "METHOD_NOT_ALLOWED",
  "INVALID_SIGNATURE",
])

/** Whether the detail of an error is for those who run the app, and not for its users. */
export const isForOperators = ({ code }: UploadError): boolean => theirs.has(code)

const told = new WeakSet<UploadError>()

/** In development: says to the console what a page can find out about an answer that did not come. */
export const tellDeveloper = (error: UploadError, address: HandlerAddress): void => {
  let explain: typeof explainInDevelopment | undefined
  // In this very form bundlers of production leave out all that it names. Nothing is called in it: only `process` may be missing.
  try {
    if (process.env.NODE_ENV !== "production" && process.env.NODE_ENV !== "test") explain = explainInDevelopment
  } catch {
    if (isDevelopment()) explain = explainInDevelopment
  }
  explain?.(error, address)
}

/**
 * Writes to the console, once per error, what users are not shown.
 *
 * @param address the route handler's
 */
export const tellOperator = (error: UploadError, address?: HandlerAddress): void => {
  tellDeveloper(error, address)
  const isTold =
    isForOperators(error) ||
    error.code === "INGEST_UNAVAILABLE" ||
    // The page says that it failed; why is the developer's.
    (error.code === "CALLBACK_FAILED" && isDevelopment())
  if (!isTold || told.has(error)) return
  told.add(error)
  console.error(`Sluice: ${error.code}: ${error.detail}`)
}
