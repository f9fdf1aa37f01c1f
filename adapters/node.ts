import type { IncomingMessage, ServerResponse } from "node:http"
import { defineAdapter } from "../src/server.ts"
import { sendAnswer, sendResponse } from "./node/send-response.ts"
import { otherHostOf } from "./node/check-request.ts"
import { toIncoming } from "./node/to-incoming.ts"
import { toRequest } from "./node/to-request.ts"

export type { FileRouter } from "../src/server.ts"
export { extractRouteConfig, UploadError } from "../src/server.ts"
export type { NodeRequest, NodeResponse } from "./node/node-message.ts"
export { deferContinue } from "./node/continue.ts"
export { toNodeListener } from "./node/to-node-listener.ts"
export { keepBytes } from "./node/keep-bytes.ts"
export { otherHostOf, sendAnswer, sendResponse, toIncoming, toRequest }

/** Arguments of user code in addition to the web `request`. */
export interface NodeNative {
  readonly req: IncomingMessage
  readonly res: ServerResponse
}

const adapter = defineAdapter<[req: IncomingMessage, res: ServerResponse], NodeNative, void>({
  name: "node:http",
  request: toIncoming,
  otherHost: otherHostOf,
  native: (req, res) => ({ req, res }),
  answer: (answer, _req, res) => sendAnswer(res, answer),
})

/** Makes the builder of file routes, `f({ image: {} })`; user code gets `req` and `res` of `node:http`. */
export const createSluice = adapter.createSluice

/** `createServer(createRouteHandler({ router }))`, or call it from a listener for its paths. */
export const createRouteHandler = adapter.createRouteHandler
