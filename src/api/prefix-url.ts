import type { DurationInput } from "../protocol/duration.ts"
import { findOwnerMistake } from "../protocol/files/file-labels.ts"
import { findPrefixMistake, sealPrefixUrl } from "../protocol/signing/prefix-grant.ts"
import { UploadError } from "../protocol/errors/upload-error.ts"
import type { ApiSettings } from "./api-settings.ts"
import { readExpiresIn } from "./read-url.ts"

/** Options of a signed URL that reads all files below a prefix. */
export interface PrefixUrlOptions {
  /** Whose files alone it reads; by default everybody's that have such a path. */
  readonly owner?: string | undefined
  /** How long the URL is valid, `"2 hours"` or seconds; by default an hour, at most 7 days. */
  readonly expiresIn?: DurationInput | undefined
}

const refuse = (message: string) => new UploadError({ code: "BAD_REQUEST", message })

/** What to write in the place of a prefix that lacks nothing but its end. */
const suggest = (prefix: unknown): string =>
  typeof prefix === "string" && findPrefixMistake(`${prefix}/`) === undefined
    ? ` Write ${JSON.stringify(`${prefix}/`)}, if you mean the folder.`
    : ""

/**
 * Makes a URL that reads all files below a prefix, without a request.
 *
 * Shape:  `{ingestUrl}/p/<appId>/<grant>/`, a slash at its end.
 * Fails:  rejects with an UploadError, code BAD_REQUEST.
 * Source: docs/protocol.md §10.
 */
export const createPrefixUrl = async (
  { ingestUrl, appId, sealer }: ApiSettings,
  prefix: string,
  options: PrefixUrlOptions,
): Promise<string> => {
  const { owner } = options
  const mistake = findPrefixMistake(prefix)
  if (mistake !== undefined) {
    throw refuse(`The prefix ${JSON.stringify(prefix)}: expected ${mistake}.${suggest(prefix)}`)
  }
  const ownerMistake = owner === undefined ? undefined : findOwnerMistake(owner)
  if (ownerMistake !== undefined) throw refuse(`Expected ${ownerMistake}.`)
  const expires = Date.now() + (readExpiresIn(options) ?? 3600) * 1000
  return sealPrefixUrl(ingestUrl, appId, { prefix, owner, expires }, sealer)
}
