import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { launchChromium } from "../browser/chromium.ts"
import { chosenFiles } from "../browser/chosen-files.ts"
import { bundlePage } from "./bundle-page.ts"
import { type Site, startSite } from "./start-site.ts"

let browser: Browser
let site: Site
let page: Page
let complaints: Array<string>

beforeAll(async () => {
  const [script, launched] = await Promise.all([bundlePage("solid-content.ts"), launchChromium()])
  browser = launched
  site = await startSite({ script })
})
afterAll(async () => {
  await browser?.close()
  await site?.close()
})
beforeEach(async () => {
  page = await browser.newPage()
  page.setDefaultTimeout(15_000)
  complaints = []
  page.on("pageerror", (error) => complaints.push(String(error)))
  await page.goto(site.url)
  await page.locator('[data-sluice="container"][data-state="idle"]').waitFor()
})

const choose = async (name: string, size = 10) =>
  page.setInputFiles(
    "input[type=file]",
    await chosenFiles([{ name, mimeType: "image/png", buffer: Buffer.alloc(size) }]),
  )
const read = (name: "made" | "gone") =>
  page.evaluate((name) => (window as unknown as Record<string, Record<string, number>>)[name], name)
const call = (name: string, value: unknown) =>
  page.evaluate(
    ([name, value]) => (window as unknown as Record<string, (value: unknown) => void>)[name as string]!(value),
    [name, value],
  )

test("content is made once, and follows the state where it reads it", async () => {
  const release = site.hold("a.png", 100_000)
  expect(await page.locator('[data-sluice="label"] b').textContent()).toBe("0 files")
  await choose("a.png", 3_000_000)
  expect(await page.locator('[data-sluice="label"] b').textContent()).toBe("1 files")
  await page.getByRole("button", { name: "Upload 1 file" }).click()
  await page.locator('[data-sluice="file-name"]', { hasText: /a.png uploading [1-9]/ }).waitFor()
  await call("setDisabled", true)
  await page.locator('[data-sluice="container"][data-state="disabled"]').waitFor()
  release()
  await page.locator('[data-sluice="file-name"]', { hasText: "a.png done 100" }).waitFor()
  expect(await page.locator('[data-sluice="button"]').textContent()).toBe("Choose")
  expect(await read("made")).toEqual({ node: 1, function: 1, item: 1 })
  expect(complaints).toEqual([])
})

test("where content gives nothing, the usual stands", async () => {
  await choose("a.png")
  const state = page.locator('[data-sluice="file-state"]')
  await state.waitFor()
  expect(await state.textContent()).toBe("10\u00a0B")
  await page.getByRole("button", { name: "Upload 1 file" }).click()
  await page.locator('[data-sluice="file-state"]', { hasText: "Mine: done" }).waitFor()
})

test("what belonged to a file ends with it", async () => {
  await choose("a.png")
  await page.getByRole("button", { name: "Remove a.png" }).click()
  await page.locator('[data-sluice="file"]').waitFor({ state: "detached" })
  expect(await read("gone")).toEqual({ item: 1 })
  expect(complaints).toEqual([])
})

test("new props are followed, without a new element", async () => {
  const button = await page.locator('[data-sluice="button"]').elementHandle()
  await button.focus()
  await call("setEndpoint", "anything")
  await page.getByText("Up to 100 files, 1\u00a0GB each at most").waitFor()
  expect(await button.evaluate((element) => element.isConnected && element === document.activeElement)).toBe(true)
  await call("setDisabled", true)
  expect(await page.locator('[data-sluice="button"]').isDisabled()).toBe(true)
})
