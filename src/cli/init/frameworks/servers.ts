import { names } from "../../../protocol.ts"
import type { Framework } from "../framework.ts"
import { folderOf, type Project } from "../read-project.ts"
import { toClient, toRouter } from "../templates.ts"

/** A framework whose routes are in a file of the user's own: the lines that mount them are shown, not written. */
const defineServer = ({
  argument,
  session,
  mount,
  components,
  server,
  ...framework
}: Omit<Framework, "hasPages" | "layout"> & {
  readonly argument: string
  readonly session: string
  readonly mount: string
  /** The same, and also serves the package's component files: for pages that no bundler makes. */
  readonly components?: { readonly imports: ReadonlyArray<string>; readonly mount: string }
  /** A server that only serves `index.html`, where that needs no bundler. */
  readonly server?: {
    readonly imports: ReadonlyArray<string>
    readonly around: (mount: string, hasPage: boolean) => string
  }
}): Framework => ({
  ...framework,
  hasPages: false,
  layout: (project: Project) => {
    const { entry, imports, isTypeScript, isModule, library, packages, has, hasVitePage, home } = project
    const folder = folderOf(entry)
    // CommonJS can require an ES module, but cannot be one.
    const isCommonJs = !isTypeScript && !isModule && !entry.endsWith(".mjs")
    const router = `./upload-router${isCommonJs ? ".mjs" : imports.ending}`
    const isBundled = library !== "client" || [nest, ...bundlers].some((name) => packages.has(name))
    const served = isBundled ? undefined : components
    const toImport = (line: string) =>
      isCommonJs ? line.replace(/^import (.*) from (".*")$/, "const $1 = require($2)") : line
    const path = (name: string) => `${folder}${name}.${isCommonJs ? "mts" : "ts"}`
    const ownImports = [...(served?.imports ?? []), `import { uploads } from "${router}"`]
    const lines = (served?.mount ?? mount).replaceAll("node_modules/sluice", home)
    // Where Vite makes the page from src/, the page's side belongs there.
    const isApart = hasVitePage && has("src") && !folder.startsWith("src/")
    const client = isApart
      ? toClient("src/upload-client.ts", library, `../${folder}upload-router${imports.ending}`)
      : toClient(path("upload-client"), library, router)
    return {
      files: [
        toRouter(path("upload-router"), { door: framework.door, argument, session, hasHandler: true }),
        ...(served === undefined ? [client] : []),
      ],
      mount: {
        file: entry,
        code: [...ownImports.map(toImport), "", lines].join("\n"),
        ...(server && {
          whole: [
            ...[...new Set([...server.imports, ...ownImports])].map(toImport),
            "",
            server.around(lines, served !== undefined),
          ].join("\n"),
        }),
      },
      markup: served && markup,
    }
  },
})

/** A framework of servers whose pages are other projects. */
const nest = "@nestjs/core"

/** Tools that bundle files for the browser and resolve packages by name. */
const bundlers = ["vite", "esbuild", "webpack", "rollup", "parcel", "@rsbuild/core", "rolldown", "tsup", "tsdown"]

/** A file of the package for browsers; the other files are in folders. */
const assetPath = String.raw`/^\/sluice\/([\w-]+\.(js|css))$/`

const markup = `<link rel="stylesheet" href="/sluice/styles.css" />
<script type="module" src="/sluice/element.js"></script>
<sluice-button endpoint="avatar"></sluice-button>`

export const express = defineServer({
  name: "express",
  title: "Express",
  door: "express",
  packages: ["express", "@nestjs/platform-express"],
  argument: "req",
  session: `req.get("cookie")`,
  mount: `app.use("${names.adapterPath}", uploads) // before express.json()`,
  components: {
    imports: [],
    mount: `app.use("${names.adapterPath}", uploads) // before express.json()
app.use("/sluice", express.static("node_modules/sluice/dist"))`,
  },
  server: {
    imports: [`import express from "express"`],
    around: (uploads, hasPage) => `const app = express()
${uploads}
${hasPage ? `app.get("/", (req, res) => res.sendFile("index.html", { root: "." }))\n` : ""}app.listen(process.env.PORT ?? 3000)`,
  },
})

export const fastify = defineServer({
  name: "fastify",
  title: "Fastify",
  door: "fastify",
  packages: ["fastify", "@nestjs/platform-fastify"],
  argument: "req",
  session: "req.headers.cookie",
  mount: `app.register(uploads, { prefix: "${names.adapterPath}" })`,
  components: {
    imports: [`import { createReadStream } from "node:fs"`],
    mount: `app.register(uploads, { prefix: "${names.adapterPath}" })
app.get("/sluice/*", (req, reply) => {
  const [, file, ending] = ${assetPath}.exec(req.url) ?? []
  if (!file) return reply.callNotFound()
  return reply
    .type(ending === "js" ? "text/javascript" : "text/css")
    .send(createReadStream(\`node_modules/sluice/dist/\${file}\`))
})`,
  },
  server: {
    imports: [`import fastify from "fastify"`],
    around: (uploads, hasPage) => `const app = fastify()
${uploads}
${hasPage ? `app.get("/", (req, reply) => reply.type("text/html").send(createReadStream("index.html")))\n` : ""}app.listen({ port: Number(process.env.PORT ?? 3000) })`,
  },
})

export const hono = defineServer({
  name: "hono",
  title: "Hono",
  door: "hono",
  packages: ["hono"],
  argument: "c",
  session: `c.req.header("cookie")`,
  mount: `app.all("${names.adapterPath}", uploads)`,
  components: {
    imports: [`import { serveStatic } from "@hono/node-server/serve-static"`],
    mount: `app.all("${names.adapterPath}", uploads)
app.use(
  "/sluice/*",
  serveStatic({ root: "node_modules/sluice/dist", rewriteRequestPath: (path) => path.slice("/sluice".length) }),
)`,
  },
  server: {
    imports: [`import { serve } from "@hono/node-server"`, `import { Hono } from "hono"`],
    around: (uploads, hasPage) => `const app = new Hono()
${uploads}
${hasPage ? `app.get("/", serveStatic({ path: "index.html" }))\n` : ""}serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) })`,
  },
})

export const elysia = defineServer({
  name: "elysia",
  title: "Elysia",
  door: "elysia",
  packages: ["elysia"],
  argument: "context",
  session: `context.request.headers.get("cookie")`,
  mount: `app.use(uploads) // answers ${names.adapterPath}`,
  server: {
    imports: [`import { Elysia } from "elysia"`],
    around: (uploads) => `const app = new Elysia()\n${uploads}\napp.listen(3000)`,
  },
})

export const h3 = defineServer({
  name: "h3",
  title: "h3",
  door: "h3",
  packages: ["h3"],
  argument: "event",
  session: `event.req.headers.get("cookie")`,
  mount: `app.all("${names.adapterPath}", uploads)`,
  server: {
    imports: [`import { H3, serve } from "h3"`],
    around: (uploads) => `const app = new H3()\n${uploads}\nserve(app, { port: 3000 })`,
  },
})

/** Node's own server, also assumed where no framework is found. */
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
  components: {
    imports: [`import { createReadStream } from "node:fs"`],
    mount: `createServer((req, res) => {
  if (req.url?.startsWith("${names.adapterPath}")) return void uploads(req, res)
  const [, file, ending] = ${assetPath}.exec(req.url ?? "") ?? []
  if (file) {
    res.setHeader("content-type", ending === "js" ? "text/javascript" : "text/css")
    return void createReadStream(\`node_modules/sluice/dist/\${file}\`)
      .on("error", () => res.writeHead(404).end())
      .pipe(res)
  }
  // …
})`,
  },
  server: {
    imports: [`import { createServer } from "node:http"`],
    around: (uploads, hasPage) =>
      `${uploads.replace("// …", () => (hasPage ? `res.setHeader("content-type", "text/html")\n  createReadStream("index.html").pipe(res)` : "res.writeHead(404).end()"))}.listen(process.env.PORT ?? 3000)`,
  },
})

/** Anything that takes a function from `Request` to `Response`: Bun, Deno, Workers. */
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
