import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest"
import { bundle } from "../browser/bundle.ts"
import { launchChromium } from "../browser/chromium.ts"

/** The longest words, the longest sentences, and one that runs from right to left. */
const languages = ["ar", "de", "fr", "pl"]
const shots = process.env["LANGUAGE_SHOTS"]

const routes = [
  { slug: "photos", config: { image: { maxFileSize: "1KB", maxFileCount: 2, minFileCount: 1 } } },
  {
    slug: "papers",
    config: {
      pdf: { maxFileSize: "16MB", maxFileCount: 12, minFileCount: 2 },
      "image/svg+xml": { maxFileSize: "1MB", maxFileCount: 3, minFileCount: 1 },
    },
  },
]

const script = `
import { defineElements } from "../bindings/element.ts"
${languages.map((language) => `import { ${language} } from "./texts/${language}.ts"`).join("\n")}
const languages = { ${languages.join(", ")} }
defineElements({ texts: languages[document.documentElement.lang], routes: ${JSON.stringify(routes)} })`

let browser: Browser
let styles: string
let code: string
let page: Page

beforeAll(async () => {
  browser = await launchChromium()
  styles = await readFile(join(import.meta.dirname, "../../src/ui/styles.css"), "utf8")
  code = await bundle(script, { mode: "production" })
})
afterAll(() => browser?.close())
beforeEach(async () => {
  page = await browser.newPage({ viewport: { width: 320, height: 640 } })
})
afterEach(() => page.close())

const open = async (language: string, body: string) => {
  const dir = language === "ar" ? "rtl" : "ltr"
  await page.route("**/*", async (route) => {
    const request = route.request()
    const { pathname } = new URL(request.url())
    if (pathname === "/page.js") return route.fulfill({ contentType: "text/javascript", body: code })
    if (pathname !== "/") return route.abort()
    const html = `<!doctype html><html lang="${language}" dir="${dir}"><meta charset="utf-8"><link rel="icon" href="data:,">
<style>${styles} body { margin: 0; font: 1rem sans-serif }</style><body>${body}<script type="module" src="/page.js"></script></html>`
    return route.fulfill({ contentType: "text/html", body: html })
  })
  await page.goto("http://app.test/")
  await page.locator("input[type=file]").first().waitFor({ state: "attached" })
}
const isWithin = async (what: string) => {
  if (shots !== undefined) await page.screenshot({ path: join(shots, `${what}.png`), fullPage: true })
  const { scrollWidth, wide } = await page.evaluate(() => ({
    scrollWidth: document.documentElement.scrollWidth,
    wide: [...document.querySelectorAll("button, li, p")]
      .filter((element) => {
        const { left, right } = element.getBoundingClientRect()
        // What only screen readers get is one pixel wide.
        return right - left > 2 && (right > 320.5 || left < -0.5)
      })
      .map((element) => element.outerHTML.slice(0, 200)),
  }))
  expect({ scrollWidth, wide }, what).toEqual({ scrollWidth: 320, wide: [] })
}
const file = (name: string, size: number, mimeType = "image/png") => ({ name, mimeType, buffer: Buffer.alloc(size, 7) })

test.each(languages)("%s: nothing runs out of a page of 320 px, in any state", async (language) => {
  const slow = `${language === "ar" ? "صورة" : "holiday"}-in-a-place-with-a-long-name.png`
  for (const kind of ["button", "dropzone"]) {
    await open(
      language,
      `<sluice-${kind} endpoint="photos" mode="manual"></sluice-${kind}><hr>
<sluice-${kind} endpoint="papers" mode="manual"></sluice-${kind}>`,
    )
    await isWithin(`${language}-${kind}-idle`)
    await page.setInputFiles("input[type=file] >> nth=0", [
      file(slow, 900),
      file("b.png", 900),
      file("c.png", 900),
      file("too-large.png", 5_000_000),
      file("empty.png", 0),
      file("note.zip", 10, "application/zip"),
    ])
    await page.setInputFiles("input[type=file] >> nth=1", [file("one.pdf", 900, "application/pdf")])
    await page.locator(`[data-sluice="container"][data-state="picked"]`).first().waitFor()
    await isWithin(`${language}-${kind}-picked`)
    await page
      .locator(`sluice-${kind} >> nth=0 >> [data-sluice="${kind === "button" ? "button" : "upload-button"}"]`)
      .click()
    await page.locator(`[data-sluice="container"][data-state="uploading"]`).waitFor()
    await isWithin(`${language}-${kind}-waiting`)
    await page.context().setOffline(true)
    await isWithin(`${language}-${kind}-offline`)
    await page.context().setOffline(false)
    await page.evaluate(() => {
      const data = new DataTransfer()
      data.items.add(new File(["x"], "a.zip", { type: "application/zip" }))
      for (const zone of document.querySelectorAll('[data-sluice="container"]'))
        zone.dispatchEvent(new DragEvent("dragenter", { dataTransfer: data, bubbles: true, cancelable: true }))
    })
    await isWithin(`${language}-${kind}-dragged`)
    await page.unroute("**/*")
  }
})

test("the tick stays beside its word on a card of a phone", async () => {
  await open("de", `<sluice-dropzone endpoint="photos" previews="grid" name="photos"></sluice-dropzone>`)
  await page.setViewportSize({ width: 390, height: 800 })
  await page.addStyleTag({ content: "body { margin: 32px }" })
  await page.evaluate(() => {
    const files = ["a.png", "b.png"].map((name) => ({ key: name, name, size: 465, type: "image/png" }))
    Object.assign(document.querySelector("sluice-dropzone")!, { config: { previews: "grid" }, initialFiles: files })
  })
  const state = page.locator('[data-sluice="file"][data-state="done"] [data-sluice="file-state"]').first()
  await state.waitFor()
  expect(await state.textContent()).toMatch(/^Hochgeladen, 465/)
  const lines = await state.evaluate((element) => {
    const range = document.createRange()
    const [text] = [...element.childNodes]
    range.setStart(text!, 0)
    range.setEnd(text!, "Hochgeladen,".length)
    const [word] = [...range.getClientRects()]
    const box = element.getBoundingClientRect()
    return {
      count: range.getClientRects().length,
      above: Math.round(word!.top - box.top) < 5,
      indented: word!.left > box.left + 5,
    }
  })
  expect(lines).toEqual({ count: 1, above: true, indented: true })
})
