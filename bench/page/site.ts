import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { build } from "esbuild"
import { compileSvelte } from "../../test/bindings/compile-svelte.ts"
import { peersFolder } from "../peers.ts"

const bundle = async (app: string) => {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, "apps", `${app}.mjs`)],
    outdir: "out",
    bundle: true,
    splitting: true,
    minify: !process.env["BENCH_PROFILE"],
    write: false,
    format: "esm",
    platform: "browser",
    target: "es2022",
    conditions: ["browser", "svelte"],
    nodePaths: [join(peersFolder, "node_modules")],
    define: { "process.env.NODE_ENV": '"production"' },
    plugins: [compileSvelte("client")],
    logLevel: "error",
  })
  return new Map(outputFiles.map(({ path, contents }) => [path.slice(path.lastIndexOf("/")), contents]))
}

/** Where an app of `apps` is served. */
interface Site {
  readonly url: string
  readonly stop: () => void
}

/**
 * Serves a page with one app, bundled as for production.
 *
 * @param script what the page runs before the app
 * @param handle answers requests below `/api`
 */
export const serveApp = async (
  app: string,
  script = "",
  handle?: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Site> => {
  const files = await bundle(app)
  const style = files.has(`/${app}.css`) ? `<link rel="stylesheet" href="/${app}.css">` : ""
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${app}</title><link rel="icon" href="data:,">
${style}<script>${script}</script><body><main id="root"></main><script type="module" src="/${app}.js"></script>`
  const server = createServer((request, response) => {
    const path = request.url ?? ""
    if (path.startsWith("/api/") && handle !== undefined) return handle(request, response)
    const content = path === "/" ? html : files.get(path)
    const type = path.endsWith(".js") ? "text/javascript" : path.endsWith(".css") ? "text/css" : "text/html"
    response.writeHead(content === undefined ? 404 : 200, { "content-type": type }).end(content)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, stop: () => server.close() }
}
