import { HttpResponse } from "msw"
import { type ProblemCode, problemMediaType, problems, toProblemDocument, UploadError } from "../protocol.ts"

/** Only a code, or an error with the text for the user. `NETWORK_ERROR` breaks the connection instead of answering. */
export type MockFailure = Exclude<ProblemCode, "ABORTED" | "PAUSED"> | UploadError

/** A failure and how it is answered. */
export interface Failure {
  readonly error: UploadError
  /** Seconds. */
  readonly retryAfter: number | undefined
}

export const toUploadError = (failure: MockFailure): UploadError =>
  typeof failure === "string" ? new UploadError({ code: failure, message: `${problems[failure].title}.` }) : failure

/** Renders a failure as app and ingest would. Source: docs/protocol.md §11. */
export const toFailedResponse = (
  { error, retryAfter }: Failure,
  headers: Readonly<Record<string, string>> = {},
): Response => {
  if (error.code === "NETWORK_ERROR") return HttpResponse.error()
  const document = toProblemDocument(error.code, error.detail, error)
  return new Response(JSON.stringify(document), {
    status: document.status,
    headers: {
      "cache-control": "no-store",
      ...headers,
      ...(retryAfter === undefined ? undefined : { "retry-after": String(retryAfter) }),
      "content-type": problemMediaType,
    },
  })
}
