/*
 * npm run screenshots: button and dropzone in every state, light and dark, as one sheet each in docs/components,
 * and one picture for the README.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { launchProfile } from "../browser/chromium.ts"
import { bundlePage } from "./bundle-page.ts"
import { startSite } from "./start-site.ts"

const root = join(import.meta.dirname, "../..")
const profile = await mkdtemp(join(tmpdir(), "sluice-screenshots-"))
const context = await launchProfile(profile)
const [script, styles] = await Promise.all([bundlePage("react.ts"), readFile(join(root, "src/ui/styles.css"), "utf8")])
const site = await startSite({
  script,
  styles: `${styles}
    body { margin: 2rem; font: 16px/1.5 system-ui, sans-serif; background: light-dark(#f5f7f7, #0f1416); }
    h1, main > label { display: none; }
    #root { width: fit-content; }
    #root:has([data-component="dropzone"]) { width: 26rem; }`,
})

const becomes = (page: Page, state: string) =>
  page.locator(`[data-sluice="container"][data-state="${state}"]`).waitFor()

/** A picture of a sunset, so that previews have something to show. */
const picture = async (page: Page): Promise<Buffer> => {
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

const choose = async (page: Page, names: ReadonlyArray<string>, size = 1_000_000) => {
  const image = await picture(page)
  await page.setInputFiles(
    "input[type=file]",
    names.map((name) => ({
      name,
      mimeType: name.endsWith(".png") ? "image/png" : name.endsWith(".pdf") ? "application/pdf" : "text/plain",
      buffer: Buffer.concat([name.endsWith(".png") ? image : Buffer.from("%PDF-1.7\n"), Buffer.alloc(size, 1)]),
    })),
  )
}
const press = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true }).click()
const rowBecomes = (page: Page, file: string, state: string) =>
  page.locator(`[data-sluice="file"][data-state="${state}"]`, { hasText: file }).waitFor()
/** Until the bar has moved to where the held upload lets it. */
const settle = (page: Page) => page.waitForTimeout(700)

/** Opens a component, lets it have files, and waits until it is in a state. */
const show = async (
  page: Page,
  query: string,
  { files = [], size, state }: { files?: ReadonlyArray<string>; size?: number; state: string },
) => {
  await page.goto(`${site.url}/?component=${query}`)
  await page.locator('[data-sluice="container"]:not([data-state="loading"])').waitFor()
  if (files.length > 0) await choose(page, files, size)
  await becomes(page, state)
}

type Scene = readonly [caption: string, play: (page: Page) => Promise<void>]

/** The route handler does not answer. */
const load = async (page: Page, component: string) => {
  await page.route("**/api/sluice", () => {})
  await page.goto(`${site.url}/?component=${component}`)
  await becomes(page, "loading")
}

const upload = async (page: Page) => {
  site.hold("sunset.png", 9_000_000)
  await show(page, "button&endpoint=anything", { files: ["sunset.png"], size: 30_000_000, state: "uploading" })
  await settle(page)
}

const button: ReadonlyArray<Scene> = [
  ["loading", (page) => load(page, "button")],
  ["idle", (page) => show(page, "button", { state: "idle" })],
  [
    "picked (manual)",
    (page) => show(page, "button&mode=manual", { files: ["sunset.png", "beach.png"], state: "picked" }),
  ],
  ["uploading", upload],
  [
    "paused",
    async (page) => {
      await upload(page)
      await press(page, "Pause")
      await becomes(page, "paused")
    },
  ],
  ["done", (page) => show(page, "button", { files: ["done.png"], state: "done" })],
  [
    "failed: refused by the app",
    (page) => show(page, "button&endpoint=forbidden", { files: ["sunset.png"], state: "failed" }),
  ],
  [
    "failed: can be tried again",
    async (page) => {
      site.refuse("broken.png", 500, 99)
      await show(page, "button", { files: ["broken.png"], state: "failed" })
    },
  ],
  ["disabled", (page) => show(page, "button&disabled", { state: "disabled" })],
]

const dropzone: ReadonlyArray<Scene> = [
  ["loading", (page) => load(page, "dropzone")],
  ["idle", (page) => show(page, "dropzone", { state: "idle" })],
  [
    "files held over it",
    async (page) => {
      await show(page, "dropzone", { state: "idle" })
      const dataTransfer = await page.evaluateHandle(() => {
        const data = new DataTransfer()
        data.items.add(new File(["a"], "a.png"))
        return data
      })
      await page.dispatchEvent('[data-sluice="label"]', "dragenter", { dataTransfer })
    },
  ],
  [
    "picked",
    (page) => show(page, "dropzone&endpoint=anything", { files: ["sunset.png", "notes.txt"], state: "picked" }),
  ],
  [
    "on its way, paused, cancelled, failed, done",
    async (page) => {
      const held = ["sunset.png", "paused.png", "cancelled.png"]
      for (const name of held) site.hold(name, 3_000_000)
      site.refuse("broken.pdf", 500, 99)
      await show(page, "dropzone&endpoint=anything&mode=auto", { files: held, size: 14_000_000, state: "uploading" })
      await choose(page, ["broken.pdf", "done.pdf"])
      await rowBecomes(page, "done.pdf", "done")
      await rowBecomes(page, "broken.pdf", "failed")
      await settle(page)
      await press(page, "Cancel cancelled.png")
      await press(page, "Pause paused.png")
      await rowBecomes(page, "paused.png", "paused")
    },
  ],
  [
    "one waits for its turn",
    async (page) => {
      const held = ["1.png", "2.png", "3.png", "4.png", "5.png"]
      for (const name of held) site.hold(name, 3_000_000)
      await show(page, "dropzone&endpoint=anything&mode=auto", { files: held, size: 8_000_000, state: "uploading" })
      await rowBecomes(page, "5.png", "queued")
      await settle(page)
    },
  ],
  [
    "paused",
    async (page) => {
      site.hold("sunset.png", 3_000_000)
      const query = "dropzone&endpoint=anything&mode=auto"
      await show(page, query, { files: ["sunset.png"], size: 14_000_000, state: "uploading" })
      await settle(page)
      await press(page, "Pause")
      await becomes(page, "paused")
    },
  ],
  [
    "offline",
    async (page) => {
      await show(page, "dropzone", { files: ["sunset.png"], state: "picked" })
      await context.setOffline(true)
      await press(page, "Upload 1 file")
      await rowBecomes(page, "sunset.png", "waiting")
    },
  ],
  [
    "interrupted by a reload",
    async (page) => {
      site.hold("holiday.mp4", 3_000_000)
      const query = "dropzone&mode=auto&sessions&endpoint=anything"
      await show(page, query, { files: ["holiday.mp4"], size: 9_900_000, state: "uploading" })
      await settle(page)
      await page.reload()
      await page.getByRole("button", { name: "Discard" }).waitFor()
    },
  ],
  ["failed: what the route does not take", (page) => show(page, "dropzone", { files: ["notes.txt"], state: "failed" })],
  ["done", (page) => show(page, "dropzone&mode=auto", { files: ["done.png"], state: "done" })],
  ["disabled", (page) => show(page, "dropzone&disabled", { state: "disabled" })],
]

const shoot = async ([caption, play]: Scene, colorScheme: "light" | "dark"): Promise<string> => {
  const page = await context.newPage()
  await page.addInitScript(() => Reflect.deleteProperty(globalThis, "showOpenFilePicker"))
  await page.emulateMedia({ colorScheme })
  await play(page)
  const picture = await page.locator("#root").screenshot({ animations: "disabled" })
  await context.setOffline(false)
  await page.evaluate(() => indexedDB.deleteDatabase("sluice-uploads"))
  await page.close()
  return `<figure class="${colorScheme}"><img src="data:image/png;base64,${picture.toString("base64")}"><figcaption>${caption}</figcaption></figure>`
}

/** Lays pictures out in two columns, light and dark. */
const lay = async (name: string, width: number, columns: ReadonlyArray<ReadonlyArray<string>>) => {
  const [light, dark] = columns.map((figures) => figures.join(""))
  const sheet = await context.newPage()
  await sheet.setViewportSize({ width, height: 200 })
  await sheet.setContent(`<style>
    body { margin: 0; display: grid; grid-template-columns: 1fr 1fr; font: 13px/1.4 system-ui, sans-serif; }
    section { padding: 20px 28px; display: grid; gap: 22px; align-content: start; }
    figure { margin: 0; display: grid; gap: 6px; justify-items: start; }
    img { max-width: 100%; }
    .light { background: #f5f7f7; color: #566466; } .dark { background: #0f1416; color: #9eacaf; }
  </style><section class="light">${light}</section><section class="dark">${dark}</section>`)
  await sheet.screenshot({ path: join(root, "docs/components", `${name}.png`), fullPage: true })
  await sheet.close()
  console.log(`docs/components/${name}.png`)
}

const themes = ["light", "dark"] as const
const shootAll = async (scenes: ReadonlyArray<Scene>) => {
  const columns: Array<Array<string>> = []
  for (const theme of themes) {
    const figures: Array<string> = []
    for (const scene of scenes) figures.push(await shoot(scene, theme))
    columns.push(figures)
  }
  return columns
}

const busy = dropzone.findIndex(([caption]) => caption.startsWith("on its way"))
const withoutCaption = (figure: string) => figure.replace(/<figcaption>.*<\/figcaption>/, "")
await lay("button", 640, await shootAll(button))
const columns = await shootAll(dropzone)
await lay("dropzone", 1000, columns)
await lay(
  "overview",
  1000,
  columns.map((figures) => [withoutCaption(figures[busy]!)]),
)
await context.close()
await site.close()
await rm(profile, { recursive: true, force: true, maxRetries: 5 })
