import { problemMediaType, toProblemDocument } from "../protocol/problem.ts"
import type { Rejected } from "./rejected.ts"

/**
 * Renders a rejection as a problem document (RFC 9457). No error Response is built anywhere else.
 *
 * Source: docs/protocol.md §11.
 */
export const toProblemResponse = (rejected: Rejected): Response => {
  const document = toProblemDocument(rejected.code, rejected.detail, rejected)
  return new Response(JSON.stringify(document), {
    status: document.status,
    headers: { "cache-control": "no-store", ...rejected.headers, "content-type": problemMediaType },
  })
}
