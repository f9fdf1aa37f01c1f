import type { IncomingMessage, ServerResponse } from "node:http"
import { defineAdapter } from "../src/server.ts"
import { sendResponse } from "./node/send-response.ts"
import { toRequest } from "./node/to-request.ts"

export type { FileRouter } from "../src/server.ts"
export { extractRouteConfig, UploadError } from "../src/server.ts"
export type { NodeRequest, NodeResponse } from "./node/node-message.ts"
export { toNodeListener } from "./node/to-node-listener.ts"
export { sendResponse, toRequest }

/** What user code gets beside the web `request`. */
export interface NodeNative {
  readonly req: IncomingMessage
  readonly res: ServerResponse
}

/** `createServer(createRouteHandler({ router }))`, or called from a listener for the paths it should have. */
export const { createSluice, createRouteHandler } = defineAdapter<
  [req: IncomingMessage, res: ServerResponse],
  NodeNative,
  void
>({
  name: "node:http",
  request: toRequest,
  native: (req, res) => ({ req, res }),
  respond: (response, _req, res) => sendResponse(res, response),
})
