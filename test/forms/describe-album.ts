import type { Page } from "playwright-core"
import { beforeEach, describe, expect, test } from "vitest"
import { SluiceApi } from "../../src/api.ts"
import { pixel } from "../browser/pixel.ts"
import { type FormApp, useFormPage } from "./form-app.ts"

export interface AlbumTraits {
  /** Where the page is, by default at the root. */
  readonly path?: string

  /** Whether the browser alone checks, and goes to another page. */
  readonly isNative?: boolean
  /** Whether there is a button that resets. */
  readonly hasReset?: boolean
}

const png = (name: string) => ({ name, mimeType: "image/png", buffer: pixel })

/** Holds for the album of docs/forms.md in every library, with a server and an ingest, in a real browser. */
export const describeAlbum = (name: string, start: () => Promise<FormApp>, traits: AlbumTraits = {}): void => {
  describe(`the form of docs/forms.md with ${name}`, () => {
    const { path = "/", isNative = false, hasReset = true } = traits
    const form = useFormPage(start, path, (message) => /status of 4(00|03|22)/.test(message))
    const { open } = form
    let page: Page
    let app: FormApp
    beforeEach(() => {
      ;({ page, app } = form)
    })

    const title = () => page.getByLabel("Title")
    const choose = (...files: ReadonlyArray<ReturnType<typeof png>>) =>
      page.locator("input[type=file]").setInputFiles([...files])
    const row = (file: string) => page.locator('[data-sluice="file"]', { hasText: file })
    const rowBecomes = (file: string, state: string) =>
      page.locator(`[data-sluice="file"][data-state="${state}"]`, { hasText: file }).waitFor()
    const names = () =>
      page.locator('[data-sluice="file-name"]').evaluateAll((all) => all.map((one) => one.textContent))
    const save = () => page.getByRole("button", { name: "Save" }).click()
    const isSaved = async () => {
      if (isNative) await page.waitForURL((url) => url.pathname === "/" && url.hash === "")
      else await page.getByText("Saved.").waitFor()
    }
    /** Saves, and until that is done lets nothing else happen. */
    const saveAll = async () => {
      const done = isNative ? page.waitForEvent("load") : undefined
      await save()
      await (done ?? isSaved())
    }
    /** What the server has, as a new page shows it. */
    const saved = async () => {
      await open()
      return { title: await title().inputValue(), photos: await names() }
    }
    /** What the ingest has of these, and in which state. */
    const stored = async (...names: ReadonlyArray<string>) => {
      const found: Record<string, string> = {}
      for await (const { name, status } of new SluiceApi({ token: app.site.token }).listFiles())
        if (names.includes(name) && status !== "Deleting") found[name] = status
      return found
    }

    test("pressing Save uploads what is chosen, and saves all in its order", async () => {
      await title().fill("Summer")
      await choose(png("a.png"), png("b.png"))
      await rowBecomes("b.png", "picked")
      await saveAll()
      if (!isNative) expect(await names()).toEqual(["a.png", "b.png"])
      expect(await saved()).toEqual({ title: "Summer", photos: ["a.png", "b.png"] })
    })

    test("Enter in a field does the same, and a second Enter meanwhile does nothing", async () => {
      await title().fill("Summer")
      await choose(png("enter.png"))
      await rowBecomes("enter.png", "picked")
      const release = app.site.hold("enter.png", 0)
      await title().press("Enter")
      await expect.poll(app.site.inFlight).toBe(1)
      await title().press("Enter")
      const done = isNative ? page.waitForEvent("load") : undefined
      release()
      await (done ?? isSaved())
      expect(await saved()).toEqual({ title: "Summer", photos: ["enter.png"] })
    })

    test("without a photo it is not sent, and says so; with one it is", async () => {
      await title().fill("Empty")
      await save()
      if (isNative) {
        expect(await page.evaluate(() => document.querySelector("form")!.checkValidity())).toBe(false)
      } else {
        await page.getByText("Choose at least one photo.").waitFor()
      }
      await choose(png("late.png"))
      await rowBecomes("late.png", "picked")
      await saveAll()
      expect(await page.getByText("Choose at least one photo.").count()).toBe(0)
      expect(await saved()).toEqual({ title: "Empty", photos: ["late.png"] })
    })

    test("a photo that fails keeps it; without that photo it is sent", async () => {
      await title().fill("Some")
      await choose(png("good.png"), png("bad.png"))
      await rowBecomes("bad.png", "picked")
      app.site.refuse("bad.png", 403, 1000)
      await save()
      await rowBecomes("bad.png", "failed")
      await rowBecomes("good.png", "done")
      expect(await page.getByText("Saved.").count()).toBe(0)
      await row("bad.png").getByRole("button", { name: "Remove" }).click()
      await saveAll()
      expect(await saved()).toEqual({ title: "Some", photos: ["good.png"] })
    })

    test("what was saved is edited: one photo goes, on the ingest too, one comes", async () => {
      const [first, second, third] = ["first", "second", "third"].map((word) => png(`${word}-of-${Date.now()}.png`))
      await title().fill("Before")
      await choose(first!, second!)
      await rowBecomes(second!.name, "picked")
      await saveAll()
      await open()
      expect(await names()).toEqual([first!.name, second!.name])
      await row(first!.name).getByRole("button", { name: "Remove" }).click()
      await expect.poll(names).toEqual([second!.name])
      await title().fill("After")
      await choose(third!)
      await rowBecomes(third!.name, "picked")
      await saveAll()
      if (!isNative) await expect.poll(names).toEqual([second!.name, third!.name])
      expect(await saved()).toEqual({ title: "After", photos: [second!.name, third!.name] })
      const all = [first!.name, second!.name, third!.name]
      expect(await stored(...all)).toEqual({ [second!.name]: "Uploaded", [third!.name]: "Uploaded" })
    })

    test("what was uploaded for a form that nobody sent is gone when its time is over; what was saved stays", async () => {
      const [kept, unsent, broken] = ["kept", "unsent", "broken"].map((word) => png(`${word}-${Date.now()}.png`))
      await title().fill("Kept")
      await choose(kept!)
      await rowBecomes(kept!.name, "picked")
      await saveAll()
      await open()
      await choose(unsent!, broken!)
      await rowBecomes(broken!.name, "picked")
      app.site.refuse(broken!.name, 403, 1000)
      await save()
      await rowBecomes(broken!.name, "failed")
      await rowBecomes(unsent!.name, "done")
      expect(await stored(kept!.name, unsent!.name)).toEqual({ [kept!.name]: "Uploaded", [unsent!.name]: "Pending" })
      await app.site.letTimePass(23 * 3_600_000)
      expect(Object.keys(await stored(unsent!.name))).toEqual([unsent!.name])
      await app.site.letTimePass(25 * 3_600_000)
      expect(await stored(kept!.name, unsent!.name)).toEqual({ [kept!.name]: "Uploaded" })
      expect(await saved()).toEqual({ title: "Kept", photos: [kept!.name] })
    })

    if (!hasReset) return
    test("Discarding changes brings back what was saved, also after what was saved here", async () => {
      await title().fill("Kept")
      await choose(png("kept.png"), png("kept-too.png"))
      await rowBecomes("kept-too.png", "picked")
      await saveAll()
      const undo = async () => {
        await row("kept.png").getByRole("button", { name: "Remove" }).click()
        await expect.poll(names).toEqual(["kept-too.png"])
        await page.getByRole("button", { name: "Discard changes" }).click()
        await expect.poll(names).toEqual(["kept.png", "kept-too.png"])
      }
      await page.locator('[data-sluice="container"]:not([data-state="loading"])').waitFor()
      await undo()
      await open()
      await undo()
      await saveAll()
      expect(await saved()).toEqual({ title: "Kept", photos: ["kept.png", "kept-too.png"] })
    })
  })
}
