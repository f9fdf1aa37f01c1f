import { problemMediaType, toProblemDocument, UploadError } from "../../src/protocol.ts"
import type { NodeRequest, NodeResponse } from "./node-message.ts"
import { isBodyRead } from "./parsed-body.ts"
import { takeInBody } from "./request-body.ts"
import { sendResponse } from "./send-response.ts"
import { toRequest } from "./to-request.ts"
import { whenItsTurn } from "./when-its-turn.ts"

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
 * A handler that throws results in a problem document: an UploadError with its code, anything else an opaque
 * INTERNAL_ERROR that is printed. Nothing that a client sends or the handler does ends the process.
 *
 * @param options `signal: false` for a handler that never uses `request.signal`: small requests then take less work
 */
export const toNodeListener =
  (
    fetch: (request: Request) => Response | Promise<Response>,
    { signal = true }: { readonly signal?: boolean | undefined } = {},
  ) =>
  (req: NodeRequest, res: NodeResponse): void => {
    const answer = async () => {
      await whenItsTurn(req, res)
      const response = await fetch(toRequest(req, res, signal))
      // Not judged by its class, because there are other Response classes than the platform's.
      if (response?.headers === undefined) throw new TypeError("The handler returned no Response.")
      return response
    }
    // Before anything is awaited.
    if (!isBodyRead(req)) takeInBody(req)
    void answer()
      .catch(toProblem)
      // An UploadError whose `data` is no JSON.
      .catch(toProblem)
      .then((response) => sendResponse(res, response))
  }
