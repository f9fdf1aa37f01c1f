import type { Answer } from "../http/answer.ts"
import { problemMediaType, toProblemDocument } from "../protocol/errors/problem.ts"
import { problemDetail } from "../protocol/limits.ts"
import type { Rejected } from "./rejected.ts"

/**
 * Renders a rejection as a problem document (RFC 9457). No error is answered in any other way.
 *
 * Source: docs/protocol.md §11.
 */
export const toProblemAnswer = (rejected: Rejected): Answer => {
  const document = toProblemDocument(rejected.code, rejected.detail.slice(0, problemDetail), rejected)
  return {
    status: document.status,
    headers: { "cache-control": "no-store", ...rejected.headers, "content-type": problemMediaType },
    body: JSON.stringify(document),
  }
}
