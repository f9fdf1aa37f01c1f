import { readFile } from "node:fs/promises"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { fromWebHandler, H3, serve } from "h3"

/*
 * Serves an app that a Vite plugin has built, as Nitro does it, on h3 and its server:
 * `node serve-build.ts <module with a fetch handler> <its upload.html>`, listens on PORT.
 */
const [entry, page] = process.argv.slice(2) as [string, string]
const { default: app } = (await import(pathToFileURL(resolve(entry)).href)) as {
  readonly default: { readonly fetch: (request: Request) => Promise<Response> }
}
const html = await readFile(page, "utf8")

serve(
  new H3()
    .get("/nested/upload.html", () => new Response(html, { headers: { "content-type": "text/html" } }))
    .all(
      "/**",
      fromWebHandler((request) => app.fetch(request)),
    ),
  { hostname: "127.0.0.1" },
)
