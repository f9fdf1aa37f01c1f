import { UploadError } from "../protocol/errors/upload-error.ts"
import type { ClaimFilesRequest } from "../protocol/rest-messages.ts"
import type { ClaimedKeys } from "./file-options.ts"
import { isRecord, kindOf } from "../protocol/kind-of.ts"
import { toKeys } from "./file-reference.ts"

const isOfOneRoute = (keys: ClaimedKeys): keys is string | ReadonlyArray<string> =>
  typeof keys === "string" || Array.isArray(keys)

/**
 * What a request names the claimed files by. A route without keys is left out.
 *
 * Fails: throws BAD_REQUEST for what is neither keys nor keys by their routes; INVALID_CONFIG where the keys of a route are no list, and for a slug beside keys by their routes.
 */
export const toClaims = (
  keys: ClaimedKeys,
  slug: string | undefined,
): Pick<ClaimFilesRequest, "fileKeys" | "claims"> => {
  if (isOfOneRoute(keys)) return { fileKeys: toKeys("claimFiles", keys) }
  if (!isRecord(keys)) {
    const message = `claimFiles: expected a key, a list of keys, or such of each route, not ${kindOf(keys)}.`
    throw new UploadError({ code: "BAD_REQUEST", message })
  }
  if (slug !== undefined) {
    const message = `The options of claimFiles: slug is ${JSON.stringify(slug)}, but the keys are given by their routes. Leave it out.`
    throw new UploadError({ code: "INVALID_CONFIG", message })
  }
  const claims = Object.entries(keys).flatMap(([route, some]) => {
    if (!isOfOneRoute(some)) {
      const message = `claimFiles: the keys of ${JSON.stringify(route)} are neither a key nor a list of keys. Where a form has none give an empty list.`
      throw new UploadError({ code: "INVALID_CONFIG", message })
    }
    const fileKeys = toKeys(`claimFiles, ${route}`, some)
    return fileKeys.length === 0 ? [] : [{ slug: route, fileKeys }]
  })
  return { claims }
}
