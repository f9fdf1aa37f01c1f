import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { RouteDescription } from "../../src/ui.ts"
import { extractRouteConfig } from "../../src/server.ts"
import { launchChromium } from "../browser/chromium.ts"
import { pixel } from "../browser/pixel.ts"
import { router } from "./apps/router.ts"
import { startSite } from "./start-site.ts"

/** A piece of a page that is hydrated by itself. `early`: a dropzone; `late`: a button, a dropzone and a tray. */
export type PagePart = "early" | "late"

/** A page of one framework whose dropzones and tray have the same `createUploads()`. */
export interface LateHydration {
  /** Renders a part as a server does, with `RouteConfigSeed` for its components where there are routes. */
  readonly render: (part: PagePart, routes?: ReadonlyArray<RouteDescription>) => string | Promise<string>
  /** The page's scripts by their modes: each hydrates `early` at once, and `late` by `hydrateLate()`. */
  readonly scripts: () => Promise<Readonly<Record<string, string>>>
  /** What the framework always says. */
  readonly isExpected?: (complaint: string) => boolean
}

declare global {
  interface Window {
    hydrateLate: () => void
    /** Whether a late component has said, since it was hydrated, that it does not know its route. */
    wasLoading?: boolean
    /** What a server could say to a page. */
    routes: ReadonlyArray<RouteDescription> | undefined
  }
}

const png = (name: string) => ({ name, mimeType: "image/png", buffer: Buffer.from(pixel) })

/**
 * Holds for the components of every framework that are hydrated after others of their page have been used, and for what
 * its servers render one after another.
 */
export const describeLateHydration = (
  name: string,
  { render, scripts, isExpected = () => false }: LateHydration,
): void => {
  describe(`the components of ${name} that a server has rendered`, () => {
    const routes = extractRouteConfig(router)
    let browser: Browser
    let made: Readonly<Record<string, string>>

    beforeAll(async () => {
      ;[browser, made] = await Promise.all([launchChromium(), scripts()])
    })
    afterAll(() => browser?.close())

    const open = async (mode: string, seeds?: ReadonlyArray<RouteDescription>) => {
      const [early, late] = [await render("early"), await render("late", seeds)]
      const site = await startSite({
        script: `globalThis.routes = ${JSON.stringify(seeds)};${made[mode]}`,
        body: `<div id="early">${early}</div><div id="late">${late}</div>`,
      })
      const page = await browser.newPage()
      const complaints: Array<string> = []
      const complain = (text: string) => {
        if (!isExpected(text)) complaints.push(text)
      }
      page.on("pageerror", (error) => complain(String(error)))
      page.on("console", (message) => {
        if (["error", "warning"].includes(message.type())) complain(message.text())
      })
      await page.goto(site.url)
      const close = async () => {
        await page.close()
        await site.close()
      }
      return { page, complaints, close }
    }
    const ready = ':not([data-state="loading"])'

    for (const mode of ["development", "production"]) {
      for (const seeds of [undefined, routes]) {
        const when = seeds ? "with a seed of their own, " : ""
        test(`come to life ${when}after others have asked and uploaded (${mode})`, async () => {
          const { page, complaints, close } = await open(mode, seeds)
          try {
            const early = page.locator("#early")
            await early.locator(`[data-component="dropzone"]${ready}`).waitFor()
            await early.locator("input[type=file]").setInputFiles(png("a.png"))
            await early.locator('[data-component="dropzone"][data-state="done"]').waitFor()

            await page.evaluate(() => {
              const late = document.getElementById("late")!
              const look = () => late.querySelector('[data-state="loading"]') && (window.wasLoading = true)
              new MutationObserver(look).observe(late, { subtree: true, attributes: true, childList: true })
              window.hydrateLate()
            })
            const dropzone = page.locator('#late [data-component="dropzone"]')
            await dropzone.getByText("a.png").first().waitFor({ timeout: 10_000 })
            await page.locator('#late [data-component="tray"]').getByText("a.png").first().waitFor({ timeout: 10_000 })
            expect(await dropzone.locator("input[type=file]").isEnabled()).toBe(true)
            expect(await dropzone.locator("input[type=file]").getAttribute("accept")).toBe("image/*")
            // What the server has rendered is not taken for another part.
            await dropzone.getByRole("button", { name: "Remove finished" }).waitFor({ timeout: 10_000 })
            const ids = await page.locator("[id]").evaluateAll((elements) => elements.map(({ id }) => id))
            expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
            // What was uploaded before is no news.
            expect(await dropzone.locator('[role="status"]').last().textContent()).toBe("")
            await dropzone.locator("input[type=file]").setInputFiles(png("b.png"))
            await dropzone.getByText("b.png").first().waitFor({ timeout: 10_000 })
            await page.locator('#late [data-component="dropzone"][data-state="done"]').waitFor({ timeout: 10_000 })

            const button = page.locator('#late [data-component="button"]')
            await page.locator(`#late [data-component="button"]${ready}`).waitFor({ timeout: 10_000 })
            expect(await button.locator("button").first().isEnabled()).toBe(true)
            await button.locator("input[type=file]").setInputFiles(png("me.png"))
            await page.locator('#late [data-component="button"][data-state="done"]').waitFor({ timeout: 10_000 })
            if (seeds) expect(await page.evaluate(() => window.wasLoading)).toBeUndefined()
            expect(complaints).toEqual([])
          } finally {
            await close()
          }
        })
      }
    }

    test("are complete where they are seeded, and only there, whatever the server has rendered before", async () => {
      const before = await render("late")
      expect(before).toContain("Loading…")
      const all = await Promise.all([render("late", routes), render("late"), render("late", routes), render("early")])
      expect(all.map((html) => html.includes("Loading…"))).toEqual([false, true, false, true])
      expect(await render("late")).toBe(before)
    })
  })
}
