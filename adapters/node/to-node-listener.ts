import { problemMediaType, toProblemDocument, UploadError } from "../../src/protocol.ts"
import type { NodeRequest, NodeResponse } from "./node-message.ts"
import { sendResponse } from "./send-response.ts"
import { toRequest } from "./to-request.ts"

const toProblem = (error: unknown): Response => {
  if (!UploadError.is(error)) console.error(error)
  const document = UploadError.is(error)
    ? toProblemDocument(error.code, error.message, error)
    : toProblemDocument("INTERNAL_ERROR", "Something went wrong. The server's log says what.")
  return new Response(JSON.stringify(document), {
    status: document.status,
    headers: { "content-type": problemMediaType, "cache-control": "no-store" },
  })
}

/**
 * A listener for `node:http`, `node:https` and `node:http2` servers from a fetch handler.
 *
 * A handler that throws is a problem document: an UploadError with its code, anything else an opaque INTERNAL_ERROR
 * that is printed.
 *
 * @param options `signal: false` for a handler that never looks at `request.signal`: small requests then take less work
 */
export const toNodeListener =
  (
    fetch: (request: Request) => Response | Promise<Response>,
    { signal = true }: { readonly signal?: boolean | undefined } = {},
  ) =>
  (req: NodeRequest, res: NodeResponse): void => {
    const answer = async () => fetch(toRequest(req, res, signal))
    void answer()
      .catch(toProblem)
      .then((response) => sendResponse(res, response))
  }
