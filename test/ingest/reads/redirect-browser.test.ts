import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest"
import { launchChromium } from "../../browser/chromium.ts"
import { makePng } from "../../browser/make-png.ts"
import { type IngestUnderTest, listen } from "../circle.ts"
import { type Double, startDouble } from "../storage/s3/start-double.ts"
import { keep, startRedirecting } from "./redirect-cases.ts"

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser?.close())

let double: Double
let ingest: IngestUnderTest
let page: Page
beforeEach(async () => {
  double = await startDouble()
  onTestFinished(() => double.close())
  double.allowsPages = true
  ingest = await startRedirecting(double.settings)
  // An origin of its own, as apps have: neither the ingest's nor the bucket's.
  const origin = await listen((_, response) => {
    response.setHeader("content-type", "text/html")
    response.end(`<!doctype html><link rel="icon" href="data:,"><p>A page.</p>`)
  })
  page = await browser.newPage()
  onTestFinished(() => page.close())
  await page.goto(origin)
})

/** Larger than what the catalog keeps. */
const picture = Buffer.concat([makePng(60, 40, 40), Buffer.alloc(200)])

const showPicture = (url: string, isCrossOrigin: boolean): Promise<number> =>
  page.evaluate(
    ([src, crossOrigin]) =>
      new Promise<number>((resolve) => {
        const image = new Image()
        if (crossOrigin) image.crossOrigin = "anonymous"
        image.onload = () => resolve(image.naturalWidth)
        image.onerror = () => resolve(-1)
        image.src = src
      }),
    [url, isCrossOrigin] as const,
  )

const read = (url: string, range?: string): Promise<string> =>
  page.evaluate(
    ([from, wanted]) =>
      fetch(from, wanted === undefined ? {} : { headers: { range: wanted } }).then(
        async (response) => {
          const { byteLength } = await response.arrayBuffer()
          return `${response.status} ${byteLength} ${response.headers.get("content-range")} ${new URL(response.url).port}`
        },
        (cause: unknown) => String(cause),
      ),
    [url, range] as const,
  )

/** Requests of browsers for files, which have a URL's signature. */
const listReads = () => double.requests.filter(({ query }) => query.has("X-Amz-Signature"))

describe("a page whose files are redirected to the bucket", () => {
  it("shows pictures, and reads them and ranges of them by fetch", async () => {
    const { url } = await keep(ingest, picture)
    expect(await showPicture(url, false)).toBe(60)
    expect(await showPicture(url, true)).toBe(60)
    const { port } = new URL(double.url)
    expect(await read(url)).toBe(`200 ${picture.length} null ${port}`)
    expect(await read(url, "bytes=10-19")).toBe(`206 10 bytes 10-19/${picture.length} ${port}`)
    // Not one of the ranges that need no preflight.
    expect(await read(url, "bytes=-5")).toMatch(`206 5 `)
    // After a redirect to another origin a browser says none.
    expect(new Set(listReads().map(({ headers }) => headers["origin"]))).toEqual(new Set([undefined, "null"]))
  })

  it("shows pictures and reads nothing where the bucket has no rule of CORS", async () => {
    double.allowsPages = false
    const { url } = await keep(ingest, picture)
    expect(await showPicture(url, false)).toBe(60)
    expect(await showPicture(url, true)).toBe(-1)
    expect(await read(url)).toBe("TypeError: Failed to fetch")
  })

  it("loads a picture again without its bytes, and asks the ingest first", async () => {
    const { url } = await keep(ingest, picture, { cache: "immutable" })
    const load = async () => {
      await page.setContent(`<img src="${url}">`)
      await page.waitForFunction(() => document.images[0]!.complete && document.images[0]!.naturalWidth > 0)
    }
    await load()
    expect(listReads()).toHaveLength(1)
    await load()
    await load()
    expect(listReads()).toHaveLength(1)
  })
})
