import * as Effect from "effect/Effect"
import { toJsonAnswer } from "../../http/answer.ts"
import type { Incoming } from "../../http/incoming.ts"
import { readBytes } from "../../server-kit/read-body.ts"
import { Rejected, toRejected } from "../../server-kit/rejected.ts"
import { attempt } from "../attempt.ts"
import { sendFile } from "../download/send-file.ts"
import { findProgramRefusal, toHeldHeaders } from "../requests/file-headers.ts"
import { fileNotFound } from "../refusals.ts"
import type { HeldPurpose, HeldUrls } from "../scan/held-urls.ts"
import { longestVerdict, readVerdict } from "../scan/read-verdict.ts"
import type { Service } from "../service.ts"
import { isHeld } from "../storage/is-held.ts"

/** The file that the scanner names by a URL. Fails: INVALID_SIGNATURE, EXPIRED_URL; NOT_FOUND where it is held no more. */
const findHeld = Effect.fnUntraced(function* (service: Service, urls: HeldUrls, purpose: HeldPurpose, path: string) {
  const verified = yield* Effect.promise(() => urls.verify(purpose, path, service.now()))
  if (!verified.ok) return yield* toRejected(verified)
  const { key, id } = verified.value
  const upload = yield* attempt(() => service.catalog.get(key))
  return isHeld(upload, id) ? upload.file : yield* fileNotFound()
})

/**
 * `GET` and `HEAD /scan/<key>/<id>`: a file that is held, for the scanner alone.
 *
 * @param path path and query below the base URL, as received
 *
 * Source: docs/protocol.md §10.
 */
export const respondHeldFile = Effect.fnUntraced(function* (
  service: Service,
  urls: HeldUrls,
  request: Incoming,
  path: string,
) {
  const refusal = findProgramRefusal(request.headers)
  if (refusal !== undefined) return yield* refusal
  const file = yield* findHeld(service, urls, "read", path)
  return yield* sendFile(service, request, file, toHeldHeaders(file))
})

/** `POST /verdict/<key>/<id>`: what the scanner says of a file that is held. Source: docs/protocol.md §10. */
export const respondVerdict = Effect.fnUntraced(function* (
  service: Service,
  urls: HeldUrls,
  request: Incoming,
  path: string,
) {
  const file = yield* findHeld(service, urls, "judge", path)
  const body = yield* readBytes(request, longestVerdict, service.settings.bodyTimeout)
  const verdict = yield* Effect.mapError(readVerdict(body), (detail) => new Rejected({ code: "BAD_REQUEST", detail }))
  if (!(yield* service.judgeHeld(file, verdict))) return yield* fileNotFound()
  return toJsonAnswer({ ok: true })
})
