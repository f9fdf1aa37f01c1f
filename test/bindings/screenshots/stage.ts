import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { BrowserContext, Page } from "playwright-core"
import { launchProfile } from "../../browser/chromium.ts"
import { bundlePage } from "../bundle-page.ts"
import { type Site, startSite } from "../start-site.ts"

/** Where scenes are played. */
export interface Stage {
  readonly page: Page
  readonly context: BrowserContext
  readonly site: Site
}

/** A state of a component: what it is called below its picture, and how a page gets there. */
export interface Scene {
  readonly caption: string
  readonly play: (stage: Stage) => Promise<unknown>
  /** Of the whole window, because something lies over the page. */
  readonly isOver?: boolean
  /** What follows each change of the window's size, where something stands where things were before. */
  readonly again?: (page: Page) => Promise<unknown>
  /** On a phone: a finger is its pointer. */
  readonly isPhone?: boolean
}

const styles = await readFile(join(import.meta.dirname, "../../../src/ui/styles.css"), "utf8")

/**
 * Opens a browser with a profile of its own, and a site.
 *
 * @param css the page's own
 */
export const openStage = async (css: string) => {
  const profile = await mkdtemp(join(tmpdir(), "sluice-screenshots-"))
  const context = await launchProfile(profile)
  const [language, components] = await Promise.all([bundlePage("speak.ts"), bundlePage("react.ts")])
  const site = await startSite({
    // The language first, which components are made with.
    script: `(() => {${language}})();\n${components}`,
    styles: `${styles}
      body { margin: 2rem; font: 16px/1.5 system-ui, sans-serif; background: light-dark(#f5f7f7, #0f1416); }
      h1, nav, main > label { display: none; }
      ${css}`,
  })
  return {
    /** Plays a scene on a page of its own, lets it be looked at, and takes it away. */
    play: async (scene: Scene, look: (page: Page) => Promise<void>, colorScheme: "light" | "dark" = "light") => {
      const page = await context.newPage()
      await page.addInitScript(() => Reflect.deleteProperty(globalThis, "showOpenFilePicker"))
      await page.emulateMedia({ colorScheme })
      if (scene.isPhone) await becomePhone(page)
      const ends: Array<() => void> = []
      const end =
        <Given extends ReadonlyArray<unknown>>(start: (...given: Given) => () => void) =>
        (...given: Given) => {
          const stop = start(...given)
          ends.push(stop)
          return stop
        }
      const ending: Site = Object.assign(Object.create(site) as Site, {
        hold: end(site.hold),
        holdCallbacks: end(site.holdCallbacks),
        refuse: (file: string, status: number, times: number) => {
          site.refuse(file, status, times)
          ends.push(() => site.refuse(file, status, 0))
        },
      })
      await scene.play({ page, context, site: ending })
      await look(page)
      for (const stop of ends) stop()
      await context.setOffline(false)
      await page.evaluate(() => indexedDB.deleteDatabase("sluice-resume"))
      await page.close()
    },
    context,
    close: async () => {
      await context.close()
      await site.close()
      await rm(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

const becomePhone = async (page: Page) => {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send("Emulation.setTouchEmulationEnabled", { enabled: true, maxTouchPoints: 5 })
}

/** A picture of a sunset, so that previews have something to show. */
const paint = async (page: Page): Promise<Buffer> => {
  const base64 = await page.evaluate(() => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 160, height: 160 })
    const paint = canvas.getContext("2d")!
    const sky = paint.createLinearGradient(0, 0, 0, 160)
    for (const [at, colour] of [
      [0, "#27476e"],
      [0.6, "#e2725b"],
      [0.75, "#f7c59f"],
      [0.76, "#1b3a4b"],
      [1, "#0b2027"],
    ] as const) {
      sky.addColorStop(at, colour)
    }
    paint.fillStyle = sky
    paint.fillRect(0, 0, 160, 160)
    paint.fillStyle = "#ffe9c7"
    paint.arc(80, 104, 18, Math.PI, 0)
    paint.fill()
    return canvas.toDataURL("image/png").split(",")[1]!
  })
  return Buffer.from(base64, "base64")
}

/** The same as an address. */
export const sunset = async (page: Page) => `data:image/png;base64,${(await paint(page)).toString("base64")}`

const types: Readonly<Record<string, string>> = { png: "image/png", pdf: "application/pdf" }

export const choose = async (page: Page, names: ReadonlyArray<string>, size = 1_000_000) => {
  const image = await paint(page)
  await page
    .locator("input[type=file]:not([capture])")
    .first()
    .setInputFiles(
      names.map((name) => ({
        name,
        mimeType: types[name.split(".").at(-1)!] ?? "text/plain",
        buffer: Buffer.concat([name.endsWith(".png") ? image : Buffer.from("%PDF-1.7\n"), Buffer.alloc(size, 1)]),
      })),
    )
}

/** Opens a component, and waits for what its route takes. */
export const open = async ({ page, site }: Stage, query: string) => {
  await page.goto(`${site.url}/?component=${query}`)
  await page.locator('[data-sluice="container"]:not([data-state="loading"])').first().waitFor()
}

export const becomes = (page: Page, state: string) =>
  page.locator(`[data-sluice="container"][data-state="${state}"]`).first().waitFor()
export const press = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, exact: true }).first().click()
export const rowBecomes = (page: Page, file: string, state: string) =>
  page.locator(`[data-sluice="file"][data-state="${state}"]`, { hasText: file }).first().waitFor()
/** Until bars have moved to where held uploads let them, and pictures are there. */
export const settle = (page: Page, ms = 700) => page.waitForTimeout(ms)

/** Until bytes are on their way, and remembered. */
export const hasBegun = async (page: Page) => {
  await page
    .locator('[data-sluice="file-state"]', { hasText: /[1-9]\d? %/ })
    .first()
    .waitFor()
  await settle(page, 1_500)
}

/** Opens a component, lets it have files, and waits until it is in a state. */
export const show = async (
  stage: Stage,
  query: string,
  { files = [], size, state }: { files?: ReadonlyArray<string>; size?: number; state: string },
) => {
  await open(stage, query)
  if (files.length > 0) await choose(stage.page, files, size)
  await becomes(stage.page, state)
}

/** Holds files over the component. */
export const drag = async (page: Page, names: ReadonlyArray<string>, target = '[data-sluice="label"]') => {
  const dataTransfer = await page.evaluateHandle(
    (files) => {
      const data = new DataTransfer()
      for (const [name, type] of files) data.items.add(new File(["a"], name, { type }))
      return data
    },
    names.map((name) => [name, types[name.split(".").at(-1)!] ?? ""] as const),
  )
  await page.dispatchEvent(target, "dragenter", { dataTransfer })
}
