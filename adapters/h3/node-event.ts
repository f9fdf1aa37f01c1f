import type { IncomingMessage, ServerResponse } from "node:http"

/** An event of h3 1, which Nitro 2 and with it Nuxt 3 and 4 have: its `req` is Node's, or imitates it. */
export interface NodeEvent {
  readonly node: { readonly req: IncomingMessage; readonly res: ServerResponse }
  readonly web?: { readonly request?: Request }
  /** Nitro puts the platform's here; `event.waitUntil` is there on every platform. */
  readonly context: { readonly waitUntil?: (work: Promise<unknown>) => void }
}

/** Not by `event.node`: events of h3 2 have one, too. */
export const isNodeEvent = (event: object): event is NodeEvent =>
  "req" in event && typeof (event.req as Partial<Request>).headers?.get !== "function"

/** Where `readBody` and `readRawBody` keep what they have read. */
const kept = Symbol.for("h3RawBody")

/** Puts the body that a middleware has read where parsers of Node's other frameworks leave it. */
export const restoreRawBody = async ({ node }: NodeEvent): Promise<void> => {
  const req = node.req as IncomingMessage & { rawBody?: unknown; [kept]?: Promise<unknown> }
  if (req[kept] !== undefined) req.rawBody ??= await req[kept]
}
