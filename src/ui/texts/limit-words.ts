import type { ProblemCode } from "../../protocol/errors/problem.ts"
import type { RouteConfig } from "../../protocol/files/route-config.ts"
import { UploadError } from "../../protocol/errors/upload-error.ts"
import type { UploadTexts } from "./upload-texts.ts"

const limits: ReadonlySet<ProblemCode> = new Set([
  "FILE_TYPE_NOT_ALLOWED",
  "FILE_TOO_LARGE",
  "TOO_MANY_FILES",
  "TOO_FEW_FILES",
])

/** Whether the route handler has refused files by the limits of their route. The refusal of a middleware is none. */
export const isLimitOfRoute = (error: UploadError | undefined): error is UploadError =>
  // Matches the messages of src/route/check-limits.ts; a test compares them.
  error !== undefined && limits.has(error.code) && /; route "/.test(error.detail)

/**
 * Replaces the route handler's own message about a limit, which names routes, kinds and bytes and is for developers,
 * by the components' text. The message of a middleware is kept. The page's callbacks still get the original error.
 */
export const toLimitWords = (error: UploadError, config: RouteConfig | undefined, texts: UploadTexts): UploadError => {
  if (!isLimitOfRoute(error) || config === undefined) return error
  const { code, status, data } = error
  const message = code === "FILE_TYPE_NOT_ALLOWED" ? texts.typeNotAllowed(config) : texts.limits(config)
  return new UploadError({ code, status, data, message, cause: error })
}
