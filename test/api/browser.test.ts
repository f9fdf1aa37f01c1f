import { build } from "esbuild"
import type { Browser } from "playwright-core"
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest"
import { bundleDoors } from "../client/bundle-doors.ts"
import { launchChromium } from "../browser/chromium.ts"
import { listen } from "../ingest/circle.ts"

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser?.close())
afterEach(() => {
  vi.unstubAllGlobals()
  vi.resetModules()
})

const complaint = "sluice/api holds the app's secret key and belongs on the server"

const loadInChromium = async (script: string): Promise<ReadonlyArray<string>> => {
  const origin = await listen(({ url }, response) => {
    const isScript = url === "/app.js"
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html")
    response.end(isScript ? script : `<!doctype html><link rel="icon" href="data:,"><script src="/app.js"></script>`)
  })
  const page = await browser.newPage()
  const errors: Array<string> = []
  page.on("pageerror", (error) => errors.push(`${error.name}: ${error.message}`))
  await page.goto(origin)
  await page.close()
  return errors
}

describe("in a page", () => {
  test("the import throws, and says what to use", async () => {
    const [error, ...others] = await loadInChromium(await bundleDoors(["api"], "sluice"))
    expect(error).toMatch(/^UploadError: /)
    expect(error).toContain(complaint)
    expect(error).toContain("sluice/client")
    expect(others).toEqual([])
  })

  test("whatever a bundler leaves of it, and puts in the place of Node's process", async () => {
    const { outputFiles } = await build({
      stdin: {
        contents: `import { SluiceApi } from "./api.ts"; globalThis.api = new SluiceApi()`,
        resolveDir: new URL("../../src", import.meta.url).pathname,
      },
      bundle: true,
      minify: true,
      write: false,
      format: "iife",
      platform: "browser",
      banner: { js: `globalThis.process = { env: {}, versions: {}, browser: true, nextTick: setTimeout };` },
    })
    const errors = await loadInChromium(outputFiles[0]!.text)
    expect(errors.join()).toContain(complaint)
  })
})

describe("elsewhere the import is welcome", () => {
  const dom = { window: {}, document: {} }
  const noProcess = { process: undefined }
  const load = () => import("../../src/api.ts")

  test.each<[string, object]>([
    ["Node", {}],
    ["Node with jsdom", dom],
    ["Bun with a DOM", { ...noProcess, Bun: {}, ...dom }],
    ["Deno, which had a window", { ...noProcess, Deno: {}, window: globalThis }],
    ["workerd, the edge", noProcess],
    ["a worker of the edge with process.env", { process: { env: {} } }],
  ])("%s", async (_, globals) => {
    for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value)
    const { SluiceApi } = await load()
    expect(new SluiceApi()).toBeDefined()
  })

  test("but not in a page", async () => {
    for (const [name, value] of Object.entries({ ...noProcess, ...dom })) {
      vi.stubGlobal(name, value)
    }
    await expect(load()).rejects.toMatchObject({ code: "INVALID_CONFIG", message: expect.stringContaining(complaint) })
  })
})
