/*
 * npm run screenshots: button and dropzone in every state, light and dark, as one sheet each in docs/components,
 * and one picture for the README.
 *
 * npm run screenshots -- <folder> [pattern]: every state of every component, those whose caption matches it, on screens
 * of 320, 768 and 1280 px, light, dark, from right to left and in forced colours: three sheets per state, in that folder, to
 * be looked at.
 */
import { mkdir } from "node:fs/promises"
import { join, resolve } from "node:path"
import type { Page } from "playwright-core"
import { button, seldomButton } from "./screenshots/button-scenes.ts"
import { busy, dropzone } from "./screenshots/dropzone-scenes.ts"
import { laySheet, toFigure } from "./screenshots/lay-sheet.ts"
import { looks, shootLooks } from "./screenshots/looks.ts"
import { others } from "./screenshots/other-scenes.ts"
import { rows } from "./screenshots/row-scenes.ts"
import { openStage, type Scene } from "./screenshots/stage.ts"

const takeSheets = async () => {
  const folder = join(import.meta.dirname, "../../docs/components")
  const stage = await openStage(`
    #root { width: fit-content; }
    #root:has([data-component="dropzone"]) { width: 26rem; }`)
  const shoot = async (scenes: ReadonlyArray<Scene>, hasCaptions = true) => {
    const columns = []
    for (const look of ["light", "dark"] as const) {
      const figures: Array<string> = []
      for (const scene of scenes) {
        const take = async (page: Page) => {
          const picture = await page.locator("#root").screenshot({ animations: "disabled" })
          figures.push(toFigure(picture, hasCaptions ? scene.caption : "", look))
        }
        await stage.play(scene, take, look)
      }
      columns.push({ look, figures })
    }
    return columns
  }
  await laySheet(stage.context, join(folder, "button.png"), 640, await shoot(button))
  await laySheet(stage.context, join(folder, "dropzone.png"), 1000, await shoot(dropzone))
  await laySheet(stage.context, join(folder, "overview.png"), 1000, await shoot([busy], false))
  await stage.close()
}

/** Three sheets of each scene: the narrow looks, the middle ones, the wide ones. */
const takeLooks = async (folder: string, pattern: string) => {
  await mkdir(folder, { recursive: true })
  const stage = await openStage("body { margin: 12px } #root { max-width: 100% }")
  const name = (kind: string, scenes: ReadonlyArray<Scene>) =>
    scenes.map((scene) => ({
      ...scene,
      caption: scene.caption.startsWith(kind) ? scene.caption : `${kind} ${scene.caption}`,
    }))
  const scenes = [
    ...name("button", [...button, ...seldomButton]),
    ...name("dropzone", [...dropzone, ...rows]),
    ...name("", others),
  ]
  for (const scene of scenes.filter(({ caption }) => new RegExp(pattern).test(caption))) {
    try {
      await stage.play(scene, async (page) => {
        const figures = (await shootLooks(page, scene)).map((picture, at) =>
          toFigure(picture, `${scene.caption}, ${looks[at]!.name}`, looks[at]!.colorScheme),
        )
        const file = (at: string) => join(folder, `${scene.caption.replaceAll(/[^a-z0-9]+/gi, "-")}-${at}.png`)
        const lay = (at: string, ...shown: ReadonlyArray<number>) =>
          laySheet(
            stage.context,
            file(at),
            1500,
            shown.map((index) => ({ look: looks[index]!.colorScheme, figures: [figures[index]!] })),
          )
        await lay("narrow", 0, 1, 2, 3)
        await lay("middle", 4, 5)
        // Below each other, because a picture that is made smaller hides what is wrong with it.
        await laySheet(stage.context, file("wide"), 1336, [{ look: looks[6]!.colorScheme, figures: figures.slice(6) }])
      })
      console.log(scene.caption)
    } catch (error) {
      console.error(`${scene.caption}: ${error instanceof Error ? error.message : String(error)}`)
      process.exitCode = 1
    }
  }
  await stage.close()
}

const [folder, ...words] = process.argv.slice(2)
await (folder === undefined ? takeSheets() : takeLooks(resolve(folder), words.join(" ")))
