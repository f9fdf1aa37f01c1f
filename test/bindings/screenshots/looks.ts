import type { Page } from "playwright-core"
import type { Scene } from "./stage.ts"

/** How a page is looked at. */
export interface Look {
  readonly name: string
  readonly width: number
  readonly colorScheme: "light" | "dark"
  readonly dir?: "rtl"
  readonly hasForcedColors?: boolean
}

export const looks: ReadonlyArray<Look> = [
  { name: "320", width: 320, colorScheme: "light" },
  { name: "320 dark", width: 320, colorScheme: "dark" },
  { name: "320 right to left", width: 320, colorScheme: "light", dir: "rtl" },
  { name: "320 forced colours", width: 320, colorScheme: "dark", hasForcedColors: true },
  { name: "768", width: 768, colorScheme: "light" },
  { name: "768 dark", width: 768, colorScheme: "dark" },
  { name: "1280 right to left", width: 1280, colorScheme: "dark", dir: "rtl" },
  { name: "1280", width: 1280, colorScheme: "light" },
]

/** What a scene looks like, in every look. */
export const shootLooks = async (page: Page, scene: Scene): Promise<ReadonlyArray<Buffer>> => {
  const dir = await page.evaluate(() => document.documentElement.dir)
  const pictures: Array<Buffer> = []
  for (const { width, colorScheme, hasForcedColors = false, dir: other } of looks) {
    await page.setViewportSize({ width, height: scene.isOver ? 640 : 400 })
    await page.emulateMedia({ colorScheme, forcedColors: hasForcedColors ? "active" : "none" })
    await page.evaluate((dir) => (document.documentElement.dir = dir), other ?? dir)
    await scene.again?.(page)
    // Two frames: what follows the size by script has done so.
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
    // As high as what is shown, with what stands around it, rings of the focus say. A full page's screenshot would end the
    // emulation of fingers.
    const height = await page.evaluate(() =>
      Math.ceil(document.querySelector("main")!.getBoundingClientRect().bottom + 12),
    )
    if (!scene.isOver) await page.setViewportSize({ width, height })
    pictures.push(await page.screenshot({ animations: "disabled" }))
  }
  return pictures
}
