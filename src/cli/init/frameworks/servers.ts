import { names } from "../../../protocol.ts"
import type { Framework } from "../framework.ts"
import { folderOf, type Project } from "../read-project.ts"
import { toClient, toRouter } from "../templates.ts"

/** A framework whose routes stand in a file of the user's own: what mounts them there is shown, not written. */
const defineServer = ({
  argument,
  session,
  mount,
  ...framework
}: Omit<Framework, "hasPages" | "layout"> & {
  readonly argument: string
  readonly session: string
  readonly mount: string
}): Framework => ({
  ...framework,
  hasPages: false,
  layout: ({ entry, importEnding, isTypeScript, isModule, library }: Project) => {
    const folder = folderOf(entry)
    // CommonJS can require a module, but not be one.
    const isCommonJs = !isTypeScript && !isModule && !entry.endsWith(".mjs")
    const router = `./upload-router${isCommonJs ? ".mjs" : importEnding}`
    const path = (name: string) => `${folder}${name}.${isCommonJs ? "mts" : "ts"}`
    return {
      files: [
        toRouter(path("upload-router"), { door: framework.door, argument, session, hasHandler: true }),
        toClient(path("upload-client"), library, router),
      ],
      mount: {
        file: entry,
        code: `${isCommonJs ? `const { uploads } = require("${router}")` : `import { uploads } from "${router}"`}\n\n${mount}`,
      },
    }
  },
})

export const express = defineServer({
  name: "express",
  title: "Express",
  door: "express",
  packages: ["express"],
  argument: "req",
  session: `req.get("cookie")`,
  mount: `app.use("${names.adapterPath}", uploads) // before express.json()`,
})

export const fastify = defineServer({
  name: "fastify",
  title: "Fastify",
  door: "fastify",
  packages: ["fastify"],
  argument: "req",
  session: "req.headers.cookie",
  mount: `app.register(uploads, { prefix: "${names.adapterPath}" })`,
})

export const hono = defineServer({
  name: "hono",
  title: "Hono",
  door: "hono",
  packages: ["hono"],
  argument: "c",
  session: `c.req.header("cookie")`,
  mount: `app.all("${names.adapterPath}", uploads)`,
})

export const elysia = defineServer({
  name: "elysia",
  title: "Elysia",
  door: "elysia",
  packages: ["elysia"],
  argument: "context",
  session: `context.request.headers.get("cookie")`,
  mount: `app.use(uploads) // answers ${names.adapterPath}`,
})

export const h3 = defineServer({
  name: "h3",
  title: "h3",
  door: "h3",
  packages: ["h3"],
  argument: "event",
  session: `event.req.headers.get("cookie")`,
  mount: `app.all("${names.adapterPath}", uploads)`,
})

/** Node's own server, which is also what is assumed where no framework is found. */
export const node = defineServer({
  name: "node",
  title: "node:http",
  door: "node",
  packages: [],
  argument: "req",
  session: "req.headers.cookie",
  mount: `createServer((req, res) => {
  if (req.url?.startsWith("${names.adapterPath}")) return void uploads(req, res)
  // …
})`,
})

/** Whatever takes a function from `Request` to `Response`: Bun, Deno, Workers. */
export const fetchServer = defineServer({
  name: "fetch",
  title: "fetch (Bun, Deno, Workers)",
  door: "server",
  packages: [],
  argument: "request",
  session: `request.headers.get("cookie")`,
  mount: `export default {
  fetch: (request: Request) =>
    new URL(request.url).pathname === "${names.adapterPath}" ? uploads(request) : new Response("Not found", { status: 404 }),
}`,
})
