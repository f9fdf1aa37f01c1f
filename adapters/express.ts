import type { Request, Response } from "express"
import { defineAdapter, type FileRouter, type RouteHandlerOptions } from "../src/server.ts"
import { otherHostOf, sendAnswer, toIncoming } from "./node.ts"

export type { FileRouter } from "../src/server.ts"
export { extractRouteConfig, UploadError } from "../src/server.ts"

/** Arguments of user code in addition to the web `request`. */
export interface ExpressNative {
  readonly req: Request
  readonly res: Response
}

/** What `createRouteHandler` makes. */
export type ExpressHandler = (req: Request, res: Response) => Promise<void>

const adapter = defineAdapter<[req: Request, res: Response], ExpressNative, void>({
  name: "Express",
  request: (req, res) => toIncoming(req, res),
  otherHost: otherHostOf,
  native: (req, res) => ({ req, res }),
  answer: (answer, _req, res) => sendAnswer(res, answer),
})

/** Makes the builder of file routes, `f({ image: {} })`; user code gets Express's `req` and `res`. */
export const createSluice = adapter.createSluice

/**
 * `app.use("/api/sluice", createRouteHandler({ router }))`, in Express 4 and 5, before `express.json()`.
 *
 * After `express.json()` uploads work, but callbacks are refused with an error that says so: their signature covers
 * bytes that the parser has discarded. `express.raw()` and `express.text()` keep them.
 *
 * Express's `trust proxy` does not apply: behind a proxy set Sluice's option `trustProxy` too, or `callbackUrl`.
 */
export const createRouteHandler: (options: RouteHandlerOptions<FileRouter<ExpressNative>>) => ExpressHandler =
  adapter.createRouteHandler
