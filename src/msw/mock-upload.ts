import { type Json, names, type ProblemCode, UploadError, type UploadResult } from "../protocol.ts"
import { joinBytes } from "./mock-body.ts"
import { type Failure, toFailedResponse } from "./mock-failure.ts"

/** One file that is being uploaded to the mock's ingest. */
export interface MockUpload {
  /** Id of the registration. */
  readonly registrationId: string | undefined
  readonly slug: string
  readonly input: Json | undefined
  bytes: Uint8Array<ArrayBuffer>
  /** The request that is writing: the newest wins. */
  writer: Request | undefined
  /** The failure that ended it for good. */
  failure: Failure | undefined
  result: UploadResult | undefined
}

export const createMockUpload = (
  registrationId: string | undefined,
  slug: string,
  input: Json | undefined,
): MockUpload => ({
  registrationId,
  slug,
  input,
  bytes: new Uint8Array(0),
  writer: undefined,
  failure: undefined,
  result: undefined,
})

/** The header with the offset to resume from. */
export const toOffset = (offset: number) => ({ [names.header.rangeStart]: String(offset) })

export const toFailure = (code: ProblemCode, message: string): Failure => ({
  error: new UploadError({ code, message }),
  retryAfter: undefined,
})

/** These codes end an upload: the same URL gets the same answer from then on. Source: docs/protocol.md §10. */
const finalCodes: ReadonlySet<ProblemCode> = new Set(["SIZE_MISMATCH", "CONTENT_MISMATCH", "DIGEST_MISMATCH"])

/** Answers with a failure; the stored bytes are then kept or removed. */
export const failUpload = (upload: MockUpload, failure: Failure): Response => {
  if (finalCodes.has(failure.error.code)) {
    upload.failure = failure
    upload.bytes = new Uint8Array(0)
  }
  return toFailedResponse(failure, toOffset(upload.bytes.length))
}

const cancelled = { code: "ABORTED", status: 410, message: "The upload was cancelled. Do not send it again." } as const

/** Ends an upload, as `DELETE` of its URL does at the ingest. */
export const respondMockCancel = (upload: MockUpload): Response => {
  if (upload.result !== undefined) return new Response(null, { status: 204, headers: toOffset(upload.bytes.length) })
  upload.writer = undefined
  upload.failure ??= { error: new UploadError(cancelled), retryAfter: undefined }
  upload.bytes = new Uint8Array(0)
  return new Response(null, { status: 204 })
}

export const appendBytes = (upload: MockUpload, bytes: Uint8Array): void => {
  upload.bytes = joinBytes([upload.bytes, bytes])
}
