import { existsSync, linkSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Browser } from "playwright-core"

/** Files that somebody chooses. */
export interface Choice {
  readonly count: number
  readonly hasPictures: boolean
  readonly extension: "jpg" | "png" | "pdf"
}

export const choices: Readonly<Record<string, Choice>> = {
  jpeg: { count: 100, hasPictures: true, extension: "jpg" },
  png: { count: 20, hasPictures: true, extension: "png" },
  small: { count: 500, hasPictures: false, extension: "pdf" },
}

/** How many pictures differ; the others are links to them. */
const different = 4

/** A picture of 12 MP with shapes and the grain of a camera, so that it is as large as one. */
const paint = async (browser: Browser, type: string, seed: number): Promise<Buffer> => {
  const page = await browser.newPage()
  try {
    const base64 = await page.evaluate(
      async ([type, seed]) => {
        const [width, height] = [4000, 3000]
        const canvas = new OffscreenCanvas(width, height)
        const context = canvas.getContext("2d")!
        for (let shape = 0; shape < 400; shape++) {
          const at = (step: number) => (((shape + 1) * (seed + 3) * step) % 997) / 997
          context.fillStyle = `hsl(${at(37) * 360} ${30 + at(11) * 50}% ${20 + at(53) * 60}%)`
          context.fillRect(at(17) * width - 400, at(71) * height - 400, 200 + at(29) * 900, 200 + at(43) * 900)
        }
        const image = context.getImageData(0, 0, width, height)
        let noise = seed + 1
        for (let at = 0; at < image.data.length; at += 4) {
          noise = (Math.imul(noise, 1664525) + 1013904223) >>> 0
          const grain = (noise >>> 28) - 8
          for (const channel of [0, 1, 2]) image.data[at + channel]! += grain
        }
        context.putImageData(image, 0, 0)
        const blob = await canvas.convertToBlob({ type, quality: 0.85 })
        return new Promise<string>((resolve) => {
          const reader = new FileReader()
          reader.onload = () => resolve((reader.result as string).split(",")[1]!)
          reader.readAsDataURL(blob)
        })
      },
      [type, seed] as const,
    )
    return Buffer.from(base64, "base64")
  } finally {
    await page.close()
  }
}

/** Writes what is chosen into a folder, once. @returns the paths */
export const writeChoice = async (
  browser: Browser,
  { count, hasPictures, extension }: Choice,
  folder: string,
): Promise<ReadonlyArray<string>> => {
  mkdirSync(folder, { recursive: true })
  const paths = Array.from({ length: count }, (_, index) => join(folder, `file-${index + 1}.${extension}`))
  for (const [index, path] of paths.entries()) {
    if (existsSync(path)) continue
    if (!hasPictures) writeFileSync(path, `%PDF-1.7\n${"x".repeat(2000)}${index}`)
    else if (index >= different) linkSync(paths[index % different]!, path)
    else writeFileSync(path, await paint(browser, extension === "jpg" ? "image/jpeg" : "image/png", index))
  }
  return paths
}
