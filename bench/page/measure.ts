import { join } from "node:path"
import type { Page } from "playwright-core"
import { launchWholeChromium } from "../../test/browser/chromium.ts"
import { findPageMemory } from "../../test/browser/page-memory.ts"
import { choices, writeChoice } from "./pictures.ts"
import { serveApp } from "./site.ts"

/**
 * One process chooses files in one component and looks at all of its list: `node measure.ts <app> <choice> <folder>`.
 * Prints memory of the page's process in MB (1e6 bytes), long tasks in ms.
 */
const [, , app = "", choice = "", folder = ""] = process.argv
const { count, hasPictures } = choices[choice]!

declare global {
  interface Window {
    /** How a page's list is looked at. */
    bench: {
      readonly input: string
      readonly count: () => number
      readonly rows: () => Iterable<Element>
      readonly hasPicture: (row: Element) => boolean
    }
    longTasks: Array<number>
  }
}

/** Waits for every picture that is to be seen now. */
const seePictures = (page: Page) =>
  page.waitForFunction(
    () =>
      [...window.bench.rows()].every((row) => {
        // A list that scrolls by itself hides rows that lie within the window.
        const { left, top, bottom } = row.getBoundingClientRect()
        const shown = document.elementFromPoint(left + 20, (top + bottom) / 2)
        return !row.contains(shown) || window.bench.hasPicture(row)
      }),
    undefined,
    { timeout: 120_000 },
  )

const site = await serveApp(app)
const painter = await launchWholeChromium()
const paths = await writeChoice(painter, choices[choice]!, join(folder, choice))
await painter.close()
const browser = await launchWholeChromium()
const page = await browser.newPage({ viewport: { width: 1000, height: 800 } })
page.on("pageerror", (error) => console.error(error))
await page.addInitScript(() => {
  Reflect.deleteProperty(globalThis, "showOpenFilePicker")
  window.longTasks = []
  new PerformanceObserver((list) =>
    window.longTasks.push(...list.getEntries().map(({ duration }) => duration)),
  ).observe({ type: "longtask" })
})
await page.goto(site.url)
await page.waitForFunction(() => document.querySelector<HTMLInputElement>(window.bench?.input)?.disabled === false)
await page.waitForTimeout(1000)

const memory = await findPageMemory(browser, page)
const before = memory.read()
const endWatch = memory.watch()

await page.evaluate(() => (window.longTasks.length = 0))
const started = performance.now()
await page.locator(await page.evaluate(() => window.bench.input)).setInputFiles([...paths])
await page.waitForFunction((count) => window.bench.count() === count, count, { timeout: 120_000 })
const listed = performance.now() - started
await page.waitForFunction(() => [...window.bench.rows()].length > 0)
await page.waitForTimeout(500)

// Once down the list, wherever it scrolls, as fast as pictures come. What scrolls is looked for once: a walk through a whole
// page at each step would leave garbage in the memory that is measured, and the more the more rows there are.
await page.mouse.move(500, 300)
const scrollers = await page.evaluateHandle(() => [
  document.scrollingElement!,
  ...[...document.querySelectorAll("#root *")].filter(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight),
])
for (let isEnd = false; !isEnd;) {
  if (hasPictures) await seePictures(page)
  const readPlaces = () => scrollers.evaluate((elements) => elements.map(({ scrollTop }) => scrollTop).join())
  const places = await readPlaces()
  await page.mouse.wheel(0, 500)
  await page.waitForTimeout(200)
  isEnd = places === (await readPlaces())
}
const seen = performance.now() - started
await page.waitForTimeout(1500)
const peak = endWatch()
const longTasks = await page.evaluate(() => window.longTasks)
// What the page keeps, whenever the browser collects what it does not.
const devTools = await page.context().newCDPSession(page)
await devTools.send("HeapProfiler.collectGarbage")
await devTools.send("Memory.simulatePressureNotification", { level: "critical" })
await page.waitForTimeout(2000)
console.log(
  JSON.stringify({
    peak,
    kept: memory.read(),
    before,
    longTasks: longTasks.length,
    longest: Math.max(0, ...longTasks),
    blocked: longTasks.reduce((sum, duration) => sum + duration - 50, 0),
    listed,
    seen: seen / 1000,
  }),
)
if (process.env["BENCH_SCREENSHOT"]) await page.screenshot({ path: process.env["BENCH_SCREENSHOT"] })
await browser.close()
site.stop()
process.exit(0)
