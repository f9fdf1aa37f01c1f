import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { bundlePage } from "../../bindings/bundle-page.ts"
import { type Site, startSite } from "../../bindings/start-site.ts"
import { launchChromium } from "../../browser/chromium.ts"
import { makePng } from "../../browser/make-png.ts"
import { findPageMemory } from "../../browser/page-memory.ts"

let browser: Browser
let site: Site

beforeAll(async () => {
  const [script, styles] = await Promise.all([
    bundlePage("react.ts"),
    readFile(join(import.meta.dirname, "../../../src/ui/styles.css"), "utf8"),
  ])
  ;[browser, site] = await Promise.all([launchChromium(), startSite({ script, styles })])
})
afterAll(async () => {
  await browser?.close()
  await site?.close()
})

test("twenty pictures of 12 megapixels leave a page below 300 MB, and no original decoded", async (context) => {
  if (process.platform === "win32" && !existsSync("/proc")) context.skip("Windows tells memory another way")
  const page = await browser.newPage()
  await page.addInitScript(() => Reflect.deleteProperty(globalThis, "showOpenFilePicker"))
  await page.goto(`${site.url}/?component=dropzone&endpoint=anything`)
  await page.locator('[data-sluice="container"]:not([data-state="loading"])').waitFor()
  const memory = await findPageMemory(browser, page)
  const buffer = makePng(4000, 3000, 3000)
  const names = Array.from({ length: 20 }, (_, index) => `${index}.png`)
  await page.setInputFiles(
    "input[type=file]",
    names.map((name) => ({ name, mimeType: "image/png", buffer })),
  )
  for (const name of names) {
    const row = page.locator('[data-sluice="file"]', { hasText: new RegExp(`^${name}`) })
    await row.scrollIntoViewIfNeeded()
    const width = await row.locator("img").evaluate(async (image: HTMLImageElement) => {
      await image.decode()
      return image.naturalWidth
    })
    expect(width).toBe(192)
  }
  expect(memory.read()).toBeLessThan(300)
})
