import { readFile, rm, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest"
import { launchChromium } from "../browser/chromium.ts"
import { pixel } from "../browser/pixel.ts"
import { makeFolder } from "../make-folder.ts"
import { bundlePieces, servePieces } from "./bundle-page.ts"
import { type Site, startSite } from "./start-site.ts"

/* What a component says of a file that its user saves again or deletes after it was chosen. */

let browser: Browser
let pieces: ReadonlyMap<string, string>
let styles: string
let page: Page
let site: Site

beforeAll(async () => {
  ;[browser, pieces, styles] = await Promise.all([
    launchChromium(),
    bundlePieces("react.ts"),
    readFile(join(import.meta.dirname, "../../src/ui/styles.css"), "utf8"),
  ])
})
afterAll(() => browser?.close())
beforeEach(async () => {
  site = await startSite({ script: pieces.get("page.js")!, styles, handle: servePieces(pieces) })
  page = await browser.newPage()
  await page.addInitScript(() => Reflect.deleteProperty(globalThis, "showOpenFilePicker"))
  await page.goto(`${site.url}/?component=dropzone`)
  await page.locator('[data-sluice="container"]:not([data-state="loading"])').last().waitFor()
})
afterEach(async () => {
  await page.close()
  await site.close()
})

const row = () => page.locator('[data-sluice="file"]')

/** Chooses a picture. @returns its path */
const choose = async (): Promise<string> => {
  const path = join(await makeFolder(), "photo.png")
  await writeFile(path, pixel)
  // Browsers compare the times of a file in seconds.
  await utimes(path, 1_700_000_000, 1_700_000_000)
  await page.locator("input[type=file]").first().setInputFiles(path)
  await row().and(page.locator('[data-state="picked"]')).waitFor()
  return path
}

test.each([
  ["saved again", (path: string) => writeFile(path, Buffer.concat([pixel, pixel]))],
  ["deleted", (path: string) => rm(path)],
])(
  "a file that was %s is to be chosen again: it is not tried again, and not blamed on the network",
  async (_, change) => {
    await change(await choose())
    await page.getByRole("button", { name: "Upload 1 file" }).click()
    await row().and(page.locator('[data-state="failed"]')).waitFor()
    expect(await row().locator('[data-sluice="file-state"]').textContent()).toBe(
      "The file changed while it was uploaded. Choose it again.",
    )
    expect(
      await row()
        .getByRole("button")
        .evaluateAll((buttons) => buttons.map((button) => button.getAttribute("aria-label"))),
    ).toEqual(["Remove photo.png"])
    expect(site.puts).toEqual([])

    await row().getByRole("button", { name: "Remove photo.png" }).click()
    await choose()
    await page.getByRole("button", { name: "Upload 1 file" }).click()
    await row().and(page.locator('[data-state="done"]')).waitFor()
  },
)

test("a connection that breaks while the file is as it was loads nothing: where that fails, an app may load its page again", async () => {
  expect([...pieces.keys()].filter((name) => name.startsWith("late-"))).toHaveLength(1)
  const loaded: Array<string> = []
  page.on("request", (request) => loaded.push(new URL(request.url()).pathname))
  let broken = 0
  await page.route(/x-sluice-signature|signature=/, (route) => (broken++ === 0 ? route.abort() : route.continue()))
  await choose()
  await page.getByRole("button", { name: "Upload 1 file" }).click()
  await row().and(page.locator('[data-state="done"]')).waitFor()
  expect(broken).toBeGreaterThan(1)
  expect(loaded.filter((path) => path.startsWith("/late-"))).toEqual([])
})
