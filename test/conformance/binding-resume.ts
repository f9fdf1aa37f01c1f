import type { Locator, Page } from "playwright-core"
import { beforeEach, describe, expect, test } from "vitest"
import { heldSize, type Site } from "../bindings/start-site.ts"
import { type ChosenFile, chosenFiles } from "../browser/chosen-files.ts"

interface Bench {
  readonly page: () => Page
  readonly newPage: () => Promise<Page>
  readonly site: () => Site
  readonly open: (query: string, where?: Page) => Promise<void>
  readonly until: (condition: () => boolean | Promise<boolean>) => Promise<void>
}

/** So large that what is on its way when a request is broken off is never all of it. */
const file = (name: string) => ({ name, mimeType: "application/pdf", buffer: Buffer.alloc(4 * heldSize, 7) })

/** Uploads that were interrupted: who offers them, on a page that has several lists of them and in several tabs. */
export const describeResume = ({ page: getPage, newPage, site, open, until }: Bench): void => {
  /** The same file, with the same time, whenever it is chosen. */
  const picked = new Map<string, Awaited<ReturnType<typeof chosenFiles>>>()
  const pick = async (files: ReadonlyArray<ChosenFile>) => {
    for (const each of files) if (!picked.has(each.name)) picked.set(each.name, await chosenFiles([each]))
    return files.flatMap(({ name }) => picked.get(name)! as Array<string>)
  }
  const lone = "component=dropzone&mode=auto&endpoint=anything&resume"
  const field = "component=dropzone&mode=auto&endpoint=anything&resume=setup&uploads&form&name=papers"
  const dropzone = (where = getPage()) => where.locator('[data-component="dropzone"]')
  const tray = () => getPage().locator('[data-component="tray"] [data-sluice="tray"]')
  const offered = (where: Locator | Page) =>
    where.locator('[data-sluice="interrupted-file"] [data-sluice="file-name"]').allTextContents()
  const offers = (where: Locator | Page, ...names: ReadonlyArray<string>) =>
    until(async () => (await offered(where)).toSorted().join() === names.join())
  const button = (name: string, where: Locator | Page = getPage()) => where.getByRole("button", { name, exact: true })
  const rowBecomes = (name: string, state: string, where = getPage()) =>
    dropzone(where).locator(`[data-sluice="file"][data-state="${state}"]`, { hasText: name }).waitFor()
  const give = async (where: Locator | Page, ...files: ReadonlyArray<ChosenFile>) =>
    where
      .locator("input[type=file]")
      .first()
      .setInputFiles(await pick(files))
  const again = async (name: string, where: Locator | Page = getPage(), page = getPage()) => {
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      button(`Choose it again to continue ${name}`, where).click(),
    ])
    await chooser.setFiles(await pick([file(name)]))
  }
  /** Starts the upload of files that get no further. @returns lets them go on */
  const begin = async (names: ReadonlyArray<string>, where: Locator | Page = dropzone()) => {
    // What a reload has broken off is noticed a moment later.
    await until(() => site().inFlight() === 0)
    const releases = names.map((name) => site().hold(name, 500_000))
    await give(where, ...names.map(file))
    await until(() => site().inFlight() === names.length)
    return () => releases.forEach((release) => release())
  }

  describe("an interrupted upload", () => {
    beforeEach(() => picked.clear())

    test("of a field is offered by the field alone, and its key is one of the form", async () => {
      const page = getPage()
      await page.goto(`${site().url}/?${field}`)
      await page.locator('[data-component="dropzone"]:not([data-state="loading"])').waitFor()
      const release = await begin(["a.pdf"])
      await page.reload()
      release()
      await offers(dropzone(), "a.pdf")
      // The tray would have it, once its own dropzone is gone.
      await button("Elsewhere").click()
      await dropzone().waitFor({ state: "detached" })
      await page.evaluate((size) => {
        void window.uploads!.addFiles("anything", [new File([new Uint8Array(size)], "other.pdf")])
      }, 1000)
      await tray().locator('[data-sluice="file"][data-state="done"]', { hasText: "other.pdf" }).waitFor()
      expect(await offered(page)).toEqual([])
      await button("Here").click()
      await offers(page, "a.pdf")
      await again("a.pdf", dropzone())
      await rowBecomes("a.pdf", "done")
      await offers(page)
      const keys = await page.evaluate(() => new FormData(document.querySelector("form")!).getAll("papers"))
      expect(keys).toEqual([site().puts[0]!.key])
    })

    test("that is resumed or discarded in one tab is offered in no other one", async () => {
      await open(lone)
      const release = await begin(["a.pdf", "b.pdf"])
      await getPage().reload()
      release()
      await offers(getPage(), "a.pdf", "b.pdf")
      const other = await newPage()
      await open(lone, other)
      await offers(other, "a.pdf", "b.pdf")
      await again("a.pdf", other, other)
      await rowBecomes("a.pdf", "done", other)
      await offers(getPage(), "b.pdf")
      await button("Discard b.pdf", other).click()
      await offers(other)
      await offers(getPage())
    })

    test("is none that waits in another tab, until that tab is gone", async () => {
      const page = getPage()
      await open(lone)
      const first = await begin(["a.pdf"])
      await page.reload()
      first()
      await offers(page, "a.pdf")
      const release = await begin(["b.pdf"])
      await button("Pause b.pdf").click()
      await rowBecomes("b.pdf", "paused")
      release()
      await until(() => site().inFlight() === 0)
      const other = await newPage()
      await open(lone, other)
      await offers(other, "a.pdf")
      await page.bringToFront()
      await button("Resume b.pdf").click()
      await rowBecomes("b.pdf", "done")
      const last = await begin(["c.pdf"])
      await button("Pause c.pdf").click()
      await rowBecomes("c.pdf", "paused")
      await other.reload()
      await offers(other, "a.pdf")
      last()
      await page.close()
      await offers(other, "a.pdf", "c.pdf")
    })

    test("is none that waits in another list of the page, until that list is gone; resumed in one it leaves the other", async () => {
      const page = getPage()
      await open(`${lone}&named&links`)
      const [first, second] = [dropzone().first(), dropzone().last()]
      const begun = await begin(["a.pdf"], first)
      await page.reload()
      begun()
      await offers(first, "a.pdf")
      await offers(second, "a.pdf")
      const release = await begin(["b.pdf"], first)
      await button("Pause b.pdf", first).click()
      await first.locator('[data-sluice="file"][data-state="paused"]', { hasText: "b.pdf" }).waitFor()
      release()
      await again("a.pdf", second)
      await second.locator('[data-sluice="file"][data-state="done"]', { hasText: "a.pdf" }).waitFor()
      await offers(first)
      expect(await offered(second)).toEqual([])
      await button("Elsewhere").click()
      await dropzone().first().waitFor({ state: "detached" })
      await button("Here").click()
      await offers(first, "b.pdf")
      await offers(second, "b.pdf")
      await button("Discard b.pdf", second).click()
      await offers(second)
      await offers(first)
    })

    test("that another tab has cancelled says so where it is listed, and is sent anew", async () => {
      const page = getPage()
      await open(lone)
      const release = await begin(["a.pdf"])
      await button("Pause a.pdf").click()
      await rowBecomes("a.pdf", "paused")
      release()
      await until(() => site().inFlight() === 0)
      const other = await newPage()
      await open(lone, other)
      // The same file, chosen by the user: it is taken over.
      const last = await begin(["a.pdf"], other)
      await button("Cancel a.pdf", other).click()
      await rowBecomes("a.pdf", "aborted", other)
      last()
      await until(async () => (await site().statusOf("a.pdf")) === "Failed")
      await page.bringToFront()
      await button("Resume a.pdf").click()
      await rowBecomes("a.pdf", "aborted")
      expect(await page.evaluate(() => window.told.filter(({ name }) => name === "aborted").length)).toBe(1)
      await button("Try again a.pdf").click()
      await rowBecomes("a.pdf", "done")
      expect(new Set(site().puts.map(({ key }) => key)).size).toBe(2)
    })
  })
}
