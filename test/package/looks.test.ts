import { mkdir } from "node:fs/promises"
import { createRequire } from "node:module"
import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { findFreePort } from "../adapters/apps/listen.ts"
import { runProgram, startProgram } from "../adapters/apps/start-process.ts"
import { bundlePage } from "../bindings/bundle-page.ts"
import { type Site, startSite } from "../bindings/start-site.ts"
import { launchChromium } from "../browser/chromium.ts"
import { type Consumer, createConsumer } from "./consumer.ts"
import { type LooksApp, looksApps } from "./looks-apps.ts"
import { writeFiles } from "./try-app.ts"
import { take, type Way, ways } from "./ways.ts"

const axeSource = createRequire(import.meta.url).resolve("axe-core/axe.min.js")

/** Where pictures are kept, if they are to be looked at. */
const pictures = process.env["LOOKS_PICTURES"]

/** Ways of a default application, and those that an app adds to it. */
const waysOf = ({ followsSystem }: LooksApp): Readonly<Record<string, Way>> => ({
  "a light system": { system: "light", is: "light" },
  "a dark system": { system: "dark", is: followsSystem ? "dark" : "light" },
  ...ways,
})

let browser: Browser
let site: Site

beforeAll(async () => {
  browser = await launchChromium()
  // The route handler and the ingest of every app: what is asked here is how the components look.
  site = await startSite({ script: await bundlePage("react.ts") })
  site.refuse("broken.png", 403, 9999)
})
afterAll(async () => {
  await browser?.close()
  await site?.close()
})

const png = (name: string) => ({ name, mimeType: "image/png", buffer: Buffer.alloc(2_000_000, 1) })

/** Opens an app's page, its uploads led to the test's own handler. */
const openApp = async (origin: string): Promise<Page> => {
  const page = await browser.newPage({ viewport: { width: 720, height: 720 } })
  await page.addInitScript(() => Reflect.deleteProperty(globalThis, "showOpenFilePicker"))
  await page.route(/\/api\/sluice(\?|$)/, async (route) => {
    const { pathname, search } = new URL(route.request().url())
    await route.fulfill({ response: await route.fetch({ url: `${site.url}${pathname}${search}` }) })
  })
  await page.goto(origin)
  await page.locator('[data-component="dropzone"]:not([data-state="loading"])').waitFor()
  return page
}

const look = (page: Page) =>
  page.evaluate(async () => {
    await Promise.all(document.getAnimations().map((animation) => animation.finish()))
    const style = (selector: string, pseudo?: string) => {
      const element = document.querySelector(selector)
      if (element === null) throw new Error(`There is no ${selector}.`)
      return getComputedStyle(element, pseudo)
    }
    const { axe } = globalThis as unknown as { axe: typeof import("axe-core") }
    const { violations } = await axe.run({ include: [["[data-sluice=container]"]] }, { runOnly: ["color-contrast"] })
    const dropzone = '[data-component="dropzone"]'
    const button = style('[data-component="button"] [data-sluice="button"]')
    const choose = style(`${dropzone} [data-sluice="button"]`)
    const area = style(`${dropzone} [data-sluice="area"]`)
    const row = style('[data-sluice="file"]')
    const [track, bar] = ["::before", "::after"].map((pseudo) => style('[data-sluice="file-progress"]', pseudo))
    return {
      is: Number(/oklch\(([\d.]+)/.exec(style(dropzone).color)?.[1]) > 0.5 ? "dark" : "light",
      hasFill: !["rgba(0, 0, 0, 0)", "transparent"].includes(button.backgroundColor),
      text: button.color,
      padding: [choose.paddingTop, choose.paddingLeft],
      borders: [choose.borderTopWidth, choose.borderTopStyle, area.borderTopStyle, row.borderTopWidth],
      // In rem, for apps have their own size of it.
      room: [area.paddingTop, row.paddingTop].map(
        (size) => Number.parseFloat(size) / Number.parseFloat(style("html").fontSize),
      ),
      hasBar: bar!.backgroundColor !== track!.backgroundColor && bar!.height !== "0px",
      faint: violations.flatMap(({ nodes }) => nodes.map(({ html, any }) => `${html.slice(0, 60)} ${any[0]?.message}`)),
    }
  })

const inspectApp = async (name: string, mode: string, app: LooksApp, origin: string): Promise<void> => {
  const page = await openApp(origin)
  const picture = async (state: string) => {
    if (pictures === undefined) return
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
      await page.screenshot({ path: join(pictures, `${name}-${mode}-${state}-${colorScheme}.png`) })
    }
  }
  await picture("idle")
  site.hold("held.png", 700_000)
  const input = page.locator('[data-component="dropzone"] input[type=file]')
  await input.setInputFiles([png("held.png"), png("broken.png"), png("done.png")])
  for (const state of ["failed", "done"]) await page.locator(`[data-sluice="file"][data-state="${state}"]`).waitFor()
  await picture("busy")
  await page.addScriptTag({ path: axeSource })
  const seen: Record<string, unknown> = {}
  const wanted: Record<string, unknown> = {}
  for (const [name, way] of Object.entries(waysOf(app))) {
    await page.emulateMedia({ colorScheme: way.system, reducedMotion: "reduce" })
    await page.evaluate(take, way)
    const { padding, ...rest } = await look(page)
    seen[name] = {
      ...rest,
      padding: app.padding === undefined ? padding[0] !== "0px" && padding[1] !== "0px" : padding[1],
    }
    wanted[name] = {
      is: way.is,
      hasFill: true,
      text: "rgb(255, 255, 255)",
      padding: app.padding ?? true,
      borders: ["1px", "solid", "dashed", "1px"],
      room: [1.75, 0.5],
      hasBar: true,
      faint: [],
    }
  }
  await page.close()
  expect(seen).toEqual(wanted)
}

describe.each(Object.entries(looksApps))("a default application of %s, after sluice init", (name, app) => {
  let consumer: Consumer
  let folder: string

  beforeAll(async () => {
    consumer = await createConsumer(app.links)
    folder = join(consumer.folder, "app")
    if (app.generate !== undefined) await runProgram(app.generate, { cwd: consumer.folder })
    await mkdir(folder, { recursive: true })
    await writeFiles({ ...consumer, folder }, app.setup ?? {})
    const sluice = join(consumer.folder, "node_modules/sluice")
    await runProgram([join(sluice, "dist/cli/main.js"), "init", "--yes"], { cwd: folder })
    await writeFiles({ ...consumer, folder }, app.files)
    await app.change?.(folder)
  })
  afterAll(() => consumer?.remove())

  const run = async (mode: "development" | "production") => {
    const port = String(await findFreePort())
    const env = {
      HOST: "127.0.0.1",
      PORT: port,
      ...app.env,
    }
    if (mode === "production") await runProgram(app.build, { cwd: folder, env })
    const { close } = await startProgram(mode === "production" ? app.start(port) : app.dev(port), { cwd: folder, env })
    try {
      await inspectApp(name, mode, app, `http://127.0.0.1:${port}`)
    } finally {
      await close()
    }
  }

  it("looks as it should in development, light and dark", () => run("development"))
  it("looks as it should in production, light and dark", () => run("production"))
})
