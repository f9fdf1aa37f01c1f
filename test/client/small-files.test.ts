import type { Browser, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest"
import type { UploadEvent } from "../../src/client.ts"
import { launchChromium } from "../browser/chromium.ts"
import { bundleDoors } from "./bundle-doors.ts"
import { openClient } from "./open-client.ts"
import type { Peer } from "./peer.ts"

/* How pages send small files, in a real browser: only that asks the ingest before it sends, or does not. */

declare global {
  interface Window {
    smallFileEvents: Array<string>
  }
}

let browser: Browser
let script: string
let peer: Peer
let page: Page

beforeAll(async () => {
  browser = await launchChromium()
  script = await bundleDoors(["client"], "sluice")
})
afterAll(() => browser?.close())

beforeEach(async () => {
  page = await browser.newPage()
  peer = await openClient(page, script)
})
afterEach(async () => {
  await page.close()
  await peer.close()
})

/** The largest size that goes as a POST, in bytes. */
const largest = 16 * 1024

interface SmallFile {
  readonly name: string
  readonly size?: number
  readonly type?: string
}

/** Uploads files one after the other, each of `size` bytes, or as many as its name has letters. */
const upload = (files: ReadonlyArray<SmallFile>, traceparent?: string) =>
  page.evaluate(
    async ({ files, traceparent }) => {
      const events: Array<string> = (window.smallFileEvents = [])
      const outcomes = await window.sluice
        .generateUploader({ retry: { delay: 1 }, concurrency: 1, traceparent: () => traceparent })
        .createUpload("any", {
          files: files.map(
            ({ name, size = name.length, type = "image/png" }) =>
              new File([new Uint8Array(size).fill(name.charCodeAt(0))], name, { type }),
          ),
          onEvent: (event: UploadEvent<any>) => {
            if (event.type === "progress") events.push(`${event.file.name} ${event.loaded} ${event.progress}`)
            if (event.type === "wait" && event.reason === "retry") events.push(`${event.file.name} waits`)
          },
        })
        .done()
      return { events, statuses: outcomes.map(({ status }) => status) }
    },
    { files, traceparent },
  )

const bytes = (name: string, size: number) => Buffer.alloc(size, name)

test("a small file goes as a POST before which the browser asks nobody, a larger one as a PUT", async () => {
  const files = [
    { name: "one", size: 1 },
    { name: "most", size: largest },
    { name: "form", type: "multipart/form-data; boundary=x" },
    { name: "large", size: largest + 1 },
  ]
  expect((await upload(files)).statuses).toEqual(["done", "done", "done", "done"])
  expect(files.map(({ name }) => peer.trace(name))).toEqual([["POST"], ["POST"], ["POST"], ["PUT bytes=0-"]])
  expect(peer.preflights).toEqual(["large"])
  for (const { name, size = name.length } of files) expect(peer.bytesOf(name).equals(bytes(name[0]!, size))).toBe(true)
  const posts = peer.seen.filter(({ at, method }) => at === "ingest" && method === "POST")
  for (const { headers } of posts) expect(headers).not.toHaveProperty("content-type")
})

test("an empty file is one of them", async () => {
  expect((await upload([{ name: "empty", size: 0 }])).statuses).toEqual(["done"])
  expect(peer.trace("empty")).toEqual(["POST"])
  expect(peer.preflights).toEqual([])
})

test("all of it counts as sent while the answer is waited for, and it is done with the answer", async () => {
  const answer = Promise.withResolvers<void>()
  peer.fail("POST", "a", { hold: answer.promise })
  const uploading = upload([{ name: "a", size: 1000 }])
  await page.waitForFunction(() => window.smallFileEvents?.length > 0)
  answer.resolve()
  expect((await uploading).events).toEqual(["a 1000 99", "a 1000 100"])
})

test("where POST is not allowed, the file goes as a PUT at once, and so do those after it", async () => {
  peer.fail("POST", "a", { status: 405, body: { code: "METHOD_NOT_ALLOWED", detail: "PUT it." } })
  const { statuses, events } = await upload([{ name: "a" }, { name: "b" }])
  expect(statuses).toEqual(["done", "done"])
  expect(events.filter((event) => event.endsWith("waits"))).toEqual([])
  expect(peer.trace("a")).toEqual(["POST", "PUT bytes=0-"])
  expect(peer.trace("b")).toEqual(["PUT bytes=0-"])
  expect((await upload([{ name: "c" }])).statuses).toEqual(["done"])
  expect(peer.trace("c")).toEqual(["PUT bytes=0-"])
})

test("behind a proxy that breaks off every POST, the first file asks for its offset, and all go as PUT", async () => {
  peer.fail("POST", "a", { cutAfter: 0 }, { cutAfter: 0 }, { cutAfter: 0 })
  const { statuses, events } = await upload([{ name: "a" }, { name: "b" }])
  expect(statuses).toEqual(["done", "done"])
  expect(events.slice(0, events.indexOf("a waits") + 1)).toEqual(["a waits"])
  // Chromium itself repeats a request once if a kept-alive connection breaks.
  expect(peer.trace("a").slice(-2)).toEqual(["HEAD", "PUT bytes=0-"])
  expect(peer.trace("b")).toEqual(["PUT bytes=0-"])
})

test("a POST that breaks off goes on where the stored bytes end; the next file is a POST again", async () => {
  peer.fail("POST", "b", { cutAfter: 400 }, { cutAfter: 0 })
  expect((await upload([{ name: "a" }, { name: "b", size: 1000 }, { name: "c" }])).statuses).toEqual([
    "done",
    "done",
    "done",
  ])
  expect(peer.trace("b").at(-1)).toBe("PUT bytes=400-")
  expect(peer.bytesOf("b").equals(bytes("b", 1000))).toBe(true)
  expect(peer.trace("c")).toEqual(["POST"])
})

test("a refusal of a POST is final, one that may be repeated is repeated", async () => {
  peer.fail("POST", "a", { status: 415, body: { code: "CONTENT_MISMATCH", detail: "No." } })
  peer.fail("POST", "b", { status: 503, body: { code: "INGEST_UNAVAILABLE", detail: "Later." } })
  expect((await upload([{ name: "a" }, { name: "b" }])).statuses).toEqual(["failed", "done"])
  expect(peer.trace("a")).toEqual(["POST"])
  expect(peer.trace("b")).toEqual(["POST", "HEAD", "PUT bytes=0-"])
})

test("a paused POST goes on by PUT from the stored offset, an aborted one closes its connection", async () => {
  peer.fail("POST", "a", { hold: new Promise(() => {}) })
  peer.fail("POST", "b", { hold: new Promise(() => {}) })
  await page.evaluate(() => {
    const files = ["a", "b"].map((name) => new File([new Uint8Array(1000)], name))
    window.upload = window.sluice.generateUploader({ retry: { delay: 1 } }).createUpload("any", { files })
  })
  await peer.until(() => peer.storedOf("a") === 1000 && peer.storedOf("b") === 1000)
  const statuses = () => page.evaluate(async () => (await window.upload.done()).map(({ status }) => status))
  await page.evaluate(() => window.upload.pauseUpload())
  expect(await statuses()).toEqual(["paused", "paused"])
  await page.evaluate(async () => {
    const [, b] = await window.upload.done()
    window.upload.abortUpload(b!.file)
    window.upload.resumeUpload()
  })
  expect(await statuses()).toEqual(["done", "aborted"])
  expect(peer.trace("a")).toEqual(["POST", "HEAD", "PUT bytes=1000-"])
  await peer.until(() => peer.trace("b").length === 2)
  expect(peer.trace("b")).toEqual(["POST", "DELETE"])
  await peer.until(() => peer.inFlight === 0)
})

test("an upload of a trace names it, which takes a preflight request and a PUT", async () => {
  const traceparent = `00-${"a".repeat(32)}-${"1".repeat(16)}-01`
  await upload([{ name: "a" }], traceparent)
  expect(peer.preflights[0]).toBe("a")
  expect(peer.trace("a")).toEqual(["PUT bytes=0-"])
})
