import { readFile } from "node:fs/promises"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { build } from "esbuild"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { launchChromium } from "../browser/chromium.ts"

/** What the page's script does, as a story of a component would. */
const script = `
  import { setupWorker } from "msw/browser"
  import { generateUploader } from "./src/client.ts"
  import { createUploadMock } from "./src/msw.ts"
  const uploads = createUploadMock({ routes: { avatar: { serverData: ({ file }) => ({ size: file.size }) } } })
  const worker = setupWorker(...uploads.handlers)
  const { uploadFiles } = generateUploader({ retry: { attempts: 2, delay: 1 } })
  const upload = async () => {
    const progress = []
    const file = new File([new Uint8Array(300_000).fill(7)], "a.png", { type: "image/png" })
    const onUploadProgress = (event) => progress.push(event.progress)
    const [{ status, serverData, error, url }] = await uploadFiles("avatar", { files: [file], onUploadProgress })
    return { status, serverData, code: error?.code, url, progress }
  }
  window.mock = { uploads, upload, started: worker.start({ quiet: true, onUnhandledFrame: "bypass" }) }
`

declare global {
  interface Window {
    mock: {
      readonly started: Promise<unknown>
      readonly uploads: {
        readonly fail: (slug: string, code: string, options?: object) => void
        readonly files: ReadonlyArray<{ readonly bytes: Uint8Array }>
      }
      readonly upload: () => Promise<{ readonly url: string }>
    }
  }
}

let browser: Browser
let server: Server
let page: Page

beforeAll(async () => {
  const root = new URL("../..", import.meta.url).pathname
  const { outputFiles } = await build({
    stdin: { contents: script, resolveDir: root },
    bundle: true,
    write: false,
    format: "iife",
    platform: "browser",
  })
  const served: Record<string, readonly [type: string, body: string]> = {
    "/": ["text/html", `<!doctype html><link rel="icon" href="data:,"><script src="/page.js"></script>`],
    "/page.js": ["text/javascript", outputFiles[0]!.text],
    "/mockServiceWorker.js": [
      "text/javascript",
      await readFile(`${root}/node_modules/msw/lib/mockServiceWorker.js`, "utf8"),
    ],
  }
  server = createServer((request, response) => {
    const [type, body] = served[request.url!] ?? ["text/plain", "not mocked"]
    response.writeHead(served[request.url!] === undefined ? 404 : 200, { "content-type": type }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  browser = await launchChromium()
  page = await browser.newPage()
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  await page.evaluate(async () => void (await window.mock.started))
})
afterAll(async () => {
  await browser?.close()
  server?.close()
})

test("in a browser uploads reach the mock through MSW's service worker, and can be read from it", async () => {
  const outcome = await page.evaluate(() => window.mock.upload())
  expect(outcome).toMatchObject({ status: "done", serverData: { size: 300_000 }, progress: [100] })
  expect(await page.evaluate(() => window.mock.uploads.files[0]!.bytes.every((byte) => byte === 7))).toBe(true)
  expect(await page.evaluate(async (url) => (await (await fetch(url)).blob()).size, outcome.url)).toBe(300_000)
})

test("in a browser a cut upload goes on from the bytes that are stored", async () => {
  await page.evaluate(() => window.mock.uploads.fail("avatar", "NETWORK_ERROR", { after: 1000, once: true }))
  expect(await page.evaluate(() => window.mock.upload())).toMatchObject({ status: "done" })
})

test("in a browser an upload fails when told to", async () => {
  await page.evaluate(() => window.mock.uploads.fail("avatar", "QUOTA_EXCEEDED"))
  expect(await page.evaluate(() => window.mock.upload())).toMatchObject({ status: "failed", code: "QUOTA_EXCEEDED" })
})
