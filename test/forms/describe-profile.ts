import type { Page } from "playwright-core"
import { beforeEach, describe, expect, test } from "vitest"
import { SluiceApi } from "../../src/api.ts"
import { pixel } from "../browser/pixel.ts"
import { type FormApp, useFormPage } from "./form-app.ts"

const hours = (count: number) => count * 3_600_000

/** Holds for the profile of docs/forms.md, with a server and an ingest, in a real browser. */
export const describeProfile = (name: string, start: () => Promise<FormApp>): void => {
  describe(`the profile of docs/forms.md with ${name}`, () => {
    const form = useFormPage(start, "/profile")
    const { open } = form
    let page: Page
    let app: FormApp
    let api: SluiceApi
    /** Of other tests. */
    let others: ReadonlySet<string>

    /** Files that this test has left on the ingest: their keys, each with its state. */
    const stored = async () => {
      const { files } = await api.listFiles()
      return files.filter(({ key, status }) => !others.has(key) && status !== "Deleting")
    }
    const states = async () => (await stored()).map(({ status }) => status)

    beforeEach(async () => {
      ;({ page, app } = form)
      shown = []
      api = new SluiceApi({ token: app.site.token })
      others = new Set((await api.listFiles()).files.map(({ key }) => key))
    })

    const choose = async (picture: string) => {
      const file = { name: picture, mimeType: "image/png", buffer: pixel }
      await page.locator("input[type=file]").setInputFiles(file)
      await page.getByRole("button", { name: "Use picture" }).click()
      await expect.poll(keys).not.toEqual(shown)
      shown = await keys()
    }
    /** What the form would send. */
    const keys = () => page.evaluate(() => new FormData(document.querySelector("form")!).getAll("portrait"))
    let shown: ReadonlyArray<unknown> = []
    const save = async (named: string, answer = "Saved.") => {
      await page.getByLabel("Name").fill(named)
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByText(answer, { exact: true }).waitFor()
    }
    /** What a new page shows. */
    const saved = async () => {
      await open()
      shown = await keys()
      return { name: await page.getByLabel("Name").inputValue(), keys: shown }
    }
    const picture = () => page.locator('[data-sluice="file-preview"] img, img[data-sluice="file-preview"]')

    test("a picture of a form that is never sent is gone when its time is over", async () => {
      await choose("left.png")
      expect(await states()).toEqual(["Pending"])
      await open()
      expect(await keys()).toEqual([])
      await app.site.letTimePass(hours(23))
      expect(await states()).toEqual(["Pending"])
      await app.site.letTimePass(hours(25))
      expect(await states()).toEqual([])
    })

    test("a picture that is sent stays, also when the form is sent again as it is", async () => {
      await choose("sent.png")
      await save("Ada")
      const [file] = await stored()
      await app.site.letTimePass(hours(25))
      expect(await saved()).toEqual({ name: "Ada", keys: [file!.key] })
      await picture().first().waitFor()
      await save("Countess")
      await app.site.letTimePass(hours(25))
      expect(await saved()).toEqual({ name: "Countess", keys: [file!.key] })
      expect(await states()).toEqual(["Uploaded"])
    })

    test("one that replaces another is alone, in the same page and in a new one", async () => {
      await choose("first.png")
      await save("Ada")
      await choose("second.png")
      await save("Ada again")
      await expect.poll(states).toEqual(["Uploaded"])
      await open()
      shown = await keys()
      await choose("third.png")
      expect((await states()).toSorted()).toEqual(["Pending", "Uploaded"])
      await save("Ada still")
      const [file] = await stored()
      expect(await states()).toEqual(["Uploaded"])
      expect(await saved()).toEqual({ name: "Ada still", keys: [file!.key] })
    })

    test("one that is removed is gone when the form is saved, and not before", async () => {
      await choose("gone.png")
      await save("Ada")
      await open()
      await page.getByRole("button", { name: "Remove picture" }).click()
      await expect.poll(keys).toEqual([])
      await page.getByRole("button", { name: "Discard changes" }).click()
      await expect.poll(async () => (await keys()).length).toBe(1)
      await page.getByRole("button", { name: "Remove picture" }).click()
      await expect.poll(keys).toEqual([])
      expect(await states()).toEqual(["Uploaded"])
      await save("Ada")
      expect(await states()).toEqual([])
      expect(await saved()).toEqual({ name: "Ada", keys: [] })
    })

    test("a form that comes back with a mistake keeps its picture, and says nothing of a removal", async () => {
      const heard: Array<string> = []
      await page.exposeFunction("hear", (text: string) => heard.push(text))
      await page.evaluate(() => {
        new MutationObserver(() => {
          for (const each of document.querySelectorAll("[role=status]"))
            (globalThis as unknown as { hear: (text: string) => void }).hear(each.textContent)
        }).observe(document.body, { subtree: true, childList: true, characterData: true })
      })
      await choose("kept.png")
      const before = await keys()
      await save(" ", "Give a name.")
      expect(await keys()).toEqual(before)
      expect(await states()).toEqual(["Pending"])
      await save("Ada")
      expect(await saved()).toEqual({ name: "Ada", keys: before })
      expect(await states()).toEqual(["Uploaded"])
      expect(heard.filter((text) => text.includes("removed"))).toEqual([])
    })
  })
}
