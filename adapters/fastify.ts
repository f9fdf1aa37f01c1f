import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { defineAdapter, type FileRouter, type RouteHandlerOptions } from "../src/server.ts"
import { keepBytes, otherHostOf, toIncoming } from "./node.ts"

export type { FileRouter } from "../src/server.ts"
export { extractRouteConfig, UploadError } from "../src/server.ts"

/** Arguments of user code in addition to the web `request`: Fastify's request is `req`, with what the app's hooks have added. */
export interface FastifyNative {
  readonly req: FastifyRequest
  readonly reply: FastifyReply
}

/** Fastify sends the Response, so that `onSend` hooks run: cookies, sessions, CORS. */
const adapter = defineAdapter<[req: FastifyRequest, reply: FastifyReply], FastifyNative>({
  name: "Fastify",
  request: ({ raw }, reply) => toIncoming(raw, reply.raw),
  otherHost: ({ raw }) => otherHostOf(raw),
  native: (req, reply) => ({ req, reply }),
})

/** Makes the builder of file routes, `f({ image: {} })`; user code gets Fastify's `req` and `reply`. */
export const createSluice = adapter.createSluice

/** A FastifyInstance over HTTP/1 or 2, which are different types. */
export type FastifyScope = Pick<FastifyInstance, "removeAllContentTypeParsers">

/** What `createRouteHandler` makes: a plugin. */
export type FastifyHandler = (app: FastifyScope) => Promise<void>

/**
 * `await app.register(createRouteHandler({ router }), { prefix: "/api/sluice" })`: a plugin with a scope of its own.
 *
 * In it nothing parses bodies, because the signature of a callback covers the raw bytes; the app's other routes keep
 * their parsers. Do not wrap it in `fastify-plugin`, which removes that scope. Hooks and decorators registered before
 * it apply: authenticate there, and read `req.user` in middleware. Fastify's `trustProxy` does not apply: behind a
 * proxy set Sluice's option of that name too, or `callbackUrl`. Fastify's `bodyLimit` does not apply either; Sluice
 * accepts 1 MiB.
 */
export const createRouteHandler = (options: RouteHandlerOptions<FileRouter<FastifyNative>>): FastifyHandler => {
  const handle = adapter.createRouteHandler(options)
  return async (scope) => {
    const app = scope as FastifyInstance
    app.removeAllContentTypeParsers()
    app.addContentTypeParser("*", async ({ raw }: FastifyRequest, payload: FastifyRequest["raw"]) =>
      keepBytes(raw, payload, options.bodyTimeout),
    )
    app.all("/", handle)
  }
}
