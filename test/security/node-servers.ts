import { once } from "node:events"
import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { createAdaptorServer } from "@hono/node-server"
import express5 from "express"
// @ts-expect-error: it has no types of its own; those of Express 5 fit.
import untyped from "express4"
import { fastify } from "fastify"
import { H3, toNodeHandler } from "h3"
import { Hono } from "hono"
import { onTestFinished } from "vitest"
import * as express from "../../adapters/express.ts"
import * as fastifyAdapter from "../../adapters/fastify.ts"
import * as h3 from "../../adapters/h3.ts"
import * as hono from "../../adapters/hono.ts"
import * as nextPages from "../../adapters/next-pages.ts"
import * as node from "../../adapters/node.ts"
import { encodeToken } from "../../src/protocol.ts"
import * as fetchServer from "../../src/server.ts"

/** Where the handlers are mounted. */
export const mount = "/api/sluice"

export const apiKey = "sk_servers"

/** The options of an app whose hosts are `app.example` and `other.example`, and where it is called back, written down. */
const record = (more: object) => {
  const callbackUrls: Array<string> = []
  const options = {
    token: encodeToken({ apiKey, appId: "servers", regions: ["local"] }),
    ingestUrl: "http://127.0.0.1:4",
    allowedHosts: "app.example:*, other.example",
    isDev: false,
    logLevel: "None",
    fetch: async (_: unknown, init?: RequestInit) => {
      callbackUrls.push((JSON.parse(init?.body as string) as { callbackUrl: string }).callbackUrl)
      return Response.json({ ok: true })
    },
    ...more,
  } as const
  return { options, callbackUrls }
}

type Options = ReturnType<typeof record>["options"]

const routerOf = <Native extends object>(f: fetchServer.RouteBuilder<Native, undefined>) => ({
  avatar: f({ blob: { maxFileSize: "1MB" } }).onUploadComplete(() => null),
})

const express4 = untyped as typeof express5
const ofExpress = (create: typeof express5) => (options: Options) =>
  createServer(
    create().use(
      mount,
      express.createRouteHandler({ router: routerOf(express.createSluice()), ...options }),
    ) as RequestListener,
  )

/** Servers of the adapters that make the URL of a request of what a client wrote. */
export const servers: Readonly<Record<string, (options: Options) => unknown>> = {
  node: (options) => createServer(node.createRouteHandler({ router: routerOf(node.createSluice()), ...options })),
  "toNodeListener and sluice/server": (options) => {
    const handle = fetchServer.createRouteHandler({ router: routerOf(fetchServer.createSluice()), ...options })
    return createServer(node.toNodeListener((request) => handle(request)))
  },
  "Express 5": ofExpress(express5),
  "Express 4": ofExpress(express4),
  Fastify: async (options) => {
    let server: unknown
    const app = fastify({ serverFactory: (handler) => (server = createServer(handler)) as never })
    const router = routerOf(fastifyAdapter.createSluice())
    await app.register(fastifyAdapter.createRouteHandler({ router, ...options }), { prefix: mount })
    await app.ready()
    return server
  },
  "Hono on Node": (options) => {
    const router = routerOf(hono.createSluice())
    return createAdaptorServer(new Hono().all(mount, hono.createRouteHandler({ router, ...options })))
  },
  "h3 on Node": (options) => {
    const router = routerOf(h3.createSluice())
    return createServer(toNodeHandler(new H3().all(mount, h3.createRouteHandler({ router, ...options }))))
  },
  "Next.js (Pages Router)": (options) => {
    const router = routerOf(nextPages.createSluice())
    const handle = nextPages.createRouteHandler({ router, ...options }) as unknown as RequestListener
    return createServer((req, res) => {
      // As Next.js 16 keeps the address, whatever the target is (resolve-routes.js).
      const meta = { initURL: `http://localhost:3000${req.url}` }
      handle(Object.assign(req, { [Symbol.for("NextInternalRequestMeta")]: meta }), res)
    })
  },
}

/** One of {@link servers}, on a free port, for one test. */
export const startServer = async (
  name: string,
  more: object = {},
): Promise<{ readonly origin: string; readonly callbackUrls: ReadonlyArray<string> }> => {
  const { options, callbackUrls } = record(more)
  const server = (await servers[name]!(options)) as Server
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, callbackUrls }
}
