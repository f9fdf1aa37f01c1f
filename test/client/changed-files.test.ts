import { rmSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { launchChromium } from "../browser/chromium.ts"
import { makeFolder } from "../make-folder.ts"
import { bundleDoors } from "./bundle-doors.ts"
import { openClient } from "./open-client.ts"
import type { Peer } from "./peer.ts"

/* Files on a disk that are saved again, moved or deleted between their choice and the end of their upload: a browser then
   refuses to read them, and fails as if the network were broken. */

declare global {
  interface Window {
    /** Why the upload has waited. */
    waits: Array<string>
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
  peer = await openClient(page, script, '<input type="file">')
})
afterEach(async () => {
  await page.close()
  await peer.close()
})

/** Writes a file and chooses it in the page. @returns its path */
const choose = async (size: number, isListed = true) => {
  const path = join(await makeFolder(), "report.pdf")
  writeFileSync(path, Buffer.alloc(size, "a"))
  // Browsers compare the times of a file in seconds.
  utimesSync(path, 1_700_000_000, 1_700_000_000)
  await page.locator("input").setInputFiles(path)
  // As whoever lists files does. From then on the browser knows what the file was.
  if (isListed) await page.evaluate(() => document.querySelector("input")!.files![0]!.size)
  return path
}

/** Starts the upload of the chosen file. */
const start = () =>
  page.evaluate(() => {
    const { files } = document.querySelector("input")!
    window.waits = []
    window.upload = window.sluice.generateUploader({ retry: { delay: 1 } }).createUpload("any", {
      files: [...files!],
      onEvent: (event: { readonly type: string; readonly reason?: string }) => {
        if (event.type === "wait") window.waits.push(event.reason!)
      },
    })
  })

/** Lets so many requests to the ingest fail. Not at the peer, because browsers themselves repeat what breaks there. */
const breakConnections = (times: number) =>
  page.route(
    ({ origin }) => origin !== peer.origin,
    (route) => route.abort(),
    { times },
  )

const outcome = () =>
  page.evaluate(async () => {
    const [outcome] = await window.upload.done()
    return outcome!.status === "failed"
      ? [outcome!.error.code, outcome!.error.message, ...window.waits]
      : [outcome!.status, ...window.waits]
  })

const changed = [
  "SIZE_MISMATCH",
  "The file cannot be read: it was changed or removed since it was chosen. Choose it again.",
]

describe.each([
  ["a small file", 1000],
  ["a large file", 3_000_000],
])("%s", (_, size) => {
  test("that was removed is said to be so at once, not a broken connection", async () => {
    rmSync(await choose(size))
    await start()
    expect(await outcome()).toEqual(changed)
    expect(peer.storedOf("report.pdf")).toBe(0)
  })

  test("that was removed before anybody has looked at it is not uploaded as an empty one", async () => {
    rmSync(await choose(size, false))
    await start()
    expect(await outcome()).toEqual(changed)
  })

  test("that was saved again is said to be so, and nothing of what it is now is stored", async () => {
    writeFileSync(await choose(size), Buffer.alloc(size, "b"))
    await start()
    expect(await outcome()).toEqual(changed)
    expect(peer.bytesOf("report.pdf").includes("b")).toBe(false)
  })

  test("that is as it was chosen is uploaded after a connection that breaks", async () => {
    await choose(size)
    await breakConnections(2)
    await start()
    expect(await outcome()).toEqual(["done", "retry", "retry"])
    expect(peer.storedOf("report.pdf")).toBe(size)
  })
})

test("a file that cannot be read for a moment only is no other one: in WebKit none can in a page that is being left", async () => {
  await choose(1_000_000)
  await page.evaluate(() => {
    const { stream } = Blob.prototype
    Blob.prototype.stream = () => {
      Blob.prototype.stream = stream
      return new ReadableStream({
        start: (controller) => controller.error(new DOMException("gone", "NotReadableError")),
      })
    }
  })
  await breakConnections(1)
  await start()
  expect(await outcome()).toEqual(["done", "retry"])
  expect(peer.storedOf("report.pdf")).toBe(1_000_000)
})

test("where Blobs cannot be read, as in React Native, a connection that breaks is one", async () => {
  await page.evaluate(() => {
    for (const name of ["arrayBuffer", "stream"]) Reflect.deleteProperty(Blob.prototype, name)
  })
  await choose(1000)
  await breakConnections(2)
  await start()
  expect(await outcome()).toEqual(["done", "retry", "retry"])
  expect(peer.trace("report.pdf")).not.toContain("POST")
})

test("a file that is saved again during a pause does not go on as another one", async () => {
  const path = await choose(20_000_000)
  peer.fail("PUT", "report.pdf", { hold: new Promise(() => {}) })
  await start()
  await peer.until(() => peer.storedOf("report.pdf") > 0)
  await page.evaluate(() => window.upload.pauseUpload())
  expect(await outcome()).toEqual(["paused"])
  writeFileSync(path, Buffer.alloc(20_000_000, "b"))
  await page.evaluate(() => window.upload.resumeUpload())
  expect(await outcome()).toEqual(changed)
  expect(peer.bytesOf("report.pdf").includes("b")).toBe(false)
})

test("a file that is written over while it is sent is not done as a mixture", async () => {
  const path = await choose(40_000_000)
  const session = await page.context().newCDPSession(page)
  await session.send("Network.enable")
  const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 10_000_000 }
  await session.send("Network.emulateNetworkConditions", slow)
  await start()
  await peer.until(() => peer.storedOf("report.pdf") > 0)
  // In place: a file that is cut first is too short for Chromium.
  writeFileSync(path, Buffer.alloc(40_000_000, "b"), { flag: "r+" })
  expect(await outcome()).toEqual(changed)
  expect(peer.storedOf("report.pdf")).toBeLessThan(40_000_000)
})
