import { readFile } from "node:fs/promises"
import { createServer } from "node:http"
import { extname, join, normalize } from "node:path"
import { listen } from "../adapters/apps/listen.ts"

const types: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
}

/** Serves the files of a folder as any static host does: `/a/` is `/a/index.html`. */
export const serveFolder = (folder: string): Promise<{ origin: string; close: () => Promise<void> }> =>
  listen(
    createServer(async ({ url }, response) => {
      const { pathname } = new URL(url!, "http://localhost")
      const path = normalize(decodeURIComponent(pathname.endsWith("/") ? `${pathname}index.html` : pathname))
      try {
        const body = await readFile(join(folder, path))
        response.writeHead(200, { "content-type": types[extname(path)] ?? "application/octet-stream" }).end(body)
      } catch {
        response.writeHead(404).end()
      }
    }),
  )
