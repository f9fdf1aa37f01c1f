// Imported from the file behind "next", because that entry declares globals for everything that imports it.
import type { NextApiRequest, NextApiResponse } from "next/dist/shared/lib/utils.js"
import { defineAdapter, type FileRouter, type Incoming, type RouteHandlerOptions, UploadError } from "../src/server.ts"
import { otherHostOf, sendAnswer, toIncoming } from "./node.ts"

export type { FileRouter } from "../src/server.ts"
export { extractRouteConfig } from "../src/server.ts"
export { UploadError }

/** Arguments of user code in addition to the web `request`. */
export interface NextPagesNative {
  readonly req: NextApiRequest
  readonly res: NextApiResponse
}

/** Where Next.js keeps the address that the client used: `req.url` has lost `basePath` and may be rewritten. */
const metaSymbol = Symbol.for("NextInternalRequestMeta")

type WithMeta = NextApiRequest & { originalUrl?: string; [metaSymbol]?: { initURL?: string } }

const toWholeRequest = (req: WithMeta, res: NextApiResponse): Incoming => {
  // A custom server with Express has set it itself.
  req.originalUrl ??=
    // Its own origin is put before the client's target, even before an absolute one.
    req[metaSymbol]?.initURL?.replace(/^https?:\/\/[^/]*?(?=\/|https?:\/\/|$)/i, "") ??
    (process.env.__NEXT_BASE_PATH ?? "") + req.url
  try {
    return toIncoming(req, res)
  } catch (cause) {
    if (!UploadError.is(cause) || cause.code !== "INVALID_CONFIG") throw cause
    throw new UploadError({
      code: "INVALID_CONFIG",
      message:
        "Next.js parsed this request's body, and a callback's signature covers its raw bytes. Add `export const config = { api: { bodyParser: false } }` to the file of the API route.",
      cause,
    })
  }
}

/** What `createRouteHandler` makes. */
export type NextPagesHandler = (req: NextApiRequest, res: NextApiResponse) => Promise<void>

const adapter = defineAdapter<[req: NextApiRequest, res: NextApiResponse], NextPagesNative, void>({
  name: "Next.js (Pages Router)",
  request: toWholeRequest,
  otherHost: otherHostOf,
  native: (req, res) => ({ req, res }),
  answer: (answer, _req, res) => sendAnswer(res, answer),
})

/** Makes the builder of file routes, `f({ image: {} })`; user code gets `req` and `res` of an API route. */
export const createSluice = adapter.createSluice

/**
 * `pages/api/sluice.ts`, in two lines:
 * `export default createRouteHandler({ router })` and `export const config = { api: { bodyParser: false } }`.
 *
 * The second line has to be written out because Next.js reads it without running the file: it refuses an imported or
 * re-exported `config`. Without it uploads work, but callbacks are refused with an error that says so.
 *
 * A `proxy.ts` in front may read the body; it arrives whole (Next.js keeps 10 MB, `proxyClientMaxBodySize`; bodies here
 * are below 1 MiB). It must let callbacks through, which come without cookies: `POST` with the header `sluice-hook`.
 */
export const createRouteHandler: (options: RouteHandlerOptions<FileRouter<NextPagesNative>>) => NextPagesHandler =
  adapter.createRouteHandler
