import * as Effect from "effect/Effect"
import type { Incoming } from "../../http/incoming.ts"
import { names } from "../../protocol/names.ts"
import { parseUploadRange } from "../../protocol/files/range.ts"
import type { UploadGrant } from "../../protocol/signing/signed-url.ts"
import { Rejected, toRejected } from "../../server-kit/rejected.ts"
import { attempt } from "../attempt.ts"
import { authoriseUpload } from "../access/authorise.ts"
import { originOf, toStoredFile } from "../delivery/event.ts"
import { awaitServerData } from "../delivery/server-data.ts"
import { findTooLarge } from "../refusals.ts"
import { refuseOrphan } from "../registrations.ts"
import type { Service } from "../service.ts"
import { tellOfDetours } from "../upload/tell-of-detours.ts"
import { transfer } from "../upload/transfer.ts"
import { multipartOverhead } from "../upload/upload-body.ts"

/** Refuses a body in a transfer coding that nobody here decodes: it would be stored as the file (RFC 9112 §6.1). */
const findUndecoded = ({ headers }: Incoming): Rejected | undefined => {
  const coding = headers.get("transfer-encoding")
  if (coding === null || coding.trim().toLowerCase() === "chunked") return undefined
  return new Rejected({
    code: "BAD_REQUEST",
    status: 501,
    detail: `The ingest does not decode "transfer-encoding: ${coding}". Send the file's own bytes, chunked or with their length.`,
  })
}

/**
 * Where the body begins, and how many bytes of the file it claims to bring; refuses files that are too large, and bodies that
 * are not the file's own bytes.
 */
const decideExtent = Effect.fnUntraced(function* (
  request: Incoming,
  grant: UploadGrant,
  maxFileSize: number | undefined,
) {
  const undecoded = findUndecoded(request)
  if (undecoded !== undefined) return yield* undecoded
  const start = parseUploadRange(request.headers.get("range"))
  if (!start.ok) return yield* toRejected(start)
  const tooLarge = findTooLarge(grant, maxFileSize)
  if (tooLarge !== undefined) return yield* tooLarge
  const isForm = /^multipart\//i.test(request.headers.get("content-type") ?? "")
  const length = Number(request.headers.get("content-length") ?? 0) - (isForm ? 2 * multipartOverhead : 0)
  return { start: start.value, announced: Math.max(0, length) }
})

/**
 * `PUT` or `POST` of a signed URL: stores the bytes, and answers when the app has handled its file.
 *
 * Shape:  200 with an `UploadResult`.
 * Fails:  with the codes of docs/protocol.md §10; what has arrived is kept, unless the content itself is refused.
 *
 * @param url    the public base URL and the path and query as received
 * @param origin the public base URL
 */
export const respondPut = Effect.fnUntraced(function* (
  service: Service,
  request: Incoming,
  url: string,
  origin: string,
) {
  const { app, grant, registration, labels } = yield* authoriseUpload(service, url)
  yield* refuseOrphan(service, grant)
  const extent = yield* decideExtent(request, grant, service.settings.maxFileSize)
  yield* tellOfDetours(service, { app, grant, ...extent })
  const { upload, answer } = yield* service.slots.hold(
    grant,
    Effect.acquireUseRelease(
      // Before the upload ends, because its callback may be answered at once.
      Effect.sync(() => service.changes.watch(grant.key)),
      Effect.fnUntraced(function* (watch) {
        const { upload, known } = yield* attempt(() =>
          transfer(service, { request, app, grant, registration, labels, ...extent, origin }),
        )
        return { upload, answer: yield* awaitServerData(service, upload, known, watch) }
      }),
      (watch) => Effect.sync(() => watch.close()),
    ),
  )
  const file = JSON.stringify(toStoredFile(upload.file, originOf(upload.file, service.settings.url)))
  const headers = {
    "content-type": "application/json",
    "cache-control": "no-store",
    [names.header.rangeStart]: String(upload.file.size),
  }
  const held = answer.isHeld ? `,"isHeld":true` : ""
  return { status: 200, headers, body: `${file.slice(0, -1)},"serverData":${answer.serverData}${held}}` }
})
