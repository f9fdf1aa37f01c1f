import * as Effect from "effect/Effect"
import type { Incoming } from "../../http/incoming.ts"
import { parseByteRange } from "../../protocol/files/range.ts"
import { Rejected } from "../../server-kit/rejected.ts"
import { attempt } from "../attempt.ts"
import { formatSha256Field, isDigestWanted } from "../requests/digest-fields.ts"
import { evaluatePreconditions, isRangeFresh, type Validators } from "../requests/preconditions.ts"
import type { Service } from "../service.ts"
import type { FileRecord } from "../storage/catalog/catalog.ts"
import { openContent } from "./open-content.ts"
import { findRedirect, type Reader } from "./redirect.ts"

/**
 * Sends a file, or the one range of it that was asked for, or says where the store sends it.
 *
 * @param described what the answer says of the file, `etag` among it
 * @param reader    who reads it; undefined where it must not be sent from elsewhere
 */
export const sendFile = Effect.fnUntraced(function* (
  service: Service,
  request: Incoming,
  file: FileRecord,
  described: Readonly<Record<string, string>>,
  reader?: Reader,
) {
  const headers: Record<string, string> = { ...described }
  const validators: Validators = { etag: headers.etag!, modifiedAt: file.uploadedAt ?? 0 }
  const verdict = evaluatePreconditions(request.headers, validators)
  if (verdict === "precondition failed") {
    return yield* new Rejected({
      code: "BAD_REQUEST",
      status: 412,
      detail: "The file is not the version that the request asks for. Read it again without the condition.",
    })
  }
  if (verdict === "not modified") {
    delete headers["content-type"]
    return { status: 304, headers, body: null }
  }
  // After the 304: what a cache keeps may be older than this request.
  if (file.fileHash && isDigestWanted(request.headers)) headers["repr-digest"] = formatSha256Field(file.fileHash)
  const isFresh = isRangeFresh(request.headers, validators)
  const asked = isFresh ? request.headers.get("range") : null
  const range = parseByteRange(asked, file.size)
  if (range === "unsatisfiable") {
    return yield* new Rejected({
      code: "BAD_REQUEST",
      status: 416,
      detail: `The file has ${file.size} bytes; the range begins beyond its end.`,
      headers: { "content-range": `bytes */${file.size}` },
    })
  }
  if (reader !== undefined) {
    const isRangeBound = isFresh && request.headers.has("if-range")
    const redirect = yield* findRedirect(service, request, file, described, reader, isRangeBound)
    if (redirect !== undefined) return redirect
  }
  const { start, end } = range ?? { start: 0, end: file.size - 1 }
  headers["content-length"] = String(end - start + 1)
  if (range !== undefined) headers["content-range"] = `bytes ${start}-${end}/${file.size}`
  const isEmpty = request.method === "HEAD" || file.size === 0
  const body = isEmpty ? null : yield* attempt(() => openContent(service, file, start, end))
  return { status: range === undefined ? 200 : 206, headers, body }
})
