import type { Browser } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { launchChromium } from "../browser/chromium.ts"
import { pixel } from "../browser/pixel.ts"
import { bundlePage } from "./bundle-page.ts"
import { compileSvelte } from "./compile-svelte.ts"
import { startSite } from "./start-site.ts"

let browser: Browser

beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser?.close())

test.each([
  ["bind:value of Svelte", () => bundlePage("svelte-bound.ts", [compileSvelte("client")])],
  ["v-model of Vue", () => bundlePage("vue-bound.ts")],
])("%s goes both ways, and onValueChange is told as well", async (_, bundle) => {
  const site = await startSite({ script: await bundle() })
  const page = await browser.newPage()
  const complaints: Array<string> = []
  page.on("pageerror", (error) => complaints.push(String(error)))
  try {
    await page.goto(site.url)
    const names = () => page.locator('[data-sluice="file-name"]').allTextContents()
    await page.getByText("1 keys, told 0 times").waitFor()
    expect(await names()).toEqual(["one.png"])
    await page.locator("input[type=file]").setInputFiles({ name: "two.png", mimeType: "image/png", buffer: pixel })
    await page.getByText("2 keys, told 1 times").waitFor()
    expect(await names()).toEqual(["one.png", "two.png"])
    await page.getByRole("button", { name: "Empty" }).click()
    await page.getByText("0 keys, told 1 times").waitFor()
    expect(await names()).toEqual([])
    expect(complaints).toEqual([])
  } finally {
    await page.close()
    await site.close()
  }
})
