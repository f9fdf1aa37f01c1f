import * as Effect from "effect/Effect"
import { attempt } from "../attempt.ts"
import { authoriseUpload } from "../access/authorise.ts"
import type { Service } from "../service.ts"
import { cancelUpload } from "../upload/cancel.ts"

/**
 * `DELETE` of a signed URL: its client ends the upload. The URL may have expired.
 *
 * @param url the public base URL and the path and query as received
 *
 * Source: docs/protocol.md §10.
 */
export const respondCancel = Effect.fnUntraced(function* (service: Service, url: string) {
  const { grant } = yield* authoriseUpload(service, url, true)
  yield* attempt(() => cancelUpload(service, grant))
  return { status: 204, headers: { "cache-control": "no-store" }, body: null }
})
