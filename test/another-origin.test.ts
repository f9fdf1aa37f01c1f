import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { getRequestListener } from "@hono/node-server"
import { build } from "esbuild"
import type { Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest"
import { toNodeListener } from "../adapters/node.ts"
import { createDiskBlobStore, createIngest, createMemoryCatalog } from "../src/ingest.ts"
import { encodeToken } from "../src/protocol.ts"
import { pixel } from "./browser/pixel.ts"
import { useWindow } from "./browser/use-window.ts"
import { readBlocks } from "./code-blocks.ts"

const root = join(import.meta.dirname, "..")
const markdown = await readFile(join(root, "docs/another-origin.md"), "utf8")
const blocks = readBlocks(markdown)
const [, element = ""] = /```html\n([\s\S]*?)```/.exec(markdown) ?? []

/** What each block makes of itself for `node:http`. */
const servers = {
  "express.ts": ({ app }: { app: RequestListener }) => app,
  "hono.ts": ({ app }: { app: { fetch: (request: Request) => Promise<Response> } }) => getRequestListener(app.fetch),
  "fastify.ts": async ({ app }: { app: { ready: () => Promise<unknown>; routing: RequestListener } }) => {
    await app.ready()
    return app.routing
  },
  "h3.ts": ({ app }: { app: { fetch: (request: Request) => Promise<Response> } }) => toNodeListener(app.fetch),
  "node.ts": ({ app }: { app: { listeners: (name: string) => Array<RequestListener> } }) =>
    app.listeners("request")[0]!,
  "fetch.ts": ({ handle }: { handle: (request: Request) => Promise<Response> }) => toNodeListener(handle),
} as const satisfies Record<string, (module: any) => RequestListener | Promise<RequestListener>>

let folder: string
let script: string
const closing: Array<() => Promise<unknown> | void> = []
const window = useWindow()

/** Bundles a module whose imports of the package are its sources. */
const bundle = async (entry: string, outfile: string | undefined) => {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    format: "esm",
    platform: outfile === undefined ? "browser" : "node",
    ...(outfile === undefined ? { write: false } : { outfile, packages: "external" }),
    alias: Object.fromEntries(
      ["client", "server"]
        .map((door) => [`sluice/${door}`, join(root, `src/${door}.ts`)])
        .concat(
          ["express", "hono", "fastify", "h3", "node"].map((door) => [
            `sluice/${door}`,
            join(root, `adapters/${door}.ts`),
          ]),
          [["sluice/element", join(root, "bindings/element.ts")]],
        ),
    ),
  })
  return outputFiles?.[0]!.text ?? ""
}

beforeAll(async () => {
  // Inside the repository, so that frameworks are found.
  await mkdir(join(root, "node_modules/.cache"), { recursive: true })
  folder = await mkdtemp(join(root, "node_modules/.cache/another-origin-"))
  for (const { path, code } of blocks) {
    await mkdir(join(folder, path, ".."), { recursive: true })
    await writeFile(join(folder, path), code)
  }
  await writeFile(
    join(folder, "page.ts"),
    `import "sluice/element"\nimport { generateUploader } from "sluice/client"\nObject.assign(window, { generateUploader })\n`,
  )
  script = await bundle(join(folder, "page.ts"), undefined)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const listen = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

let seen: Array<{ readonly at: string; readonly method: string; readonly cookie: string | undefined }>
let page: Page
let pageUrl: string

/** Starts what a block describes, and opens a page of another origin. */
const start = async (block: keyof typeof servers): Promise<string> => {
  const note =
    (at: string, listener: RequestListener): RequestListener =>
    (request, response) => {
      seen.push({ at, method: request.method!, cookie: request.headers.cookie })
      return listener(request, response)
    }
  const store = await mkdtemp(join(tmpdir(), "sluice-origin-"))
  const ingestListener: { current?: RequestListener } = {}
  const ingestUrl = await listen(note("ingest", (...args) => ingestListener.current?.(...args)))
  const token = encodeToken({ apiKey: "sk_test_of_origins", appId: "origins", regions: ["local"], ingestUrl })
  const ingest = createIngest({
    token,
    url: ingestUrl,
    store: createDiskBlobStore({ folder: store }),
    catalog: createMemoryCatalog(),
    logLevel: "None",
  })
  ingestListener.current = toNodeListener((request) => ingest.fetch(request))
  closing.push(async () => {
    await ingest.close()
    await rm(store, { recursive: true, force: true })
  })

  pageUrl = await listen((request, response) => {
    const isScript = request.url === "/page.js"
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html")
    response.end(
      isScript
        ? script
        : `<!doctype html><link rel="icon" href="data:,"><script type="module" src="/page.js"></script><main></main>`,
    )
  })
  vi.stubEnv("PAGE_ORIGIN", pageUrl)
  vi.stubEnv("SLUICE_TOKEN", token)
  vi.stubEnv("SLUICE_IS_DEV", "false")
  vi.stubEnv("SLUICE_LOG_LEVEL", "None")
  vi.stubEnv("NODE_ENV", "test")
  const outfile = join(folder, `${block}-${Date.now()}.mjs`)
  await bundle(join(folder, block), outfile)
  const toListener = servers[block] as (module: unknown) => RequestListener | Promise<RequestListener>
  const app = await toListener(await import(pathToFileURL(outfile).href))
  const appUrl = `${await listen(note("app", app))}/api/sluice`
  await page.goto(pageUrl)
  return appUrl
}

const upload = (url: string, credentials?: RequestCredentials) =>
  page.evaluate(
    async ([url, credentials]) => {
      const { generateUploader } = globalThis as unknown as typeof import("../src/client.ts")
      const uploader = generateUploader({
        url,
        retry: { attempts: 1 },
        ...(credentials && { credentials: credentials as "include" }),
      })
      const [outcome] = await uploader.uploadFiles("avatar", {
        files: [new File(["abc"], "a.gif", { type: "image/gif" })],
      })
      return outcome?.status === "done"
        ? { status: "done", serverData: outcome.serverData }
        : { status: outcome?.status, code: outcome?.error.code, detail: outcome?.error.detail }
    },
    [url, credentials] as const,
  )

beforeEach(async () => {
  seen = []
  page = await window().newPage()
  // Cookies are of a host, whatever its port.
  await window().addCookies([{ name: "session", value: "1", url: "http://127.0.0.1" }])
})
afterEach(async () => {
  await page.close()
  await window().clearCookies()
  while (closing.length > 0) await closing.pop()!()
  vi.unstubAllEnvs()
})

describe.each(Object.keys(servers) as Array<keyof typeof servers>)("the lines for %s", (block) => {
  test("let a page of another origin upload with the app's cookies, which the ingest never sees", async () => {
    const url = await start(block)
    expect(await upload(url, "include")).toMatchObject({ status: "done", serverData: { url: expect.any(String) } })
    expect(seen).toContainEqual({ at: "app", method: "OPTIONS", cookie: undefined })
    expect(seen).toContainEqual({ at: "app", method: "POST", cookie: "session=1" })
    const atIngest = seen.filter(({ at, method }) => at === "ingest" && ["PUT", "POST", "HEAD"].includes(method))
    // The app's registration, and the page's file.
    expect(atIngest.map(({ method, cookie }) => [method, cookie])).toEqual([
      ["POST", undefined],
      ["POST", undefined],
    ])
  })

  test("let it read why it is refused, without cookies", async () => {
    const url = await start(block)
    expect(await upload(url)).toEqual({ status: "failed", code: "FORBIDDEN", detail: "Sign in first." })
    await window().clearCookies()
    expect(await upload(url, "include")).toEqual({ status: "failed", code: "FORBIDDEN", detail: "Sign in first." })
  })
})

test("the element asks and uploads with credentials", async () => {
  const url = await start("express.ts")
  await page.evaluate(
    (html) => {
      document.querySelector("main")!.innerHTML = html
    },
    element.replace("https://app.example.com/api/sluice", url),
  )
  await page.locator('[data-sluice="container"][data-state="idle"]').waitFor()
  expect(seen).toContainEqual({ at: "app", method: "GET", cookie: "session=1" })
  await page.getByLabel("Choose a file").setInputFiles({ name: "a.png", mimeType: "image/png", buffer: pixel })
  await page.locator('[data-sluice="container"][data-state="done"]').waitFor()
  expect(seen.filter(({ at, cookie }) => at === "ingest" && cookie !== undefined)).toEqual([])
})

test("an origin that is not named gets nothing to read", async () => {
  const url = await start("express.ts")
  const elsewhere = new URL(pageUrl)
  elsewhere.hostname = "localhost"
  await page.goto(elsewhere.href).catch(() => undefined)
  expect(await upload(url, "include")).toMatchObject({ status: "failed", code: "NETWORK_ERROR" })
  expect(seen.filter(({ method }) => method === "POST")).toEqual([])
})
