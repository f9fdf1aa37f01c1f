import { findStoredPathMistake } from "../files/file-labels.ts"
import { isLonger } from "../is-longer.ts"
import { limits } from "../limits.ts"
import { names } from "../names.ts"
import type { Sealer } from "./seal.ts"

/** What a signed prefix grants: to read the files below one folder of an app. It travels sealed. */
export interface PrefixGrant {
  /** The folder, with `/` at its end: `videos/42/`. */
  readonly prefix: string
  /** Whose files alone are read; absent: everybody's. */
  readonly owner?: string | undefined
  /** ms since the epoch. */
  readonly expires: number
}

/**
 * What is wrong with a prefix to be signed, worded as what was expected; undefined where nothing is. One that does not
 * end with a slash would open its neighbours as well: `users/7` also begins `users/77/plan.pdf`.
 *
 * Source: docs/protocol.md §10.
 */
export const findPrefixMistake = (prefix: string): string | undefined =>
  typeof prefix !== "string" || !prefix.endsWith("/")
    ? 'a folder, with "/" at its end'
    : isLonger(prefix, limits.storedPath)
      ? `a folder of at most ${limits.storedPath} bytes`
      : findStoredPathMistake(prefix.slice(0, -1))

/**
 * The URL that reads the files of a grant: what follows the prefix in their paths is appended to it, percent-encoded.
 *
 * Shape:  `{ingestUrl}/p/<appId>/<sealed grant>/`.
 * Units:  `grant.expires` in ms since the epoch.
 * Source: docs/protocol.md §10.
 *
 * @param ingestUrl the ingest's public base URL, no slash at the end
 */
export const sealPrefixUrl = async (
  ingestUrl: string,
  appId: string,
  grant: PrefixGrant,
  sealer: Sealer,
): Promise<string> => {
  const sealed = await sealer.seal(JSON.stringify(grant), { appId, ingestUrl })
  return `${ingestUrl}/${names.path.prefix}/${encodeURIComponent(appId)}/${sealed}/`
}
