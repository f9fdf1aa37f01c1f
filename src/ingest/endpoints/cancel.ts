import * as Effect from "effect/Effect"
import { names } from "../../protocol/names.ts"
import { attempt } from "../attempt.ts"
import { authoriseUpload } from "../access/authorise.ts"
import type { Service } from "../service.ts"
import { cancelUpload } from "../upload/cancel.ts"

/**
 * `DELETE` of a signed URL: its client ends the upload. The URL may have expired. Of a file that has arrived the answer says
 * where it ends.
 *
 * @param url the public base URL and the path and query as received
 *
 * Source: docs/protocol.md §10.
 */
export const respondCancel = Effect.fnUntraced(function* (service: Service, url: string) {
  const { grant } = yield* authoriseUpload(service, url, true)
  const hasArrived = yield* attempt(() => cancelUpload(service, grant))
  const end = hasArrived ? { [names.header.rangeStart]: String(grant.size) } : {}
  return { status: 204, headers: { "cache-control": "no-store", ...end }, body: null }
})
