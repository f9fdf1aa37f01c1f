import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest"
import { bundle, bundleElement } from "../browser/bundle.ts"
import { launchChromium } from "../browser/chromium.ts"

/** A component of which the page renders a container of its own. */
const headless = `
import { createUploadComponent, createUploadSetup, uploadButton } from "./ui.ts"
const component = createUploadComponent(createUploadSetup(), uploadButton, { endpoint: "avatar" }, "mine")
document.body.insertAdjacentHTML("beforeend", '<div id="mine">Drop it here</div>')
component.connect()
document.body.dataset.connected = "yes"`

let browser: Browser
let styles: string
const scripts: Record<string, string> = {}
let page: Page
let said: Array<string>

beforeAll(async () => {
  browser = await launchChromium()
  styles = await readFile(join(import.meta.dirname, "../../src/ui/styles.css"), "utf8")
  for (const mode of ["development", "test", "production"]) scripts[mode] = await bundleElement(mode)
  scripts["headless"] = await bundle(headless, { mode: "development" })
})
afterAll(() => browser?.close())
beforeEach(async () => {
  page = await browser.newPage()
  said = []
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) said.push(message.text())
  })
})
afterEach(() => page.close())

const routes = [
  {
    slug: "avatar",
    config: { image: { maxFileSize: "4MB", maxFileCount: 1, minFileCount: 1, contentDisposition: "inline" } },
  },
]
const button = `<sluice-button endpoint="avatar"></sluice-button>`
const link = `<link rel="stylesheet" href="/styles.css">`
const minute = 60_000

interface Opened {
  readonly head?: string
  readonly body?: string
  readonly script?: keyof typeof scripts
  /** When the stylesheet comes. */
  readonly stylesheet?: Promise<void>
}

const open = async ({ head = "", body = button, script = "development", stylesheet }: Opened) => {
  await page.clock.install()
  await page.route("**/*", async (route) => {
    const { pathname } = new URL(route.request().url())
    if (pathname === "/styles.css") await stylesheet
    const [contentType, text] =
      pathname === "/page.js"
        ? ["text/javascript", scripts[script]!]
        : pathname === "/styles.css"
          ? ["text/css", styles]
          : pathname === "/api/sluice"
            ? ["application/json", JSON.stringify(routes)]
            : [
                "text/html",
                `<!doctype html><html lang="en"><head><link rel="icon" href="data:,">${head}</head><body>${body}<script type="module" src="/page.js"></script></body></html>`,
              ]
    await route.fulfill({ contentType, body: text })
  })
  await page.goto("http://app.test/", { waitUntil: "commit" })
}
const isShown = () => page.locator('[data-sluice="container"]').first().waitFor({ state: "attached" })

test("a component without the stylesheet says so once, with the line that is missing", async () => {
  await open({ body: button + button })
  await isShown()
  await page.clock.runFor(minute)
  expect(said).toEqual([
    expect.stringMatching(
      /^Sluice: The stylesheet .*import "sluice\/styles\.css".*npx sluice init.*--sluice-styles: own/,
    ),
  ])
})

test.each([
  ["the stylesheet is there", { head: link }],
  ["the page says that its styles are its own", { head: `<style>:root { --sluice-styles: own }</style>` }],
  ["the component is not to be seen", { body: `<dialog>${button}</dialog>` }],
  ["the build is one for production", { script: "production" }],
  ["a test runs", { script: "test" }],
] as const)("nothing is said where %s", async (_, opened) => {
  await open(opened)
  await isShown()
  await page.clock.runFor(minute)
  expect(said).toEqual([])
})

test("nothing is said of markup that is the page's own", async () => {
  await open({ script: "headless", body: "" })
  await page.locator("[data-connected]").waitFor()
  await page.clock.runFor(minute)
  expect(said).toEqual([])
})

test("a stylesheet that comes late is waited for", async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  await open({ stylesheet: promise })
  await isShown()
  await page.evaluate((html) => document.head.insertAdjacentHTML("beforeend", html), link)
  await page.clock.runFor(15_000)
  resolve()
  await page.waitForFunction(() => document.querySelector<HTMLLinkElement>("[rel=stylesheet]")?.sheet)
  await page.clock.runFor(minute)
  expect(said).toEqual([])
})

test("a stylesheet that does not come at all is not waited for without end", async () => {
  await open({ stylesheet: new Promise(() => {}) })
  await isShown()
  await page.evaluate((html) => document.head.insertAdjacentHTML("beforeend", html), link)
  await page.clock.runFor(minute)
  expect(said).toEqual([expect.stringContaining("sluice/styles.css")])
})

const inShadow = (content: string) => `<div><template shadowrootmode="open">${content}${button}</template></div>`

test.each([
  ["one of its own", link, []],
  ["that of the document", "", [expect.stringContaining("in a shadow root")]],
])("a stylesheet is one for a shadow root where it is %s", async (_, own, wanted) => {
  await open({ head: link, body: inShadow(own) })
  await isShown()
  await page.clock.runFor(minute)
  expect(said).toEqual(wanted)
})
