import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest"
import { launchChromium } from "../browser/chromium.ts"
import { pixel } from "../browser/pixel.ts"
import { chosenFiles } from "../browser/chosen-files.ts"
import { bundlePage } from "./bundle-page.ts"
import { type Site, startSite } from "./start-site.ts"

let browser: Browser
let script: string
let styles: string
let site: Site
let page: Page
let complaints: Array<string>

beforeAll(async () => {
  ;[browser, script, styles] = await Promise.all([
    launchChromium(),
    bundlePage("react-router.ts"),
    readFile(join(import.meta.dirname, "../../src/ui/styles.css"), "utf8"),
  ])
})
afterAll(() => browser?.close())
beforeEach(async () => {
  site = await startSite({ script, styles })
  page = await browser.newPage()
  complaints = []
  page.on("pageerror", (error) => complaints.push(String(error)))
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text())
  })
  await page.goto(site.url)
  await page.locator('[data-component="dropzone"][data-state="idle"]').waitFor()
})
afterEach(async () => {
  await page.close()
  await site.close()
})

const file = (name: string, size = 1000) => ({ name, mimeType: "application/x-any", buffer: Buffer.alloc(size, 7) })
const dropzone = () => page.locator('[data-component="dropzone"]')
const tray = () => page.getByRole("region", { name: "Uploads" })
const row = (within: ReturnType<typeof tray>, name: string, state: string) =>
  within.locator(`[data-sluice="file"][data-state="${state}"]`, { hasText: name })
const at = async (name: string) => {
  await page.getByRole("heading", { level: 2, name }).waitFor()
  await (name === "Albums" ? dropzone().waitFor() : dropzone().waitFor({ state: "detached" }))
}

test("an upload outlasts the page that began it, by links and by the browser's own buttons, in strict mode", async () => {
  const release = site.hold("a.docx", 100_000)
  await dropzone()
    .locator("input[type=file]")
    .setInputFiles(await chosenFiles([file("a.docx", 30_000_000), file("b.docx")]))
  await row(tray(), "b.docx", "done").waitFor()
  await row(dropzone(), "a.docx", "uploading").waitFor()

  await page.getByRole("link", { name: "Settings" }).click()
  await at("Settings")
  await row(tray(), "a.docx", "uploading").waitFor()
  expect(await tray().locator('[data-sluice="tray-title"]').textContent()).toMatch(/^Uploading 1 file/)

  await page.goBack()
  await at("Albums")
  await row(dropzone(), "a.docx", "uploading").waitFor()
  await row(dropzone(), "b.docx", "done").waitFor()
  await page.goForward()
  await at("Settings")
  await page.getByRole("link", { name: "Albums" }).click()
  await at("Albums")
  await row(dropzone(), "a.docx", "uploading").waitFor()
  await page.getByRole("link", { name: "Settings" }).click()
  await at("Settings")

  release()
  await row(tray(), "a.docx", "done").waitFor()
  await page.goBack()
  await at("Albums")
  await row(dropzone(), "a.docx", "done").waitFor()
  // One connection for each, from its beginning to its end, and each file once in dropzone and tray.
  expect(site.puts.map(({ range }) => range)).toEqual(["bytes=0-", "bytes=0-"])
  expect(await dropzone().locator('[data-sluice="file"]').count()).toBe(2)
  expect(complaints).toEqual([])
})

test("what was cancelled in the tray while its page was away is tried again there, and is done in its dropzone", async () => {
  const release = site.hold("a.docx", 100_000)
  await dropzone()
    .locator("input[type=file]")
    .setInputFiles(await chosenFiles([file("a.docx", 30_000_000)]))
  await row(dropzone(), "a.docx", "uploading").waitFor()
  await page.getByRole("link", { name: "Settings" }).click()
  await at("Settings")
  await tray().getByRole("button", { name: "Cancel a.docx", exact: true }).click()
  await row(tray(), "a.docx", "aborted").waitFor()
  release()
  await tray().getByRole("button", { name: "Try again a.docx", exact: true }).click()
  await row(tray(), "a.docx", "done").waitFor()
  await page.goBack()
  await at("Albums")
  await row(dropzone(), "a.docx", "done").waitFor()
  expect(complaints).toEqual([])
})

test.each(["", "?elsewhere"])(
  "no picture is asked for that is not there any more, whichever page shows it %s",
  async (query) => {
    await page.goto(`${site.url}/${query}`)
    await page.locator('[data-component="dropzone"][data-state="idle"]').waitFor()
    const failed: Array<string> = []
    page.on("requestfailed", (request) => failed.push(`${request.failure()?.errorText} ${request.url()}`))
    const release = ["a.png", "b.png", "c.png"].map((name) => site.hold(name, 10))
    await dropzone()
      .locator("input[type=file]")
      .setInputFiles(
        ["a.png", "b.png", "c.png"].map((name) => ({
          name,
          mimeType: "image/png",
          buffer: Buffer.concat([pixel, Buffer.alloc(500_000)]),
        })),
      )
    const pictures = (within: ReturnType<typeof tray>) =>
      within.locator('[data-sluice="file-preview"] > img[src^="blob:"]')
    const hasThree = (within: ReturnType<typeof tray>) => pictures(within).nth(2).waitFor({ state: "attached" })
    await hasThree(dropzone())
    for (const _ of [1, 2, 3]) {
      await page.getByRole("link", { name: "Settings" }).click()
      await at("Settings")
      await hasThree(tray())
      await page.goBack()
      await at("Albums")
      await hasThree(dropzone())
    }
    for (const go of release) go()
    await row(dropzone(), "c.png", "done").waitFor()
    expect(failed).toEqual([])
    expect(complaints).toEqual([])
  },
)
