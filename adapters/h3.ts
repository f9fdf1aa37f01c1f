import type { H3Event } from "h3"
import {
  adapterPath,
  defineAdapter,
  type FileRouter,
  type Incoming,
  type RouteHandlerOptions,
  UploadError,
} from "../src/server.ts"
import { isNodeEvent, restoreRawBody } from "./h3/node-event.ts"
import { otherHostOf, toIncoming as fromNode } from "./node.ts"

export type { FileRouter } from "../src/server.ts"
export { extractRouteConfig, UploadError } from "../src/server.ts"

/** Arguments of user code in addition to the web `request`. */
export interface H3Native {
  readonly event: H3Event
}

const refuse = (message: string): never => {
  throw new UploadError({ code: "INVALID_CONFIG", message })
}

const toRequest = (event: H3Event): Incoming => {
  // A bare request whose path is cut off: a callback URL made from it would lead nowhere.
  if (!("req" in event)) {
    return refuse(
      `h3's \`app.mount()\` hides the path that callbacks need. Write \`app.all("${adapterPath}", createRouteHandler({ router }))\`, or mount an app that has it.`,
    )
  }
  if (isNodeEvent(event)) return event.web?.request ?? fromNode(event.node.req, event.node.res)
  if (!event.req.bodyUsed) return event.req
  return refuse(
    "A middleware read this request's body, and its raw bytes are gone. Mount Sluice before it, or let it read `event.req.clone()`.",
  )
}

/** On Node the request target may name a host itself; srvx uses that one. */
const toOtherHost = (event: H3Event): string | undefined => {
  const req = isNodeEvent(event) ? event.node.req : event.req.runtime?.node?.req
  return req && otherHostOf(req)
}

/**
 * Platforms that keep running need no help, and the client learns whether the registration succeeded. Bunny's function
 * may do nothing.
 */
const unneeded: ReadonlySet<string> = new Set(["node", "bun", "deno", "bunny"])

const toWaitUntil = (event: H3Event): ((work: Promise<unknown>) => void) | undefined => {
  if (isNodeEvent(event)) return event.context.waitUntil
  const { runtime, waitUntil } = event.req
  return runtime === undefined || waitUntil === undefined || unneeded.has(runtime.name)
    ? undefined
    : (work) => event.waitUntil(work)
}

/** What `createRouteHandler` makes. */
export type H3Handler = (event: H3Event) => Promise<Response>

const adapter = defineAdapter<[event: H3Event], H3Native>({
  name: "h3",
  request: toRequest,
  otherHost: toOtherHost,
  native: (event) => ({ event }),
  waitUntil: toWaitUntil,
})

/** Makes the builder of file routes, `f({ image: {} })`; user code gets `event`, an `H3Event`. */
export const createSluice = adapter.createSluice

/**
 * h3 2: `app.all("/api/sluice", createRouteHandler({ router }))`.
 *
 * Nitro and Nuxt (3 and 4, which have h3 1): `server/api/sluice.ts`, `export default createRouteHandler({ router })`.
 */
export const createRouteHandler = (options: RouteHandlerOptions<FileRouter<H3Native>>): H3Handler => {
  const handle = adapter.createRouteHandler(options)
  const answer = async (event: H3Event): Promise<Response> => {
    if (isNodeEvent(event)) await restoreRawBody(event)
    return handle(event)
  }
  // This is what h3 1's `defineEventHandler` does; most versions warn about a handler without it.
  return Object.assign(answer, { __is_handler__: true })
}
