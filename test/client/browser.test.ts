import { createHash } from "node:crypto"
import type { Browser, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest"
import type { generateUploader, UploadProgress } from "../../src/client.ts"
import { launchChromium } from "../browser/chromium.ts"
import { bundleDoors } from "./bundle-doors.ts"
import { openClient } from "./open-client.ts"
import type { Peer } from "./peer.ts"

declare global {
  interface Window {
    sluice: { generateUploader: typeof generateUploader }
    controller: AbortController
    upload: ReturnType<ReturnType<typeof generateUploader>["createUpload"]>
    events: Array<Omit<UploadProgress, "file"> & { name: string }>
    outcomes: Promise<Array<unknown>>
  }
}

let browser: Browser
let script: string
let peer: Peer
let page: Page
let complaints: Array<string>

beforeAll(async () => {
  browser = await launchChromium()
  script = await bundleDoors(["client"], "sluice")
})
afterAll(() => browser?.close())

beforeEach(async () => {
  page = await browser.newPage()
  complaints = []
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()))
  page.on("pageerror", (error) => complaints.push(String(error)))
  peer = await openClient(page, script)
})
afterEach(async () => {
  await page.close()
  await peer.close()
})

/** More than the sockets' buffers hold, so that what is on its way can be told from what has arrived. */
const size = 20_000_000
const content = (index: number) => Buffer.alloc(size, index + 1)
const hashOf = (index: number) => createHash("sha256").update(content(index)).digest("hex")

/** Starts an upload of files a, b, … in the page, each of `size` bytes. */
const start = (count: number) =>
  page.evaluate(
    ({ count, size }) => {
      const files = Array.from({ length: count }, (_, i) => {
        return new File([new Uint8Array(size).fill(i + 1)], "abcdef"[i]!, { type: "text/plain" })
      })
      window.events = []
      window.controller = new AbortController()
      window.upload = window.sluice.generateUploader({ retry: { delay: 1 } }).createUpload("any", {
        files,
        signal: window.controller.signal,
        onUploadProgress: ({ file, ...event }) => window.events.push({ ...event, name: file.name }),
      })
    },
    { count, size },
  )

/** The outcomes, errors as plain values. */
const outcomes = () =>
  page.evaluate(async () =>
    (await window.upload.done()).map((outcome) =>
      outcome.status === "done"
        ? { status: outcome.status, hash: outcome.fileHash, name: outcome.file.name }
        : { status: outcome.status, code: outcome.error.code, name: outcome.file.name },
    ),
  )

test("by default the route handler is on the page's origin; bytes go cross-origin, and nothing is complained of", async () => {
  await start(2)
  expect(await outcomes()).toEqual([
    { status: "done", hash: hashOf(0), name: "a" },
    { status: "done", hash: hashOf(1), name: "b" },
  ])
  expect(complaints).toEqual([])
  expect(peer.trace("a")).toEqual(["PUT bytes=0-"])
  expect(peer.seen.at(-1)!.headers).toMatchObject({ "content-type": "application/octet-stream", range: "bytes=0-" })
})

test("progress comes while bytes are on their way, never goes back, and reaches 100 only after the answer", async () => {
  const rest = Promise.withResolvers<void>()
  peer.fail("PUT", "a", { stallAfter: 500_000, until: rest.promise })
  await start(1)
  await page.waitForFunction(() => window.events.some(({ loaded }) => loaded > 0 && loaded < 20_000_000))
  rest.resolve()
  await outcomes()
  const events = await page.evaluate(() => window.events)
  expect(events.map(({ loaded }) => loaded)).toEqual(events.map(({ loaded }) => loaded).toSorted((a, b) => a - b))
  expect(events.slice(0, -1).every(({ progress }) => progress < 100)).toBe(true)
  expect(events.at(-1)).toMatchObject({ progress: 100, loaded: size, totalLoaded: size, totalProgress: 100 })
})

test("a broken connection is resumed where the stored bytes end", async () => {
  peer.fail("PUT", "a", { cutAfter: 1_000_000 })
  await start(1)
  expect(await outcomes()).toEqual([{ status: "done", hash: hashOf(0), name: "a" }])
  // Chromium itself repeats a request once if a kept-alive connection breaks: then 409 names the offset, else HEAD does.
  expect(peer.trace("a").at(-1)).toBe("PUT bytes=1000000-")
})

test("409 and its offset are read from XMLHttpRequest as well", async () => {
  const body = { code: "RANGE_MISMATCH", detail: "Go on at 0." }
  peer.fail("PUT", "a", { status: 409, body, headers: { "x-sluice-range-start": "0" } })
  await start(1)
  expect(await outcomes()).toEqual([{ status: "done", hash: hashOf(0), name: "a" }])
  expect(peer.trace("a")).toEqual(["PUT bytes=0-", "PUT bytes=0-"])
})

test("a refusal keeps its code and does not stop the others", async () => {
  peer.fail("PUT", "a", { status: 415, body: { code: "CONTENT_MISMATCH", detail: "No." } })
  await start(2)
  expect(await outcomes()).toEqual([
    { status: "failed", code: "CONTENT_MISMATCH", name: "a" },
    { status: "done", hash: hashOf(1), name: "b" },
  ])
})

test("abort closes the connections and ends every file", async () => {
  const never = new Promise<never>(() => {})
  for (const name of ["a", "b"]) peer.fail("PUT", name, { hold: never })
  await start(2)
  await peer.until(() => peer.inFlight === 2)
  await page.evaluate(() => window.controller.abort())
  expect(await outcomes()).toEqual([
    { status: "aborted", code: "ABORTED", name: "a" },
    { status: "aborted", code: "ABORTED", name: "b" },
  ])
  await peer.until(() => peer.inFlight === 0)
})

test("pause and resume go on from the stored offset, which CORS lets the page see", async () => {
  peer.fail("PUT", "a", { stallAfter: 100_000, until: new Promise(() => {}) })
  await start(1)
  await peer.until(() => peer.storedOf("a") >= 100_000)
  await page.evaluate(() => window.upload.pauseUpload())
  expect(await outcomes()).toEqual([{ status: "paused", code: "PAUSED", name: "a" }])
  const offset = peer.storedOf("a")
  await page.evaluate(() => window.upload.resumeUpload())
  expect(await outcomes()).toEqual([{ status: "done", hash: hashOf(0), name: "a" }])
  expect(peer.trace("a")).toEqual(["PUT bytes=0-", "HEAD", `PUT bytes=${offset}-`])
})

test("a worker without XMLHttpRequest uploads by fetch", async () => {
  const outcome = await page.evaluate(async (origin) => {
    const source = `
      importScripts("${origin}/client.js")
      delete self.XMLHttpRequest
      sluice.generateUploader({ url: "${origin}/api/sluice" })
        .uploadFiles("any", { files: [new File([new Uint8Array(1000).fill(1)], "w")] })
        .then(([{ status, size }]) => postMessage({ status, size }), (error) => postMessage(String(error)))`
    const worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })))
    return new Promise((resolve) => (worker.onmessage = ({ data }) => resolve(data)))
  }, peer.origin)
  expect(outcome).toEqual({ status: "done", size: 1000 })
  expect(peer.bytesOf("w").equals(Buffer.alloc(1000, 1))).toBe(true)
})
