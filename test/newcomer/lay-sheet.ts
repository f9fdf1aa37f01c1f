import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { Browser } from "playwright-core"
import { type ApplicationName, applications } from "./applications.ts"

/** Applications that have a page of a bundler's: how components look there is what differs. */
const shown: ReadonlyArray<ApplicationName> = ["next", "next-tailwind", "sveltekit", "nuxt", "astro", "vite-react"]

/**
 * Lays pictures of production pages, light and dark, on one sheet: those that the last run of each application left.
 *
 * @param folder where `tryApplication` has put them, a folder for each application
 * @param path the sheet
 * @returns applications of which there are none
 */
export const laySheet = async (
  browser: Browser,
  { folder, path }: { readonly folder: string; readonly path: string },
): Promise<ReadonlyArray<ApplicationName>> => {
  const picturesOf = (name: ApplicationName) =>
    ["light", "class-dark"].map((side) => join(folder, name, `production-${side}.png`))
  const missing = shown.filter((name) => !picturesOf(name).every((picture) => existsSync(picture)))
  if (missing.length > 0) return missing
  const figures = await Promise.all(
    shown.map(async (name) => {
      const pictures = await Promise.all(picturesOf(name).map((picture) => readFile(picture, "base64")))
      const [title] = applications[name].title.split(" (as ")
      return pictures.map(
        (base64) => `<figure><figcaption>${title}</figcaption><img src="data:image/png;base64,${base64}"></figure>`,
      )
    }),
  )
  const page = await browser.newPage({ viewport: { width: 1240, height: 200 } })
  await page.setContent(`<style>
    body { margin: 0; padding: 20px; display: grid; grid-template-columns: 1fr 1fr; gap: 16px; background: #8a9496; }
    figure { margin: 0; display: grid; gap: 4px; font: 13px/1.4 system-ui, sans-serif; color: #fff; }
    img { width: 100%; height: 330px; object-fit: cover; object-position: top; }
  </style>${figures.flat().join("")}`)
  await page.screenshot({ path, fullPage: true })
  await page.close()
  return []
}
