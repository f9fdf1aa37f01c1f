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
import { fitsCatalog } from "../storage/quota.ts"

const decode = createDecoder(CallbackResultSchema)

/** Results up to this size are kept whatever the quota says, characters: there are only as many as there are files. */
const smallResult = 1024

/** What an app says of a callback, posted or answered. Fails: BAD_REQUEST. */
export const decodeResult = (json: unknown): Effect.Effect<CallbackResult, Rejected> =>
  Effect.mapError(decode(json), (detail) => new Rejected({ code: "BAD_REQUEST", detail }))

/** A result as the catalog keeps it. Fails: BAD_REQUEST with status 413, QUOTA_EXCEEDED. */
export const toResultRecord = Effect.fnUntraced(function* (catalog: Catalog, app: App, result: CallbackResult) {
  if ("error" in result) return { error: redact(result.error).slice(0, limits.callbackError) } satisfies ResultRecord
  const data = yield* toBoundedJson("The result", result.callbackData, limits.callbackData)
  if (app.quota !== undefined && data.length > smallResult) {
    const usage = yield* attempt(() => catalog.usage(app.id))
    if (!fitsCatalog(usage, data.length, app.quota)) return yield* catalogOverQuota("the result")
  }
  return { data } satisfies ResultRecord
})
