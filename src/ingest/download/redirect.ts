import * as Effect from "effect/Effect"
import type { Answer } from "../../http/answer.ts"
import type { Incoming } from "../../http/incoming.ts"
import { attempt } from "../attempt.ts"
import { isDigestWanted } from "../requests/digest-fields.ts"
import { type Keeping, toRedirectCaching, toSentElsewhere } from "../requests/file-headers.ts"
import type { Service } from "../service.ts"
import type { Settings } from "../settings.ts"
import { toBlobName } from "../storage/blob-name.ts"
import type { BlobStore } from "../storage/blob-store.ts"
import type { FileRecord } from "../storage/catalog/catalog.ts"

/** Who reads a file. */
export interface Reader {
  /** What decides how long caches may keep it. */
  readonly keeping: Keeping
  /** When the URL ends by which it is read, ms since the epoch; Infinity where it does not. */
  readonly until: number
}

/** All who ask within this time are sent to the same URL, so that their caches know it again, ms. */
const sameFor = 5 * 60_000

/** How long a URL is good, from the beginning of that time on, ms. */
const goodFor = 15 * 60_000

/** A URL that ends sooner is not worth following, ms. */
const leastLeft = 10_000

/** The longest URL that is handed out: some servers and proxies take no longer ones, characters. */
const longestUrl = 4000

/** What is said of a file that is true of a redirect to it as well. */
const ofRedirects: ReadonlySet<string> = new Set(["cross-origin-resource-policy", "referrer-policy", "vary"])

/** Fails: throws a TypeError where reads go by redirect, and the store has no URLs. */
export const requireUrls = ({ reads }: Pick<Settings, "reads">, store: BlobStore): void => {
  if (reads === "proxy" || store.urlOf !== undefined) return
  throw new TypeError(
    'INVALID_CONFIG: the ingest\'s reads is "redirect", and its store has no URLs of its own that it could redirect to, as a bucket of S3 has. Use such a store, or leave reads at "proxy".',
  )
}

/** Conditions that the store would judge by another tag and another time than the ingest has. */
const isConditional = ({ headers }: Incoming): boolean => headers.has("if-match") || headers.has("if-unmodified-since")

/**
 * The redirect of a GET to the store, once everything else about it is decided; undefined where the ingest sends the file.
 *
 * @param described what the answer would say of the file
 * @param isRangeBound whether a range is asked for of the version that the ingest knows by its own tag
 *
 * Source: docs/protocol.md §10.
 */
export const findRedirect = Effect.fnUntraced(function* (
  { settings, store, now }: Pick<Service, "settings" | "store" | "now">,
  request: Incoming,
  file: FileRecord,
  described: Readonly<Record<string, string>>,
  { keeping, until }: Reader,
  isRangeBound: boolean,
) {
  if (settings.reads !== "redirect" || store.urlOf === undefined) return undefined
  if (request.method !== "GET" || file.isInline || file.size === 0) return undefined
  if (isRangeBound || isConditional(request) || isDigestWanted(request.headers)) return undefined
  const asked = now()
  const at = Math.floor(asked / sameFor) * sameFor
  // What is said there has to be right for all who get the same URL.
  const said = toSentElsewhere(file, keeping, at + sameFor)
  if (said === undefined) return undefined
  const end = Math.min(at + goodFor, until, file.removeAt ?? Infinity, file.claimBy ?? Infinity)
  const { urlOf } = store
  const found = yield* attempt(() =>
    urlOf(toBlobName(file), { ref: file.blobRef, at, now: asked, expiresIn: Math.floor((end - at) / 1000), ...said }),
  )
  if (found === null || found.url.length > longestUrl || found.expiresAt - asked < leastLeft) return undefined
  const headers = {
    ...Object.fromEntries(Object.entries(described).filter(([name]) => ofRedirects.has(name))),
    location: found.url,
    "cache-control": toRedirectCaching(file, keeping, found.expiresAt, asked),
    "content-length": "0",
  }
  return { status: 302, headers, body: null } satisfies Answer
})
