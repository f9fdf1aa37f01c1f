import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { servePieces } from "../bindings/bundle-page.ts"
import { type Site, startSite } from "../bindings/start-site.ts"
import { launchChromium } from "../browser/chromium.ts"
import { needBrowserThatAsksAgain } from "../browser/lost-code.ts"
import { pixel } from "../browser/pixel.ts"

const png = (name: string) => ({ name, mimeType: "image/png", buffer: Buffer.from(pixel) })

/** A drawing that makes the pixels of every canvas it is drawn on unreadable. */
const foreign = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"><foreignObject width="90" height="90"><p xmlns="http://www.w3.org/1999/xhtml">me</p></foreignObject></svg>',
)

/**
 * Holds for the components of every framework while a piece of their code is on its way, or cannot be had, in a real browser.
 *
 * @param bundle the page's script in pieces, see test/bindings/bundle-page.ts
 */
export const describeBindingLate = (name: string, bundle: () => Promise<ReadonlyMap<string, string>>): void => {
  describe(`the components of ${name} whose code is late`, () => {
    let browser: Browser
    let page: Page
    let site: Site
    let pieces: ReadonlyMap<string, string>
    let styles: string
    let complaints: Array<string>

    beforeAll(async () => {
      ;[browser, pieces, styles] = await Promise.all([
        launchChromium(),
        bundle(),
        readFile(join(import.meta.dirname, "../../src/ui/styles.css"), "utf8"),
      ])
    })
    afterAll(() => browser?.close())
    beforeEach(async () => {
      site = await startSite({ script: pieces.get("page.js")!, styles, handle: servePieces(pieces) })
      complaints = []
      page = await browser.newPage()
      page.on("pageerror", (error) => complaints.push(String(error)))
    })
    afterEach(async () => {
      await page.close()
      await site.close()
      expect(complaints).toEqual([])
    })

    const open = async (query: string) => {
      await page.goto(`${site.url}/?${query}`)
      await page.locator('[data-sluice="container"]:not([data-state="loading"])').last().waitFor()
    }
    const toPattern = (piece: string) => new RegExp(`/${piece}-\\w+\\.js$`)
    /** Keeps a piece on its way. @returns whether it was asked for, and what lets it arrive */
    const hold = async (piece: string) => {
      expect([...pieces.keys()].filter((name) => toPattern(piece).test(`/${name}`))).toHaveLength(1)
      const { promise, resolve } = Promise.withResolvers<void>()
      const asked = page.waitForRequest(toPattern(piece))
      await page.route(toPattern(piece), async (route) => {
        await promise
        await route.continue()
      })
      return { asked, release: resolve }
    }
    const lose = async (piece: string) => {
      await page.route(toPattern(piece), (route) => route.abort())
      return () => page.unroute(toPattern(piece))
    }
    const choose = (...files: ReadonlyArray<ReturnType<typeof png>>) =>
      page
        .locator("input[type=file]")
        .first()
        .setInputFiles([...files])
    const entries = (name: string): Promise<Array<string>> =>
      page.evaluate((name) => new FormData(document.querySelector("form")!).getAll(name) as Array<string>, name)
    const told = (name: string): Promise<Array<any>> =>
      page.evaluate((name) => window.told.filter((event) => event.name === name).map(({ detail }) => detail), name)
    const save = () => page.getByRole("button", { name: "Save" }).click()
    const names = () =>
      page.locator('[data-sluice="file-name"]').evaluateAll((all) => all.map((one) => one.textContent))
    const becomes = (state: string) => page.locator(`[data-sluice="container"][data-state="${state}"]`).waitFor()
    /** A picture that can be cropped. */
    const draw = async () => {
      const base64 = await page.evaluate(() => {
        const canvas = Object.assign(document.createElement("canvas"), { width: 300, height: 200 })
        canvas.getContext("2d")!.fillRect(0, 0, 300, 200)
        return canvas.toDataURL("image/png").split(",")[1]!
      })
      return { name: "me.png", mimeType: "image/png", buffer: Buffer.from(base64, "base64") }
    }

    test("a form is not sent before that is there which holds it: what was chosen is uploaded, then it is sent once", async () => {
      const { asked, release } = await hold("form-field")
      await open("form&name=photos&submit")
      await asked
      await choose(png("a.png"))
      await page.locator('[data-sluice="file"][data-state="picked"]').waitFor()
      await save()
      await save()
      expect(await told("submit")).toEqual([])
      release()
      await expect.poll(() => told("submit")).toHaveLength(1)
      expect(await told("submit")).toEqual([
        [
          ["photos", expect.any(String)],
          ["by", "Save"],
        ],
      ])
    })

    test("a form that files keep is kept by them also before that is there which holds it", async () => {
      const { asked, release } = await hold("form-field")
      await open("form&novalidate&name=photos")
      await asked
      await choose(png("a.png"))
      await page.locator('[data-sluice="file"][data-state="picked"]').waitFor()
      await page.evaluate(() =>
        document.addEventListener(
          "invalid",
          ({ target }) => window.told.push({ name: "invalid", detail: (target as HTMLInputElement).validationMessage }),
          true,
        ),
      )
      await save()
      release()
      await expect.poll(() => told("invalid")).toEqual(["Upload the chosen file first, or clear it."])
      expect(await told("submit")).toEqual([])
    })

    test("what a save itself has replaced is not to be undone, though the code of undoing comes after it", async () => {
      const { asked, release } = await hold("watch-undo")
      await open("form&endpoint=avatar&name=photos&submit")
      for (const [index, name] of ["me.png", "new.png"].entries()) {
        await choose(png(name))
        await becomes("picked")
        await save()
        await expect.poll(() => told("submit")).toHaveLength(index + 1)
      }
      await asked
      await expect.poll(names).toEqual(["new.png"])
      await expect.poll(() => page.locator('[data-sluice="removed"]').count()).toBe(0)
      release()
    })

    test("where that cannot be had which holds a form, it is not sent without its files, and is sent with none", async (context) => {
      await needBrowserThatAsksAgain(context, browser)
      const find = await lose("form-field")
      await open("form&name=photos&submit")
      await choose(png("a.png"))
      await page.locator('[data-sluice="file"][data-state="picked"]').waitFor()
      await page.evaluate(() =>
        document.addEventListener("invalid", () => window.told.push({ name: "invalid", detail: undefined }), true),
      )
      await save()
      // The platform's own field has no sentence for it.
      if (name === "the element") await page.waitForTimeout(300)
      else await expect.poll(() => told("invalid")).toHaveLength(1)
      expect(await told("submit")).toEqual([])
      await page.getByRole("button", { name: "Remove a.png" }).click()
      await save()
      await expect.poll(() => told("submit")).toEqual([[["by", "Save"]]])
      // And holds it as soon as it can be had.
      await choose(png("b.png"))
      await page.locator('[data-sluice="file"][data-state="picked"]').waitFor()
      await find()
      await save()
      await expect.poll(() => told("submit")).toHaveLength(2)
      expect((await told("submit"))[1]).toEqual([
        ["photos", expect.any(String)],
        ["by", "Save"],
      ])
    })

    test("a button that keeps a draft sends it at once", async () => {
      const { asked } = await hold("form-field")
      await open("form&name=photos&submit")
      await asked
      await choose(png("a.png"))
      await page.locator('[data-sluice="file"][data-state="picked"]').waitFor()
      await page.evaluate(() => document.querySelector("button[type=submit]")!.setAttribute("formnovalidate", ""))
      await save()
      await expect.poll(() => told("submit")).toEqual([[["by", "Save"]]])
    })

    for (const query of ["submit", "mode=auto"]) {
      test(`an avatar's form waits for the crop that is prepared (${query})`, async () => {
        const { asked, release } = await hold("crop-picture")
        await open(`component=avatar&endpoint=avatar&form&name=avatar&${query}`)
        await choose(await draw())
        await asked
        await save()
        expect(await told("submit")).toEqual([])
        release()
        await page.getByRole("button", { name: "Use picture" }).click()
        // One that does not upload by itself is kept until its picture is stored.
        if (query !== "submit") {
          await becomes("done")
          expect(await told("submit")).toEqual([])
          await save()
        }
        await expect.poll(() => told("submit")).toHaveLength(1)
        expect(await told("submit")).toEqual([
          [
            ["avatar", expect.any(String)],
            ["by", "Save"],
          ],
        ])
      })
    }

    test("an avatar's form does not go while its dialog is open, nor when that is left; then it does", async () => {
      await open("component=avatar&endpoint=avatar&form&name=avatar&submit")
      await choose(await draw())
      await page.getByRole("dialog").waitFor()
      // What a script does, or a key that the dialog does not see.
      await page.evaluate(() => document.querySelector("form")!.requestSubmit())
      expect(await told("submit")).toEqual([])
      await page.keyboard.press("Escape")
      await page.getByRole("dialog").waitFor({ state: "detached" })
      await page.waitForTimeout(100)
      expect(await told("submit")).toEqual([])
      await save()
      await expect.poll(() => told("submit")).toEqual([[["by", "Save"]]])
    })

    test("where the code that crops cannot be had, Try again loads it again", async (context) => {
      await needBrowserThatAsksAgain(context, browser)
      const find = await lose("crop-picture")
      await open("component=avatar&endpoint=avatar")
      await choose(await draw())
      await becomes("failed")
      const error = page.locator('[data-sluice="error"]')
      const says = "me.png: A part of this page could not be loaded. Try again, or reload the page."
      expect(await error.textContent()).toBe(says)
      await page.getByRole("button", { name: "Try again" }).click()
      await page.waitForTimeout(300)
      expect(await error.textContent()).toBe(says)
      await find()
      await page.getByRole("button", { name: "Try again" }).click()
      await page.getByRole("button", { name: "Use picture" }).click()
      await becomes("done")
      expect(site.puts).toHaveLength(1)
      expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0)
    })

    test("where no code at all can be had for a picture, Try again brings its crop", async (context) => {
      await needBrowserThatAsksAgain(context, browser)
      const ends = [await lose("engine"), await lose("crop-picture")]
      await open("component=avatar&endpoint=avatar")
      await choose(await draw())
      await becomes("failed")
      for (const end of ends) await end()
      await page.getByRole("button", { name: "Try again" }).click()
      await page.getByRole("button", { name: "Use picture" }).click()
      await becomes("done")
      expect(site.puts).toHaveLength(1)
    })

    test("a drawing that cannot be read back is refused in words before its crop", async () => {
      await open("component=avatar&endpoint=avatar")
      await choose({ name: "me.svg", mimeType: "image/svg+xml", buffer: foreign })
      await page.locator('[data-state="failed"], dialog').first().waitFor()
      expect(await page.getByRole("dialog").count()).toBe(0)
      expect(await page.locator('[data-sluice="error"]').textContent()).toBe(
        "me.svg: This cannot be shown as a picture here. Choose another one, a JPEG or a PNG.",
      )
    })

    test("a stored file can be removed where the code of removing cannot be had", async () => {
      const find = await lose("engine")
      await open("form&name=photos&initial")
      await page.getByRole("button", { name: "Remove one.png" }).click()
      await expect.poll(names).toEqual(["two.png"])
      expect(await entries("photos")).toEqual(["stored-2"])
      expect((await told("value")).at(-1)).toEqual(["stored-2"])
      await find()
      await choose(png("a.png"))
      await expect.poll(names).toEqual(["two.png", "a.png"])
      await page.getByRole("button", { name: "Remove two.png" }).click()
      await expect.poll(() => entries("photos")).toEqual([])
    })

    test("a stored file is removed as soon as the code of removing is there, and can come back", async () => {
      const { asked, release } = await hold("engine")
      await open("form&name=photos&initial")
      await asked
      await page.getByRole("button", { name: "Remove one.png" }).click()
      release()
      await page.getByRole("button", { name: "Undo" }).click()
      await expect.poll(() => entries("photos")).toEqual(["stored-1", "stored-2"])
    })

    /** @returns whether a component has taken it */
    const paste = (selector: string) =>
      page.evaluate((selector) => {
        const data = new DataTransfer()
        data.items.add(new File(["x"], "pasted.png", { type: "image/png", lastModified: 1 }))
        const event = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })
        return !document.querySelector(selector)!.dispatchEvent(event)
      }, selector)
    /** As soon as what listens is there, which is little and comes before the rest. */
    const pasteSoon = async () => await expect.poll(() => paste("body")).toBe(true)

    test("what is pasted before the code of pasting is there is added when it is; what goes into a text field is not", async () => {
      const { asked, release } = await hold("engine")
      await open("paste&mode=manual")
      await asked
      await pasteSoon()
      await page.locator("#notes").focus()
      await paste("#notes")
      release()
      await expect.poll(names).toEqual(["pasted.png"])
      await page.locator("h1").click()
      await paste("body")
      await page.waitForTimeout(100)
      expect(await names()).toEqual(["pasted.png"]) // The same file is listed once.
    })

    test("of two components that wait for their code, the one that has the focus takes what is pasted", async () => {
      const { asked, release } = await hold("engine")
      await open("paste&named&mode=manual")
      await asked
      await page.getByRole("button", { name: "Portrait" }).first().focus()
      await pasteSoon()
      await page.locator("h1").click()
      release()
      await expect.poll(names).toEqual(["pasted.png"])
      const containers = page.locator('[data-sluice="container"]')
      expect(await containers.last().locator('[data-sluice="file"]').count()).toBe(1)
    })
  })
}
