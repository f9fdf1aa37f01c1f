import type { IncomingMessage, ServerResponse } from "node:http"

/** An event of h3 1, which is in Nitro 2 and so in Nuxt 3 and 4: its `req` is Node's, or imitates it. */
export interface NodeEvent {
  readonly node: { readonly req: IncomingMessage; readonly res: ServerResponse }
  readonly web?: { readonly request?: Request }
  /** Nitro puts the platform's function here; `event.waitUntil` exists on every platform. */
  readonly context: { readonly waitUntil?: (work: Promise<unknown>) => void }
}

/** Not judged by `event.node`, because events of h3 2 have one, too. */
export const isNodeEvent = (event: object): event is NodeEvent =>
  "req" in event && typeof (event.req as Partial<Request>).headers?.get !== "function"

/** Where `readBody` and `readRawBody` keep the body that they have read. */
const kept = Symbol.for("h3RawBody")

/** Puts a body that a middleware has read where parsers of Node's other frameworks leave it. */
export const restoreRawBody = async ({ node }: NodeEvent): Promise<void> => {
  const req = node.req as IncomingMessage & { rawBody?: unknown; [kept]?: Promise<unknown> }
  if (req[kept] !== undefined) req.rawBody ??= await req[kept]
}
