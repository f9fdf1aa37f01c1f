import * as Effect from "effect/Effect"
import type { Incoming } from "../../http/incoming.ts"
import { findStoredPathMistake } from "../../protocol/files/file-labels.ts"
import { attempt } from "../attempt.ts"
import { sendFile } from "../download/send-file.ts"
import { findProgramRefusal, toFileHeaders } from "../requests/file-headers.ts"
import { openPrefix, type SealedPrefix } from "../access/open-prefix.ts"
import { fileNotFound } from "../refusals.ts"
import type { Service } from "../service.ts"

/** A segment of a path, decoded once; undefined for an escape that is not UTF-8, and for a slash that was escaped. */
const decode = (segment: string): string | undefined => {
  try {
    const decoded = decodeURIComponent(segment)
    return decoded.includes("/") ? undefined : decoded
  } catch {
    return undefined
  }
}

/** The path of a file below a prefix; undefined for segments that make no path that a file can have. */
const toPath = (prefix: string, below: ReadonlyArray<string>): string | undefined => {
  const segments = below.map(decode)
  if (segments.includes(undefined)) return undefined
  const path = prefix + segments.join("/")
  return findStoredPathMistake(path) === undefined ? path : undefined
}

/**
 * `GET` and `HEAD /p/<appId>/<grant>/<path below the prefix>`. The file is looked for only once the grant is opened.
 *
 * Source: docs/protocol.md §10.
 */
export const respondBelowPrefix = Effect.fnUntraced(function* (
  service: Service,
  request: Incoming,
  {
    below,
    ...sealed
  }: SealedPrefix & {
    /** Segments as received. */
    readonly below: ReadonlyArray<string>
  },
) {
  const refusal = findProgramRefusal(request.headers)
  if (refusal !== undefined) return yield* refusal
  const { prefix, owner, expires } = yield* openPrefix(service, sealed)
  const path = toPath(prefix, below)
  if (path === undefined) return yield* fileNotFound()
  const { appId } = sealed
  const file = yield* attempt(() => service.catalog.findByPath({ appId, path, owner, now: service.now() }))
  if (file === null) return yield* fileNotFound()
  // The URL is a secret, so whoever has it keeps the file for themselves. The path may come to mean another one: only
  // what the app itself has said counts here, and only as long as the URL does.
  const keeping = { acl: "private", cache: file.cache ?? "revalidate", until: expires } as const
  const headers = toFileHeaders(file, keeping, service.now())
  // What a file names, a style sheet's pictures for one, is not told the URL.
  return yield* sendFile(
    service,
    request,
    file,
    { ...headers, "referrer-policy": "no-referrer" },
    { keeping, until: expires },
  )
})
