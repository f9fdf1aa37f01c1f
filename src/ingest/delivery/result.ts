import * as Effect from "effect/Effect"
import { redact } from "../../server-kit/redact.ts"
import { Rejected } from "../../server-kit/rejected.ts"
import { limits } from "../../protocol/limits.ts"
import type { CallbackResult } from "../../protocol/messages.ts"
import { CallbackResultSchema } from "../../schema/callback.ts"
import { createDecoder } from "../../schema/decode.ts"
import type { App } from "../access/apps.ts"
import { attempt } from "../attempt.ts"
import { toBoundedJson } from "../requests/bounded-json.ts"
import { catalogOverQuota } from "../refusals.ts"
import type { Catalog, ResultRecord } from "../storage/catalog/catalog.ts"
import type { FreeSpace } from "../storage/free-space.ts"
import { fitsCatalog } from "../storage/quota.ts"

/** What results are kept in, and what knows whether there is room. */
export interface ResultPorts {
  readonly catalog: Pick<Catalog, "usage">
  readonly space: Pick<FreeSpace, "admit" | "admitOwed">
}

const decode = createDecoder(CallbackResultSchema)

/** Results up to this size are kept whatever the quota says, characters: there are only as many as there are files. */
const smallResult = 1024

/** What an app says of a callback, posted or answered. Fails: BAD_REQUEST. */
export const decodeResult = (json: unknown): Effect.Effect<CallbackResult, Rejected> =>
  Effect.mapError(decode(json), (detail) => new Rejected({ code: "BAD_REQUEST", detail }))

/** Results up to this size are kept whatever the disks say, characters: `null`, which only ends what was let in. */
const noResult = 4

/**
 * Results up to this size may take of the reserve, characters. Where they were refused, `onUploadComplete` would do its work again and
 * again, for as long as the disk is full.
 */
const usualResult = 64 * 1024

/** A result as the catalog keeps it. Fails: BAD_REQUEST with status 413, QUOTA_EXCEEDED, INGEST_UNAVAILABLE. */
export const toResultRecord = Effect.fnUntraced(function* (
  { catalog, space }: ResultPorts,
  app: App,
  result: CallbackResult,
) {
  const admit = ({ length }: string) =>
    length > noResult
      ? attempt(async () => (length > usualResult ? space.admit(length) : space.admitOwed(length)))
      : Effect.void
  if ("error" in result) {
    const error = redact(result.error).slice(0, limits.callbackError)
    yield* admit(error)
    return { error } satisfies ResultRecord
  }
  const data = yield* toBoundedJson("The result", result.callbackData, limits.callbackData)
  yield* admit(data)
  if (app.quota !== undefined && data.length > smallResult) {
    const usage = yield* attempt(() => catalog.usage(app.id))
    if (!fitsCatalog(usage, data.length, app.quota)) return yield* catalogOverQuota("the result")
  }
  return { data } satisfies ResultRecord
})
