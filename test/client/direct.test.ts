import { createHash, randomBytes } from "node:crypto"
import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { createRouteHandler, createSluice } from "../../src/server.ts"
import { toNodeListener } from "../../adapters/node.ts"
import { createS3BlobStore } from "../../src/ingest/storage/s3/blob-s3.ts"
import { createMemoryBlobJournal } from "../../src/ingest/storage/s3/journal/memory.ts"
import { launchChromium } from "../browser/chromium.ts"
import { listen, startIngest, token } from "../ingest/circle.ts"
import { type Double, startDouble } from "../ingest/storage/s3/start-double.ts"
import { bundleDoors } from "./bundle-doors.ts"

/* Pages that send files straight to a bucket: the app, the ingest and the bucket each on an origin of their own. */

const mebibyte = 1024 * 1024
const partSize = 8 * mebibyte

let browser: Browser
let script: string
let folder: string
beforeAll(async () => {
  browser = await launchChromium()
  script = await bundleDoors(["client"], "sluice")
  folder = await mkdtemp(join(tmpdir(), "sluice-direct-"))
})
afterAll(async () => {
  await browser?.close()
  await rm(folder, { recursive: true, force: true })
})

interface Site {
  readonly double: Double
  readonly context: BrowserContext
  readonly page: Page
  readonly ingestUrl: string
  /** What the app was told of. */
  readonly completed: Array<{ readonly key: string; readonly name: string; readonly size: number }>
  /** Sum of the bytes that the ingest has written. */
  readonly receivedBytes: () => Promise<number>
  /** Of the file that is chosen. */
  readonly path: string
  /** Chooses a file in the page and begins its upload. */
  readonly begin: (content: Buffer) => Promise<void>
  readonly outcome: () => Promise<{ readonly status: string; readonly key?: string; readonly fileHash?: string }>
}

const openSite = async (allowsPages = true): Promise<Site> => {
  const double = await startDouble()
  onTestFinished(double.close)
  double.allowsPages = allowsPages
  const store = createS3BlobStore({ ...double.settings, journal: createMemoryBlobJournal() }, { firstWait: 1 })
  const ingest = await startIngest({ store, metrics: "open" })
  const completed: Site["completed"] = []
  const f = createSluice()
  const router = {
    any: f({ blob: { maxFileSize: "1GB" } }, { transport: "direct" }).onUploadComplete(({ file }) => {
      completed.push(file)
      return { name: file.name }
    }),
  }
  let handle = async (_: Request) => new Response(null, { status: 503 })
  const app = await listen(
    toNodeListener(async (request) => {
      const { pathname } = new URL(request.url)
      const page = `<!doctype html><link rel="icon" href="data:,"><input type="file"><script src="/client.js"></script>`
      if (pathname === "/") return new Response(page, { headers: { "content-type": "text/html" } })
      if (pathname === "/client.js") return new Response(script, { headers: { "content-type": "text/javascript" } })
      return handle(request)
    }),
  )
  handle = createRouteHandler({
    router,
    token,
    ingestUrl: ingest.url,
    callbackUrl: `${app}/api/sluice`,
    logLevel: "None",
  })
  const context = await browser.newContext()
  const page = await context.newPage()
  const path = join(folder, "film.bin")
  onTestFinished(() => context.close())
  await page.goto(app)
  return {
    double,
    context,
    page,
    ingestUrl: ingest.url,
    completed,
    receivedBytes: async () => {
      const text = await (await fetch(`${ingest.url}/metrics`)).text()
      return Number(/^sluice_received_bytes_total (\d+)$/m.exec(text)?.[1])
    },
    path,
    begin: async (content) => {
      await writeFile(path, content)
      await page.locator("input").setInputFiles(path)
      await page.evaluate(() => {
        const { files } = document.querySelector("input")!
        window.events = []
        window.upload = window.sluice.generateUploader({ retry: { delay: 50, attempts: 20 } }).createUpload("any", {
          files: [...files!],
          onUploadProgress: ({ loaded }: { readonly loaded: number }) => window.events.push({ loaded } as never),
        })
      })
    },
    outcome: () => page.evaluate(async () => (await window.upload.done())[0] as never),
  }
}

const partsOf = ({ requests }: Double) => requests.filter(({ operation }) => operation === "UploadPart")

const read = async ({ ingestUrl }: Site, key = ""): Promise<Buffer> =>
  Buffer.from(await (await fetch(`${ingestUrl}/f/${key}`)).arrayBuffer())

describe("a page that sends a file straight to the bucket", { timeout: 60_000 }, () => {
  test("gets 200 MiB there with the network cut twice, and not a byte through the ingest", async () => {
    const site = await openSite()
    const { double, context, page, begin, outcome, completed, receivedBytes } = site
    const content = randomBytes(200 * mebibyte)
    await begin(content)
    for (const count of [5, 14]) {
      await expect.poll(() => partsOf(double).length, { timeout: 20_000, interval: 5 }).toBeGreaterThan(count)
      await context.setOffline(true)
      await new Promise((resolve) => setTimeout(resolve, 200))
      await context.setOffline(false)
      await page.evaluate(() => dispatchEvent(new Event("online")))
    }
    const { status, key, fileHash } = await outcome()
    expect([status, fileHash]).toEqual(["done", ""])
    expect(completed).toMatchObject([{ key, size: content.length }])
    expect(Buffer.compare(await read(site, key), content)).toBe(0)
    expect(await receivedBytes()).toBe(0)
    // One that was under way when the network was cut is sent again; no other is.
    expect(partsOf(double).length).toBeLessThanOrEqual(200 / 8 + 2 * 4 + 2)
    const progress = await page.evaluate(() => window.events.map(({ loaded }) => loaded))
    expect(Math.max(...progress)).toBe(content.length)
  })

  test("has at most four parts under way", async () => {
    const { double, begin, outcome } = await openSite()
    let inFlight = 0
    let most = 0
    double.onRequest(async ({ operation, key }) => {
      if (operation !== "UploadPart" || key.includes("sluice-check")) return undefined
      most = Math.max(most, ++inFlight)
      await new Promise((resolve) => setTimeout(resolve, 400))
      inFlight--
      return undefined
    })
    await begin(randomBytes(7 * partSize))
    expect(await outcome()).toMatchObject({ status: "done" })
    expect(most).toBe(4)
  })

  test("sends a file of one part so too", async () => {
    const site = await openSite()
    const content = randomBytes(300_000)
    await site.begin(content)
    const { status, key } = await site.outcome()
    expect(status).toBe("done")
    expect(Buffer.compare(await read(site, key), content)).toBe(0)
    expect(await site.receivedBytes()).toBe(0)
  })

  test.each([
    ["the bucket allows no pages", false, 500_000],
    ["the catalog keeps the file", true, 5000],
  ])("sends it through the ingest where %s", async (_, allowsPages, size) => {
    const site = await openSite(allowsPages)
    const warned: Array<string> = []
    site.page.on("console", (message) => message.type() === "error" && warned.push(message.text()))
    const content = randomBytes(size)
    await site.begin(content)
    const { status, key } = await site.outcome()
    expect(status).toBe("done")
    expect(Buffer.compare(await read(site, key), content)).toBe(0)
    expect(warned.filter((text) => text.startsWith("Sluice: the bucket takes nothing"))).toHaveLength(
      allowsPages ? 0 : 1,
    )
  })

  test("goes on after a pause with the parts that are missing", async () => {
    const site = await openSite()
    const { double, page, begin, outcome } = site
    const content = randomBytes(6 * partSize)
    let isSlow = true
    double.onRequest(async ({ operation, partNumber, key }) => {
      if (operation === "UploadPart" && !key.includes("sluice-check") && isSlow && partNumber > 2)
        return { kind: "hang" }
      return undefined
    })
    await begin(content)
    await expect.poll(() => [...double.uploads.values()][0]?.parts.size, { timeout: 20_000 }).toBe(2)
    await page.evaluate(() => window.upload.pauseUpload())
    isSlow = false
    const before = partsOf(double).length
    await page.evaluate(() => window.upload.resumeUpload())
    const { status, key } = await outcome()
    expect(status).toBe("done")
    expect(partsOf(double).length - before).toBe(4)
    expect(
      createHash("sha256")
        .update(await read(site, key))
        .digest("hex"),
    ).toBe(createHash("sha256").update(content).digest("hex"))
  })

  test("says so when the file is saved again during a pause, sends nothing of what it is then, and blames no bucket", async () => {
    const { double, page, begin, outcome, path } = await openSite()
    const warned: Array<string> = []
    page.on("console", (message) => warned.push(message.text()))
    double.onRequest(async ({ operation, partNumber, key }) =>
      operation === "UploadPart" && !key.includes("sluice-check") && partNumber > 2 ? { kind: "hang" } : undefined,
    )
    await begin(randomBytes(6 * partSize))
    await expect.poll(() => [...double.uploads.values()][0]?.parts.size, { timeout: 20_000 }).toBe(2)
    await page.evaluate(() => window.upload.pauseUpload())
    await page.evaluate(() => window.upload.done())
    const before = partsOf(double).length
    // Browsers compare the times of a file in seconds.
    await writeFile(path, randomBytes(6 * partSize))
    await utimes(path, 1_700_000_000, 1_700_000_000)
    await page.evaluate(() => window.upload.resumeUpload())
    await outcome()
    const [code] = await page.evaluate(async () =>
      (await window.upload.done()).map((end) => end.status === "failed" && end.error.code),
    )
    expect(code).toBe("SIZE_MISMATCH")
    expect(warned.filter((text) => text.startsWith("Sluice:"))).toEqual([])
    expect(partsOf(double).length).toBe(before)
  })
})
