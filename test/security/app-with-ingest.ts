import { toNodeListener } from "../../adapters/node.ts"
import type { IngestOptions } from "../../src/ingest.ts"
import { createRouteHandler, type FileDescriptor, type FileRouter, type RouteHandlerOptions } from "../../src/server.ts"
import { listen, startIngest, token } from "../ingest/circle.ts"
import { postAction } from "./post-action.ts"

/** An app on a socket, its ingest behind another. */
export const startApp = async (
  router: FileRouter,
  options: Partial<RouteHandlerOptions> = {},
  ingestOptions: Partial<IngestOptions> = {},
) => {
  const ingest = await startIngest(ingestOptions)
  const posted: Array<unknown> = []
  let handle: (request: Request) => Promise<Response> = async () => new Response()
  const url = `${await listen(toNodeListener((request) => handle(request)))}/api/sluice`
  handle = createRouteHandler({
    router,
    token,
    ingestUrl: ingest.url,
    callbackUrl: url,
    isDev: false,
    logLevel: "None",
    fetch: (input, init) => {
      posted.push(input)
      return fetch(input, init)
    },
    ...options,
  })
  return {
    ingest,
    url,
    /** Asks its route `a` for uploads. */
    ask: (files: ReadonlyArray<FileDescriptor>): Promise<Response> => postAction(url, "upload", "a", { files }),
    /** Where the app has sent what. */
    posted,
  }
}
