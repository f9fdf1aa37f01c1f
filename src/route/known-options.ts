import type { FileLimitsInput } from "../protocol/files/route-config.ts"
import { acls, cacheRules, contentDispositions } from "../protocol/signing/signed-url.ts"
import { findUnknownOption } from "../protocol/unknown-option.ts"
import * as Effect from "effect/Effect"
import { Rejected } from "../server-kit/rejected.ts"
import { UploadError } from "../protocol/errors/upload-error.ts"

/** The options of a kind of file. */
export const kindOptions = [
  "maxFileSize",
  "maxFileCount",
  "minFileCount",
  "contentDisposition",
  "acl",
  "cache",
  "noun",
] as const satisfies ReadonlyArray<keyof FileLimitsInput>

const toPlace = (name: string): string | undefined =>
  (kindOptions as ReadonlyArray<string>).includes(name)
    ? `Set it for a kind of file: f({ image: { ${name}: … } })`
    : undefined

const words: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  ["acl", acls],
  ["cache", cacheRules],
  ["contentDisposition", contentDispositions],
]

const findMistake = (what: string, options: object, known: ReadonlyArray<string>): string | undefined => {
  let mistake = findUnknownOption(options, known, toPlace)
  for (const [name, allowed] of words) {
    const value = (options as Readonly<Record<string, unknown>>)[name]
    if (value !== undefined && !allowed.includes(value as string))
      mistake ??= `${name} must be ${allowed.join(" or ")}.`
  }
  return mistake && `${what}: ${mistake}`
}

/**
 * Refuses unknown options: their author believes that they take effect, and an ACL that does not would make a file
 * public.
 *
 * Fails: throws an `UploadError`, code INVALID_CONFIG, that names the option and the one that was probably meant; also
 *        for an invalid ACL, cache rule or disposition.
 */
export const refuseUnknown = (what: string, options: object, known: ReadonlyArray<string>): void => {
  const message = findMistake(what, options, known)
  if (message !== undefined) throw new UploadError({ code: "INVALID_CONFIG", message })
}

/** {@link refuseUnknown} as an effect, while a request is served: the mistake is not for the caller to see. */
export const checkKnown = (...args: Parameters<typeof refuseUnknown>): Effect.Effect<void, Rejected> =>
  Effect.suspend(() => {
    const detail = findMistake(...args)
    return detail === undefined ? Effect.void : Effect.fail(new Rejected({ code: "INVALID_CONFIG", detail }))
  })
