import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { Browser, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest"
import { findFreePort, listen } from "../adapters/apps/listen.ts"
import { bundleElement } from "../browser/bundle.ts"
import { launchChromium } from "../browser/chromium.ts"
import { pixel } from "../browser/pixel.ts"

let browser: Browser
const scripts: Record<string, string> = {}
let page: Page
let said: Array<string>
let undo: Array<() => Promise<void>>

beforeAll(async () => {
  browser = await launchChromium()
  for (const mode of ["development", "production"]) scripts[mode] = await bundleElement(mode)
})
afterAll(() => browser?.close())
beforeEach(async () => {
  undo = []
  said = []
  page = await browser.newPage()
  page.on("console", (message) => {
    if (message.text().startsWith("Sluice:")) said.push(message.text())
  })
})
afterEach(async () => {
  await page.close()
  for (const close of undo) await close()
})

type Handle = (request: IncomingMessage, response: ServerResponse) => unknown

const serve = async (handle: Handle): Promise<string> => {
  const { origin, close } = await listen(createServer(handle))
  undo.push(close)
  return origin
}

const limits = { maxFileSize: "4MB", maxFileCount: 1, minFileCount: 1 }
const routes = JSON.stringify([{ slug: "avatar", config: { image: limits } }])

/** A page with a dropzone, on a server that handles all else as is said. */
const open = async (handle: Handle, url = "/api/sluice", mode = "development") => {
  const site = await serve((request, response) => {
    if (request.url === "/page.js") {
      return response.setHeader("content-type", "text/javascript").end(scripts[mode])
    }
    if (request.url !== "/") return handle(request, response)
    return response
      .setHeader("content-type", "text/html")
      .end(
        `<!doctype html><link rel="icon" href="data:,"><style>:root { --sluice-styles: own }</style><sluice-dropzone endpoint="avatar" mode="auto" url="${url}"></sluice-dropzone><script type="module" src="/page.js"></script>`,
      )
  })
  await page.goto(site)
  return site
}
/** What Sluice has written by the time that it has written something. */
const hear = async () => {
  if (said.length === 0) {
    await page.waitForEvent("console", { predicate: (message) => message.text().startsWith("Sluice:") })
  }
  return said
}

test("an app of another origin that pages may not read is told from one that is not there", async () => {
  const app = await serve((_, response) => response.end(routes))
  const site = await open(() => {}, `${app}/api/sluice`)
  expect(await hear()).toEqual([
    `Sluice: NETWORK_ERROR: ${app}/api/sluice answers, but ${site} may not read the answer: CORS. Let the app answer with access-control-allow-origin: ${site}, and its preflight requests too: node_modules/sluice/docs/another-origin.md`,
  ])
})

test("an app that is not there is said to be silent", async () => {
  const dead = `http://127.0.0.1:${await findFreePort()}`
  await open(() => {}, `${dead}/api/sluice`)
  expect(await hear()).toEqual([expect.stringMatching(`Nothing answers at ${dead}/api/sluice. .*connect-src`)])
})

test("a redirect to a login of another origin is told before anything is chosen", async () => {
  const login = await serve((_, response) => response.end("Sign in"))
  const site = await open((_, response) => response.writeHead(307, { location: `${login}/login` }).end())
  expect(await hear()).toEqual([
    `Sluice: NETWORK_ERROR: ${site}/api/sluice redirects to another origin, as a login does. Let /api/sluice through in the middleware that redirects.`,
  ])
})

test("a redirect to the app's own login is told before anything is chosen", async () => {
  const site = await open((request, response) =>
    request.url === "/login"
      ? response.setHeader("content-type", "text/html").end("Sign in")
      : response.writeHead(307, { location: "/login" }).end(),
  )
  expect(await hear()).toEqual([
    `Sluice: INVALID_CONFIG: The answer for the app (${site}/login) does not fit the request. Check its URL and any proxy. The app redirects /api/sluice to /login: let /api/sluice through in the middleware that redirects.`,
  ])
})

/** An app that signs uploads to this address, and a file that is chosen for it. */
const upload = async (ingest: string) => {
  await open((request, response) => {
    response.setHeader("content-type", "application/json")
    return response.end(request.method === "GET" ? routes : JSON.stringify([{ url: `${ingest}/key?signature=1` }]))
  })
  await page.locator('[data-component="dropzone"][data-state="idle"]').waitFor()
  await page.setInputFiles("input[type=file]", { name: "a.png", mimeType: "image/png", buffer: Buffer.from(pixel) })
}

test("an ingest that is not there is told once, at the first try", async () => {
  const ingest = `http://127.0.0.1:${await findFreePort()}`
  await upload(ingest)
  await page.getByText("The server cannot be reached, trying again").first().waitFor()
  expect(await hear()).toEqual([expect.stringMatching(/no answer from the ingest\. Does it run .*connect-src/)])
  // And not again at the next ones.
  const again = page.waitForRequest((request) => request.url().startsWith(ingest))
  await page
    .getByRole("button", { name: /^Try now/ })
    .first()
    .click()
  await again
  await page
    .getByRole("button", { name: /^Try now/ })
    .first()
    .waitFor()
  expect(said).toHaveLength(1)
})

test("a try that the ingest answered with an error is not taken for a lost connection", async () => {
  let failures = 2
  const ingest = await serve((request, response) => {
    response.setHeader("access-control-allow-origin", "*").setHeader("access-control-allow-headers", "*")
    response.setHeader("access-control-allow-methods", "*").setHeader("access-control-expose-headers", "*")
    if (request.method === "OPTIONS") return response.end()
    request.resume()
    if (request.method === "HEAD") return response.setHeader("x-sluice-range-start", "0").end()
    if (failures-- > 0) return response.writeHead(500).end()
    return response
      .setHeader("content-type", "application/json")
      .end(JSON.stringify({ key: "key", url: "", appUrl: "" }))
  })
  await upload(ingest)
  await page.getByText("The server answered with an error, trying again").first().waitFor()
  await page.locator('[data-component="dropzone"][data-state="done"]').waitFor()
  expect(said).toEqual([])
})

test("in production nobody knocks, and the console has nothing of it", async () => {
  let asked = 0
  const app = await serve((_, response) => {
    asked++
    response.end(routes)
  })
  await open(() => {}, `${app}/api/sluice`, "production")
  // As often as it tries for the routes.
  await page.locator('[data-state="idle"]').waitFor({ timeout: 60_000 })
  expect(asked).toBe(5)
  expect(said).toEqual([])
})
