import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { launchChromium } from "../browser/chromium.ts"
import { bundlePage } from "./bundle-page.ts"
import { type Site, startSite } from "./start-site.ts"

let browser: Browser
let site: Site
let page: Page

beforeAll(async () => {
  const [script, launched] = await Promise.all([bundlePage("vue.ts"), launchChromium()])
  browser = launched
  site = await startSite({ script })
  page = await browser.newPage()
  await page.goto(`${site.url}/?component=dropzone&paste&mode=auto&kept`)
  await page.locator('[data-sluice="container"][data-state="idle"]').waitFor()
})
afterAll(async () => {
  await browser?.close()
  await site?.close()
})

/** @returns whether a component has taken it */
const paste = (name: string) =>
  page.evaluate((name) => {
    const clipboardData = new DataTransfer()
    clipboardData.items.add(new File(["x"], name, { type: "image/png", lastModified: 1 }))
    const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true })
    return !document.body.dispatchEvent(event)
  }, name)

test("a page that <KeepAlive> keeps uploads nothing that is pasted into another page, and takes pastes when it is back", async () => {
  await page.getByRole("button", { name: "Elsewhere" }).click()
  await page.getByText("Elsewhere", { exact: true }).last().waitFor()
  expect(await page.locator('[data-sluice="container"]').count()).toBe(0)
  await page.waitForTimeout(200)
  expect(await paste("secret.png")).toBe(false)
  await page.getByRole("button", { name: "Here", exact: true }).click()
  await expect.poll(() => paste("own.png")).toBe(true)
  await page.locator('[data-sluice="file"][data-state="done"]').waitFor()
  expect(await page.locator('[data-sluice="file-name"]').allTextContents()).toEqual(["own.png"])
  expect(site.puts.map(({ file }) => file)).toEqual(["own.png"])
})
