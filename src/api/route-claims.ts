import { UploadError } from "../protocol/errors/upload-error.ts"
import type { RouteClaim } from "../protocol/rest-messages.ts"
import type { ClaimedKeys } from "./file-options.ts"
import { toList } from "./file-reference.ts"

const isOfOneRoute = (keys: ClaimedKeys): keys is string | ReadonlyArray<string> =>
  typeof keys === "string" || Array.isArray(keys)

/**
 * The keys of a claim by their routes, those without any left out; undefined where no routes are named.
 *
 * Fails: throws INVALID_CONFIG where a route is named twice over, or has no keys to look for.
 */
export const toRouteClaims = (keys: ClaimedKeys, slug: string | undefined): ReadonlyArray<RouteClaim> | undefined => {
  if (isOfOneRoute(keys)) return undefined
  if (slug !== undefined) {
    const message = `The options of claimFiles: slug is ${JSON.stringify(slug)}, but the keys are given by their routes. Leave it out.`
    throw new UploadError({ code: "INVALID_CONFIG", message })
  }
  return Object.entries(keys).flatMap(([route, some]) => {
    if (!isOfOneRoute(some)) {
      const message = `claimFiles: the keys of ${JSON.stringify(route)} are neither a key nor a list of keys. Where a form has none give an empty list.`
      throw new UploadError({ code: "INVALID_CONFIG", message })
    }
    const fileKeys = toList(some)
    return fileKeys.length === 0 ? [] : [{ slug: route, fileKeys }]
  })
}
