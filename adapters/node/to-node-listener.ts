import type { Answer, Respond } from "../../src/server.ts"
import { problemMediaType, toProblemDocument, UploadError } from "../../src/protocol.ts"
import type { NodeRequest, NodeResponse } from "./node-message.ts"
import { isBodyRead } from "./parsed-body.ts"
import { takeInBody } from "./request-body.ts"
import { sendAnswer, sendResponse } from "./send-response.ts"
import { toIncoming } from "./to-incoming.ts"
import { toRequest } from "./to-request.ts"
import { whenItsTurn } from "./when-its-turn.ts"

const toProblem = (error: unknown): Answer => {
  if (!UploadError.is(error)) console.error(error)
  const document = UploadError.is(error)
    ? toProblemDocument(error.code, error.message, error)
    : toProblemDocument("INTERNAL_ERROR", "Something went wrong. The server's log says what.")
  return {
    status: document.status,
    headers: { "content-type": problemMediaType, "cache-control": "no-store" },
    body: JSON.stringify(document),
  }
}

type Fetch = (request: Request) => Response | Promise<Response>

/**
 * A listener for `node:http`, `node:https` and `node:http2` servers from a fetch handler.
 *
 * A handler that throws results in a problem document: an UploadError with its code, anything else an opaque
 * INTERNAL_ERROR that is printed. Nothing that a client sends or the handler does ends the process.
 *
 * @param handler  a fetch handler. Where it has a way around the classes of the Fetch API, as the one of `createIngest`
 *                 does, that is taken
 * @param options  `signal: false` for a handler that never uses `request.signal`: small requests then take less work
 */
export const toNodeListener = (
  handler: Fetch | { readonly respond: Respond },
  { signal = true }: { readonly signal?: boolean | undefined } = {},
): ((req: NodeRequest, res: NodeResponse) => void) => {
  const answer =
    "respond" in handler
      ? async (req: NodeRequest, res: NodeResponse) => {
          const given = await handler.respond(toIncoming(req, res))
          // Types do not bind code that is not compiled with them, and from here on nobody catches anything.
          if (given?.headers === undefined) throw new TypeError("The handler returned no Answer.")
          return () => sendAnswer(res, given)
        }
      : async (req: NodeRequest, res: NodeResponse) => {
          const response = await handler(toRequest(req, res, signal))
          // Not judged by its class, because there are other Response classes than the platform's.
          if (response?.headers === undefined) throw new TypeError("The handler returned no Response.")
          return () => sendResponse(res, response)
        }
  return (req, res) => {
    const inTurn = async () => {
      await whenItsTurn(req, res)
      return answer(req, res)
    }
    // Before anything is awaited.
    if (!isBodyRead(req)) takeInBody(req)
    const fail = async (error: unknown) => {
      const problem = toProblem(error)
      return () => sendAnswer(res, problem)
    }
    void inTurn()
      .catch(fail)
      // An UploadError whose `data` is no JSON.
      .catch(fail)
      .then((send) => send())
  }
}
