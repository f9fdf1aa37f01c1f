import { randomUUID } from "node:crypto"
import type { Page } from "playwright-core"
import { beforeEach, describe, expect, test } from "vitest"
import { SluiceApi } from "../../src/api.ts"
import { pixel } from "../browser/pixel.ts"
import { type FormApp, useFormPage } from "./form-app.ts"

/**
 * Holds for an album of docs/forms.md that the server refuses and gives back, in a real browser.
 *
 * @param keepsPage whether the page stays where the form is sent
 */
export const describeMistake = (
  name: string,
  start: () => Promise<FormApp>,
  { path = "/", keepsPage = false }: { readonly path?: string; readonly keepsPage?: boolean } = {},
): void => {
  describe(`a form of docs/forms.md that comes back with a mistake, with ${name}`, () => {
    const form = useFormPage(start, path, (message) => /status of 422/.test(message))
    let page: Page
    let app: FormApp
    let [kept, other] = ["", ""]
    beforeEach(() => {
      ;({ page, app } = form)
      ;[kept, other] = [`kept-${randomUUID()}.png`, `other-${randomUUID()}.png`]
    })

    const choose = (file: string) =>
      page.locator("input[type=file]").setInputFiles({ name: file, mimeType: "image/png", buffer: pixel })
    const names = () =>
      page.locator('[data-sluice="file-name"]').evaluateAll((all) => all.map((one) => one.textContent))
    const keys = () =>
      page.evaluate(() => new FormData(document.querySelector("form")!).getAll("photos") as Array<string>)
    /** At the ingest; undefined where it is gone. */
    const statusOf = async (file: string) => {
      for await (const { name: stored, status } of new SluiceApi({ token: app.site.token }).listFiles())
        if (stored === file && status !== "Deleting") return status
      return undefined
    }
    const submit = async () => {
      // The server's judgement is what this is about.
      await page.getByLabel("Title").evaluate((input) => input.removeAttribute("required"))
      const done = keepsPage ? undefined : page.waitForEvent("load")
      await page.getByRole("button", { name: "Save" }).click()
      await done
    }
    const save = async () => {
      await page.getByLabel("Title").fill("Summer")
      await submit()
      await expect.poll(() => page.getByText("Give the album a title.").count()).toBe(0)
    }
    /** Chooses a file, and sends the form without a title: it is uploaded, and the form comes back. */
    const comeBack = async () => {
      await choose(kept)
      await page.locator('[data-sluice="file"][data-state="picked"]').waitFor()
      await submit()
      await page.getByText("Give the album a title.").waitFor()
      await expect.poll(names).toEqual([kept])
      expect(await statusOf(kept)).toBe("Pending")
    }

    test("has the file that was uploaded for it, and the next save claims it", async () => {
      await comeBack()
      expect(await keys()).toHaveLength(1)
      await save()
      await expect.poll(() => statusOf(kept)).toBe("Uploaded")
      await form.open()
      expect(await names()).toEqual([kept])
    })

    test("may lose it again: the user removes it and chooses another, and it is gone when its time is over", async () => {
      await comeBack()
      await page.getByRole("button", { name: "Remove" }).click()
      await expect.poll(keys).toEqual([])
      await choose(other)
      await page.locator('[data-sluice="file"][data-state="picked"]').waitFor()
      await save()
      await expect.poll(() => statusOf(other)).toBe("Uploaded")
      await app.site.letTimePass(25 * 3_600_000)
      expect(await statusOf(kept)).toBeUndefined()
      await form.open()
      expect(await names()).toEqual([other])
    })

    test("comes back again with the same file, and has it once", async () => {
      await comeBack()
      await submit()
      await page.getByText("Give the album a title.").waitFor()
      await expect.poll(names).toEqual([kept])
      await save()
      await expect.poll(() => statusOf(kept)).toBe("Uploaded")
    })

    test("has no file of somebody else, nor what is no key, and touches neither", async () => {
      const api = new SluiceApi({ token: app.site.token })
      const theirs = `theirs-${randomUUID()}.png`
      const { data } = await api.uploadFiles(new File(["a picture"], theirs), { labels: { owner: "somebody else" } })
      await page.evaluate((key) => {
        for (const value of [key, "", "<script>"]) {
          const input = document.createElement("input")
          Object.assign(input, { type: "hidden", name: "photos", value })
          document.querySelector("form")!.append(input)
        }
      }, data!.key)
      await comeBack()
      expect(await statusOf(theirs)).toBe("Uploaded")
    })
  })
}
