import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { launchChromium } from "../browser/chromium.ts"
import { bundlePage } from "./bundle-page.ts"
import { type Site, startSite } from "./start-site.ts"

/** The build that compiles templates, and warns. */
const withCompiler = {
  name: "vue-with-compiler",
  setup: (build: import("esbuild").PluginBuild) => {
    const path = join(import.meta.dirname, "../../node_modules/vue/dist/vue.esm-browser.js")
    build.onResolve({ filter: /^vue$/ }, () => ({ path }))
  },
}

let browser: Browser
let site: Site
let page: Page
let complaints: Array<string>

beforeAll(async () => {
  const [script, launched] = await Promise.all([bundlePage("vue-template.ts", [withCompiler]), launchChromium()])
  browser = launched
  site = await startSite({ script })
})
afterAll(async () => {
  await browser?.close()
  await site?.close()
})
beforeEach(async () => {
  page = await browser.newPage()
  page.setDefaultTimeout(5000)
  complaints = []
  page.on("pageerror", (error) => complaints.push(String(error)))
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text())
  })
  await page.goto(site.url)
  await page.locator('#photos[data-state="idle"]').waitFor()
})

const told = (name: string): Promise<Array<unknown>> =>
  page.evaluate((name) => window.told.filter((event) => event.name === name).map(({ detail }) => detail), name)
const choose = (name: string, mimeType = "image/png") =>
  page.setInputFiles("#photos-input", { name, mimeType, buffer: Buffer.alloc(10) })
const set = (name: string, value: unknown) =>
  page.evaluate(
    ([name, value]) => {
      const { [name as "endpoint"]: ref, nextTick } = window as unknown as Record<"endpoint", { value: unknown }> & {
        nextTick: () => Promise<void>
      }
      ref.value = value
      return nextTick()
    },
    [name, value],
  )

test("attributes fall through to the container; its class is merged like the others", async () => {
  const container = page.locator("#photos")
  expect(await container.getAttribute("class")).toBe("mine wide+roomy")
  expect(await container.getAttribute("data-test")).toBe("passed on")
  expect(await container.evaluate((element) => getComputedStyle(element).color)).toBe("rgb(1, 2, 3)")
  expect(await page.locator("#off").getAttribute("data-state")).toBe("disabled")
  expect(complaints).toEqual([])
})

test("listeners in kebab-case are told, two of one name both", async () => {
  await choose("a.png")
  await page.locator('[data-state="done"]').first().waitFor()
  expect(await told("complete")).toEqual([["a.png"]])
  expect(await told("change")).toEqual([["a.png"]])
  expect(await told("change again")).toEqual([null])
  await choose("b.txt", "text/plain")
  await page.locator('[data-state="failed"]').first().waitFor()
  await expect.poll(() => told("error")).toEqual(["FILE_TYPE_NOT_ALLOWED"])
  expect(complaints).toEqual([])
})

test("slots stand in the parts of their names, and follow the state", async () => {
  expect(await page.locator("#photos-allowed").textContent()).toBe("image")
  await choose("a.png")
  await page.locator('[data-sluice="file-name"]', { hasText: "a.png done" }).waitFor()
  expect(await page.locator('[data-sluice="file-name"] b').textContent()).toBe("a.png")
  expect(complaints).toEqual([])
})

test("new props are followed", async () => {
  await set("endpoint", "anything")
  await page.locator("#photos-allowed", { hasText: "blob" }).waitFor()
  expect(await page.locator("#photos-input").getAttribute("accept")).toBe(null)
})

test("what an upload comes to is told after its component has gone", async () => {
  const release = site.hold("late.png", 5)
  await choose("late.png")
  await expect.poll(() => site.inFlight()).toBe(1)
  await set("isShown", false)
  expect(await page.locator("#photos").count()).toBe(0)
  release()
  await expect.poll(() => told("complete")).toEqual([["late.png"]])
  expect(complaints).toEqual([])
})

test("refs of the composable unwrap in templates, and its parts are bound", async () => {
  const input = page.locator("input[type=file]").last()
  await page.locator("button:enabled", { hasText: "idle" }).waitFor()
  await input.setInputFiles({ name: "own.png", mimeType: "image/png", buffer: Buffer.alloc(10) })
  await page.locator("button", { hasText: "picked" }).waitFor()
  expect(complaints).toEqual([])
})
