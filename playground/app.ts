import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { build } from "esbuild"
import { names } from "../src/protocol.ts"
import { createRouteHandler } from "../src/server.ts"
import { router } from "./router.ts"
import type { ServerLog } from "./server-log.ts"

/** What the app needs to know. */
export interface AppOptions {
  readonly token: string
  readonly ingestUrl: string
  /** The app's own address. */
  readonly url: string
  readonly log: ServerLog
  /** Called when the route handler has answered: which action it was, and the status. */
  readonly onAnswer?: (action: string, status: number) => void
}

const page = (file: string): string => join(import.meta.dirname, file)

/** The page, with a radio button for each route. */
const renderPage = async (): Promise<string> => {
  const routes = Object.keys(router).map((slug, index) => {
    const checked = index === 0 ? "checked" : ""
    // Browsers would restore the choice on a reload, but not what follows from it.
    return `<label><input type="radio" name="route" value="${slug}" ${checked} autocomplete="off" class="visually-hidden" />${slug}</label>`
  })
  return (await readFile(page("page.html"), "utf8")).replace("<!-- routes -->", routes.join(""))
}

/** The page's script with the client in it, made in memory. */
const bundlePage = async (): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [page("page.ts")],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
    minify: true,
    logLevel: "error",
  })
  return outputFiles[0]!.text
}

const describeAction = (request: Request): string => {
  const { searchParams } = new URL(request.url)
  const hook = request.headers.get(names.header.hook)
  if (hook !== null) return `${hook} from the ingest`
  return searchParams.get(names.action.type) ?? "routes"
}

/**
 * The playground's app: a page, its log, and the file routes.
 *
 * @returns a fetch handler, as every framework's app ends up being one
 */
export const createApp = async (options: AppOptions): Promise<(request: Request) => Promise<Response>> => {
  const { token, ingestUrl, url, log, onAnswer } = options
  const handleUpload = createRouteHandler({
    router,
    token,
    ingestUrl,
    callbackUrl: url + names.adapterPath,
    logLevel: "Info",
    // The ingest reaches this app, so callbacks come the way they do in production.
    isDev: false,
  })
  const [html, css, components, script] = await Promise.all([
    renderPage(),
    readFile(page("page.css"), "utf8"),
    readFile(page("../src/ui/styles.css"), "utf8"),
    bundlePage(),
  ])
  const assets = new Map([
    ["/", { type: "text/html; charset=utf-8", body: html }],
    ["/sluice.css", { type: "text/css", body: components }],
    ["/page.css", { type: "text/css", body: css }],
    ["/page.js", { type: "text/javascript", body: script }],
  ])
  return async (request) => {
    const { pathname } = new URL(request.url)
    if (pathname === names.adapterPath) {
      const response = await handleUpload(request)
      const action = describeAction(request)
      if (action !== "routes") {
        log.record("app", response.ok ? "info" : "warn", `${action} → ${response.status}`)
      }
      onAnswer?.(action, response.status)
      return response
    }
    if (pathname === "/events") {
      return new Response(log.toEventStream(), {
        headers: { "content-type": "text/event-stream", "cache-control": "no-store" },
      })
    }
    const asset = assets.get(pathname)
    if (asset === undefined) return new Response("Not found\n", { status: 404 })
    return new Response(asset.body, {
      headers: { "content-type": asset.type, "cache-control": "no-store" },
    })
  }
}
