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

/** The largest file that the ingest takes, bytes; undefined where it has not refused one by a limit that users may know. */
const findMaxSize = ({ code, detail, data }: UploadError): number | undefined => {
  const { maxSize } = (data ?? {}) as { readonly maxSize?: unknown }
  // Matches the messages of src/ingest/refusals.ts; a test compares them. An app's own words may come with a size, too.
  const isIngests = code === "FILE_TOO_LARGE" && /; this ingest takes |all the storage of its owner,/.test(detail)
  return isIngests && typeof maxSize === "number" ? maxSize : undefined
}

/**
 * Replaces the own messages of route handler and ingest about a limit, which name routes, kinds and bytes, and are for
 * developers, by the components' texts. The message of a middleware is kept. The page's callbacks still get the original
 * error.
 *
 * @param size of the file, bytes
 */
export const toLimitWords = (
  error: UploadError,
  size: number,
  config: RouteConfig | undefined,
  texts: UploadTexts,
): UploadError => {
  const { code, status, data } = error
  const say = (message: string) => new UploadError({ code, status, data, message, cause: error })
  const maxSize = findMaxSize(error)
  if (maxSize !== undefined) return say(texts.tooLarge(size, maxSize))
  if (!isLimitOfRoute(error) || config === undefined) return error
  return say(code === "FILE_TYPE_NOT_ALLOWED" ? texts.typeNotAllowed(config) : texts.limits(config))
}
