import { mkdtemp, rm } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { toNodeListener } from "../../adapters/node.ts"
import { createDiskBlobStore, createIngest, createMemoryCatalog } from "../../src/ingest.ts"
import { encodeToken, names, problemMediaType } from "../../src/protocol.ts"
import { createRouteHandler, type FileRouter } from "../../src/server.ts"
import { router as usual } from "./apps/router.ts"

/** One request with bytes, as the ingest saw it: a PUT, or the POST of a small file. */
export interface SeenPut {
  readonly file: string
  readonly key: string
  /** A POST says none, which means the whole file. */
  readonly range: string
}

/**
 * Bytes: more than the buffers between a browser and the ingest take (4.4 MB in Chromium on Linux). A smaller file that is
 * held is sent to its end as far as the page can know, and is `processing` a second later.
 */
export const heldSize = 6_000_000

/** A website with upload components, the app behind it and an ingest, on real sockets. */
export interface Site {
  readonly url: string
  readonly ingestUrl: string
  /** The app's. */
  readonly token: string
  readonly puts: ReadonlyArray<SeenPut>
  /** Those under way now. */
  readonly inFlight: () => number
  /**
   * Lets each request with bytes of a file have so many, then wait. Until it is let go on nobody reads, and so nobody notices
   * that the browser has closed the connection. A file that is to stay `uploading` has at least {@link heldSize}.
   *
   * @returns lets them go on
   */
  readonly hold: (file: string, bytes: number) => () => void
  /** Answers the next requests with bytes of a file with an error. */
  readonly refuse: (file: string, status: number, times: number) => void
  /** Lets the app's answers to the ingest wait. @returns lets them go on */
  readonly holdCallbacks: () => () => void
  /** Whether the app answers the ingest, or only what stands before it does. */
  isAway: boolean
  /** Whether in the place of the ingest only what stands before it answers. */
  isIngestAway: boolean
  /** Whether the route handler answers GET. */
  describesRoutes: boolean
  /** How the newest upload of a file of this name stands at the ingest; undefined where it knows none. */
  readonly statusOf: (file: string) => Promise<string | undefined>
  /** The ingest looks for files whose time is over as it will in so many ms: it deletes them. */
  readonly letTimePass: (ms: number) => Promise<void>
  readonly close: () => Promise<void>
}

interface Gate {
  readonly bytes: number
  readonly open: Promise<void>
}

const listen = async (handle: (request: Request) => Promise<Response>) => {
  const server = createServer(toNodeListener(handle))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Passes bytes on until the gate's are used up, then waits for it to open. */
const throttle = (body: ReadableStream<Uint8Array>, { bytes, open }: Gate): ReadableStream<Uint8Array> => {
  let left = bytes
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: async (chunk, controller) => {
        if (left >= chunk.length) {
          left -= chunk.length
          return controller.enqueue(chunk)
        }
        if (left > 0) controller.enqueue(chunk.slice(0, left))
        const rest = chunk.slice(left)
        left = 0
        await open
        left = Number.POSITIVE_INFINITY
        controller.enqueue(rest)
      },
    }),
  )
}

const html = (body: string, nonce?: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="color-scheme" content="light dark" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Uploads</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="/styles.css" />
  </head>
  <body>
    <main>
      <h1>Uploads</h1>
      <div id="root">${body}</div>
      <label>Notes <input id="notes" /></label>
    </main>
    <script type="module" src="/page.js"${nonce === undefined ? "" : ` nonce="${nonce}"`}></script>
  </body>
</html>`

/**
 * Starts a site.
 *
 * @param page its script, style sheet, and what the server has rendered into it
 */
export const startSite = async (page: {
  readonly script: string
  readonly styles?: string
  readonly body?: string | (() => string | Promise<string>)
  /** What is uploaded to, if not to test/bindings/apps/router.ts. */
  readonly router?: FileRouter
  /** The app's other routes. */
  readonly handle?: (request: Request) => Promise<Response> | undefined
  /** ms that an upload waits for the app, or for a verdict. */
  readonly callbackWait?: number
  /** Its Content Security Policy, for the ingest's origin. */
  readonly policy?: (ingest: string) => string
  /** On its script. */
  readonly nonce?: string
}): Promise<Site> => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-site-"))
  const apiKey = "sk_test_of_the_bindings"
  const puts: Array<SeenPut> = []
  const gates = new Map<string, Gate>()
  const refusals = new Map<string, { readonly status: number; left: number }>()
  let inFlight = 0

  const site = { describesRoutes: true, isAway: false, isIngestAway: false }
  const ingestServer = await listen(async (request) => {
    if (site.isIngestAway) return new Response("Bad Gateway", { status: 502 })
    const url = new URL(request.url)
    const file = url.searchParams.get(names.query.fileName) ?? ""
    // The app posts too, to addresses that name no file.
    const isUpload = request.method === "PUT" || (request.method === "POST" && file !== "")
    if (!isUpload) return ingest.fetch(request)
    puts.push({ file, key: url.pathname.slice(1), range: request.headers.get("range") ?? "bytes=0-" })
    const refusal = refusals.get(file)
    if (refusal !== undefined && refusal.left-- > 0) {
      await request.body?.cancel()
      const code = refusal.status < 500 ? "FORBIDDEN" : "INTERNAL_ERROR"
      return new Response(JSON.stringify({ code, detail: "Broken on purpose." }), {
        status: refusal.status,
        headers: { "content-type": problemMediaType, "access-control-allow-origin": "*" },
      })
    }
    const gate = gates.get(file)
    inFlight++
    try {
      if (gate === undefined || request.body === null) return await ingest.fetch(request)
      const { method, headers, signal } = request
      const body = throttle(request.body, gate)
      return await ingest.fetch(
        new Request(request.url, { method, headers, signal, body, duplex: "half" } as RequestInit),
      )
    } finally {
      inFlight--
    }
  })
  const token = encodeToken({ apiKey, appId: "bindings", regions: ["local"], ingestUrl: ingestServer.url })
  const catalog = createMemoryCatalog()
  const ingest = createIngest({
    token,
    url: ingestServer.url,
    store: createDiskBlobStore({ folder }),
    catalog,
    logLevel: "None",
    ...(page.callbackWait !== undefined && { callbackWait: page.callbackWait }),
  })

  let callbacks: Promise<void> | undefined
  const handleUpload = createRouteHandler({ router: page.router ?? usual, token, logLevel: "None", isDev: false })
  const assets = new Map([
    ["/page.js", { type: "text/javascript; charset=utf-8", body: page.script }],
    ["/styles.css", { type: "text/css; charset=utf-8", body: `body { background: Canvas }\n${page.styles ?? ""}` }],
  ])
  const appServer = await listen(async (request) => {
    const { pathname } = new URL(request.url)
    if (pathname === names.adapterPath) {
      if (request.method === "GET" && !site.describesRoutes) return new Response("down", { status: 404 })
      if (request.headers.has(names.header.hook)) {
        await callbacks
        if (site.isAway) return new Response("Bad Gateway", { status: 502 })
      }
      return handleUpload(request)
    }
    const answer = page.handle?.(request)
    if (answer !== undefined) return answer
    const { body = "" } = page
    const start = {
      type: "text/html; charset=utf-8",
      body: html(typeof body === "string" ? body : await body(), page.nonce),
    }
    const asset = pathname === "/" ? start : assets.get(pathname)
    if (asset === undefined) return new Response("Not found", { status: 404 })
    const headers = new Headers({ "content-type": asset.type, "cache-control": "no-store" })
    if (page.policy !== undefined) headers.set("content-security-policy", page.policy(ingestServer.url))
    return new Response(asset.body, { headers })
  })

  return Object.assign(site, {
    url: appServer.url,
    ingestUrl: ingestServer.url,
    token,
    puts,
    inFlight: () => inFlight,
    hold: (file: string, bytes: number) => {
      const { promise: open, resolve } = Promise.withResolvers<void>()
      gates.set(file, { bytes, open })
      return () => {
        gates.delete(file)
        resolve()
      }
    },
    holdCallbacks: () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      callbacks = promise
      return resolve
    },
    statusOf: async (file: string) => (await catalog.list({ limit: 1000 })).find(({ name }) => name === file)?.status,
    letTimePass: async (ms: number) => {
      await catalog.deleteOverdue({ now: Date.now() + ms, limit: 1000 })
    },
    refuse: (file: string, status: number, times: number) => {
      refusals.set(file, { status, left: times })
    },
    close: async () => {
      await appServer.close()
      await ingest.close()
      await ingestServer.close()
      await rm(folder, { recursive: true, force: true })
    },
  })
}
