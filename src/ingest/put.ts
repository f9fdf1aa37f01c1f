import * as Effect from "effect/Effect"
import { formatByteSize } from "../protocol/byte-size.ts"
import { names } from "../protocol/names.ts"
import { parseUploadRange } from "../protocol/range.ts"
import type { UploadGrant } from "../protocol/signed-url.ts"
import { Rejected, toRejected } from "../http/rejected.ts"
import { attempt } from "./attempt.ts"
import { authoriseUpload } from "./authorise.ts"
import { originOf, toStoredFile } from "./event.ts"
import { awaitServerData } from "./server-data.ts"
import type { Service } from "./service.ts"
import { transfer } from "./transfer.ts"
import { multipartOverhead } from "./upload-body.ts"

/** Where the body begins; refuses what is too large before a byte of it is read. */
const decideStart = Effect.fnUntraced(function* (request: Request, grant: UploadGrant) {
  const start = parseUploadRange(request.headers.get("range"))
  if (!start.ok) return yield* toRejected(start)
  const isForm = /^multipart\//i.test(request.headers.get("content-type") ?? "")
  const length = Number(request.headers.get("content-length") ?? 0) - (isForm ? 2 * multipartOverhead : 0)
  if (start.value + length > grant.size) {
    return yield* new Rejected({
      code: "SIZE_MISMATCH",
      detail: `The URL was signed for ${formatByteSize(grant.size)}, the body would make it more. Ask the app for a URL of the right size.`,
    })
  }
  return start.value
})

/**
 * `PUT` of a signed URL: takes the bytes, and answers when the app has its file.
 *
 * Shape:  200 with an `UploadResult`.
 * Fails:  the codes of docs/protocol.md §10; what has arrived is kept, but where the content itself is refused.
 *
 * @param url    the public base URL and the path and query as received
 * @param origin the public base URL
 */
export const respondPut = Effect.fnUntraced(function* (
  service: Service,
  request: Request,
  url: string,
  origin: string,
) {
  const grant = yield* authoriseUpload(service, url)
  const start = yield* decideStart(request, grant)
  const { upload, since } = yield* attempt(() => transfer(service, { request, grant, start, origin }))
  const serverData = yield* awaitServerData(service, upload, since)
  const file = JSON.stringify(toStoredFile(upload.file, originOf(upload.file, service.settings.url)))
  return new Response(`${file.slice(0, -1)},"serverData":${serverData}}`, {
    headers: {
      "content-type": "application/json",
      "cache-control": "no-store",
      [names.header.rangeStart]: String(upload.file.size),
    },
  })
})
