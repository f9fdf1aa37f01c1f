import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { heldSize, type Site } from "../bindings/start-site.ts"
import { chosenFiles } from "../browser/chosen-files.ts"

interface Bench {
  readonly page: () => Page
  readonly site: () => Site
  readonly open: (query: string) => Promise<void>
  readonly until: (condition: () => boolean | Promise<boolean>) => Promise<void>
  readonly complaints: () => ReadonlyArray<string>
}

const axeSource = createRequire(import.meta.url).resolve("axe-core/axe.min.js")

const file = (name: string, size = 1000) => ({ name, mimeType: "application/x-any", buffer: Buffer.alloc(size, 7) })

/** What components do while nothing can be done, when all is done, and with what was left before a reload. */
export const describeManners = ({ page: getPage, site: getSite, open, until, complaints }: Bench): void => {
  const part = (name: string) => getPage().locator(`[data-sluice="${name}"]`)
  const button = (name: string) => getPage().getByRole("button", { name, exact: true })
  const tray = () => getPage().getByRole("region", { name: "Uploads" })
  const trayRow = (name: string) => tray().locator('[data-sluice="file"]', { hasText: name })
  const give = async (...files: ReadonlyArray<ReturnType<typeof file>>) =>
    getPage()
      .locator('[data-component="dropzone"] input[type=file], [data-component="button"] input[type=file]')
      .first()
      .setInputFiles(await chosenFiles(files))
  const rowBecomes = (name: string, state: string) =>
    getPage().locator(`[data-sluice="file"][data-state="${state}"]`, { hasText: name }).first().waitFor()
  const trayBecomes = (name: string, state: string) =>
    trayRow(name)
      .and(getPage().locator(`[data-state="${state}"]`))
      .waitFor()
  const go = (where: "Here" | "Elsewhere") => button(where).click()
  /** Opens a page of an app that has a tray, which is not to be seen yet. */
  const openWithTray = async (query: string) => {
    await getPage().goto(`${getSite().url}/?component=dropzone&uploads&${query}`)
    await getPage().bringToFront()
    await getPage().locator('[data-component="dropzone"][data-state="idle"]').waitFor()
  }
  /** What lasts long lasts shortly here. A clock of the driver's would stay for all pages that come after. */
  const hurry = () =>
    getPage().addInitScript(() => {
      const wait = globalThis.setTimeout
      Object.assign(globalThis, { setTimeout: (run: () => void, ms = 0) => wait(run, ms < 10_000 ? ms : ms / 50) })
    })

  describe("many files that the route refuses", () => {
    test("are removed by one button, while the others are uploaded, and can be brought back", async () => {
      await open("component=dropzone&endpoint=photos&mode=manual")
      expect(await button("Remove failed").count()).toBe(0)
      const wrong = ["a.bin", "b.bin", "c.bin"]
      await give({ ...file("good.png"), mimeType: "image/png" }, ...wrong.map((name) => file(name)))
      for (const name of wrong) await rowBecomes(name, "failed")
      await button("Remove failed").click()
      await until(async () => (await part("file").count()) === 1)
      await rowBecomes("good.png", "picked")
      expect(await button("Remove failed").count()).toBe(0)
      await button("Undo, 3 files removed").click()
      for (const name of wrong) await rowBecomes(name, "failed")
      // A single one has a button of its own, and no second one.
      for (const name of wrong.slice(1)) await button(`Remove ${name}`).click()
      await until(async () => (await part("file").count()) === 2)
      expect(await button("Remove failed").count()).toBe(0)
      expect(complaints()).toEqual([])
    })
  })

  describe("waiting for a server that is down", () => {
    test("the line above the list says how many wait and when they are tried, and tries all at once", async () => {
      for (const name of ["a.docx", "b.docx"]) getSite().refuse(name, 503, 1)
      await open("component=dropzone&endpoint=anything&mode=auto&patience=30000")
      const release = getSite().hold("c.docx", 10_000)
      await give(file("a.docx"), file("b.docx"), file("c.docx", heldSize))
      await part("retrying").getByText("2 files try again in").waitFor()
      const before = await part("retrying").textContent()
      expect(before).toMatch(/^2 files try again in [1-3]\d s$/)
      await until(async () => (await part("retrying").textContent()) !== before)
      expect(await part("try-now").count()).toBe(1)
      await part("summary").locator('[data-sluice="try-now"]').click()
      for (const name of ["a.docx", "b.docx"]) await rowBecomes(name, "done")
      expect(await part("retrying").count()).toBe(0)
      release()
      await rowBecomes("c.docx", "done")
    })

    test("of a single file its row says so, and nothing twice", async () => {
      getSite().refuse("a.docx", 503, 1)
      await open("component=dropzone&endpoint=anything&mode=auto&patience=30000")
      await give(file("a.docx"))
      await rowBecomes("a.docx", "waiting")
      expect(await part("file-state").textContent()).toMatch(/trying again in \d\d s$/)
      expect(await part("retrying").count()).toBe(0)
      await button("Try now a.docx").click()
      await rowBecomes("a.docx", "done")
    })

    test("a button says why nothing moves, and when, and tries at once", async () => {
      getSite().refuse("a.docx", 503, 1)
      await open("component=button&endpoint=anything&mode=auto&patience=30000")
      await give(file("a.docx"))
      await button("Try now").waitFor()
      expect(await part("allowed-content").textContent()).toMatch(
        /^The server answered with an error, trying again in \d\d sTry now$/,
      )
      await button("Try now").click()
      await getPage().locator('[data-component="button"][data-state="done"]').waitFor()
    })

    test("a tray says so, too, and not that it is uploading", async () => {
      getSite().refuse("a.docx", 503, 1)
      await openWithTray("endpoint=anything&mode=auto&patience=30000")
      await give(file("a.docx"))
      await trayBecomes("a.docx", "waiting")
      expect(await part("tray-title").textContent()).toBe("1 file tries again")
      await tray().getByRole("button", { name: "Files", exact: true }).click()
      expect(await part("tray-title").textContent()).toMatch(/^1 file tries again in \d\d s$/)
    })

    test("a tray says that its files are paused, or offline", async () => {
      const release = getSite().hold("a.docx", 100_000)
      await openWithTray("endpoint=anything&mode=auto")
      await give(file("a.docx", heldSize))
      await trayBecomes("a.docx", "uploading")
      await tray().getByRole("button", { name: "Pause a.docx", exact: true }).click()
      await trayBecomes("a.docx", "paused")
      expect(await part("tray-title").textContent()).toMatch(/^Paused · /)
      release()
      await until(() => getSite().inFlight() === 0)
      await getPage().context().setOffline(true)
      await tray().getByRole("button", { name: "Resume a.docx", exact: true }).click()
      await trayBecomes("a.docx", "waiting")
      expect(await part("tray-title").textContent()).toBe("Offline, continues when you are back")
      await getPage().context().setOffline(false)
      await trayBecomes("a.docx", "done")
      expect(await part("tray-title").textContent()).toBe("1 uploaded")
    })
  })

  describe("when all is done", () => {
    /** Ends what would begin after a while, and tells the colours of the line before and then. */
    const quieten = () =>
      getPage().evaluate(() => {
        const text = document.querySelector('[data-sluice="summary-text"]')!
        const before = getComputedStyle(text).color
        const [animation] = text.getAnimations()
        animation?.finish()
        return { before, after: getComputedStyle(text).color, isDue: animation !== undefined }
      })

    test("the line above the list becomes quiet in its place, and nothing of it goes; not under the pointer", async () => {
      await open("component=dropzone&endpoint=anything&mode=auto")
      await give(file("a.docx"), file("b.docx"))
      await button("Remove finished").waitFor()
      const before = await part("summary").boundingBox()
      const rows = await part("file-list").boundingBox()
      const colours = await quieten()
      expect(colours.isDue).toBe(true)
      expect(colours.after).not.toBe(colours.before)
      // Quiet, and read as well as before.
      await getPage().addScriptTag({ path: axeSource })
      const faint = await getPage().evaluate(async () => {
        const { axe } = globalThis as unknown as { axe: typeof import("axe-core") }
        const { violations } = await axe.run('[data-sluice="summary"]', { runOnly: ["color-contrast"] })
        return violations.flatMap(({ nodes }) => nodes.map(({ html }) => html))
      })
      expect(faint).toEqual([])
      expect(await part("summary").boundingBox()).toEqual(before)
      expect(await part("file-list").boundingBox()).toEqual(rows)
      await part("summary").hover()
      expect(await quieten()).toEqual({ before: colours.before, after: colours.before, isDue: false })
      await getPage().mouse.move(0, 0)
      expect((await quieten()).isDue).toBe(true)
      await button("Remove finished").focus()
      expect((await quieten()).isDue).toBe(false)
    })

    test("where a file has failed nothing becomes quiet", async () => {
      getSite().refuse("bad.docx", 500, 99)
      await open("component=dropzone&endpoint=anything&mode=auto&patience=1")
      await give(file("a.docx"), file("bad.docx"))
      await rowBecomes("bad.docx", "failed")
      await rowBecomes("a.docx", "done")
      expect((await quieten()).isDue).toBe(false)
    })

    test("a tray folds itself, not under the pointer, and unfolds with the next upload; it is left as people want it", async () => {
      await hurry()
      await openWithTray("endpoint=anything&mode=auto")
      const look = () => getPage().waitForTimeout(1000)
      const fold = tray().getByRole("button", { name: "Files", exact: true })
      const isUnfolded = () => fold.getAttribute("aria-expanded")
      const release = getSite().hold("a.docx", 10_000)
      await give(file("a.docx", heldSize))
      await trayRow("a.docx").hover()
      release()
      await trayBecomes("a.docx", "done")
      await look()
      expect(await isUnfolded()).toBe("true")
      await getPage().locator("#notes").focus()
      await getPage().mouse.move(0, 0)
      await until(async () => (await isUnfolded()) === "false")
      expect(await part("tray-title").textContent()).toBe("1 uploaded")
      expect(await getPage().evaluate(() => document.activeElement?.id)).toBe("notes")
      const again = getSite().hold("b.docx", 10_000)
      await give(file("b.docx", heldSize))
      await trayBecomes("b.docx", "uploading")
      expect(await isUnfolded()).toBe("true")
      again()
      await until(async () => (await isUnfolded()) === "false")
      await fold.click()
      await getPage().mouse.move(0, 0)
      await getPage().locator("#notes").focus()
      await look()
      expect(await isUnfolded()).toBe("true")
      expect(complaints()).toEqual([])
    })
  })

  describe("a tray", () => {
    let folder: string
    const path = (name: string) => join(folder, name)
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "sluice-left-"))
      for (const name of ["a.docx", "b.docx"]) await writeFile(path(name), Buffer.alloc(3_000_000, name.charCodeAt(0)))
      await writeFile(path("other.docx"), Buffer.alloc(1000, 1))
    })
    afterAll(() => rm(folder, { recursive: true, force: true }))

    /** Uploads that a reload interrupts. */
    const interrupt = async (...names: ReadonlyArray<string>) => {
      const site = getSite()
      await openWithTray("endpoint=anything&mode=auto&resume=setup")
      const releases = names.map((name) => site.hold(name, 100_000))
      await getPage().locator('[data-component="dropzone"] input[type=file]').first().setInputFiles(names.map(path))
      await until(() => site.inFlight() === names.length)
      await getPage().reload()
      for (const release of releases) release()
      await until(() => site.inFlight() === 0)
    }
    const choose = async (by: string, ...names: ReadonlyArray<string>) => {
      const [chooser] = await Promise.all([
        getPage().waitForEvent("filechooser"),
        tray().getByRole("button", { name: by, exact: true }).click(),
      ])
      await chooser.setFiles(names.map(path))
    }

    test("offers what a reload has interrupted where no component does, and goes on with it", async () => {
      await interrupt("a.docx", "b.docx")
      const dropzone = getPage().locator('[data-component="dropzone"]').first()
      await dropzone.getByRole("button", { name: "Discard b.docx", exact: true }).waitFor()
      expect(await tray().count()).toBe(0)
      await go("Elsewhere")
      await tray().getByRole("list", { name: "Interrupted uploads" }).waitFor()
      expect(await part("tray-title").textContent()).toBe("Interrupted uploads")
      await choose("Choose it again to continue a.docx", "other.docx")
      await tray().getByText("This is another file").waitFor()
      await tray().getByRole("button", { name: "Leave out other.docx", exact: true }).click()
      const sent = getSite().puts.length
      await choose("Choose it again to continue a.docx", "a.docx")
      await trayBecomes("a.docx", "done")
      // It went on, as the same file.
      const puts = getSite().puts.filter((put) => put.file === "a.docx")
      expect(getSite().puts.length).toBe(sent + 1)
      expect(puts.at(-1)!.range).toMatch(/^bytes=[1-9]/)
      expect(new Set(puts.map(({ key }) => key)).size).toBe(1)
      await tray().getByRole("button", { name: "Discard b.docx", exact: true }).click()
      await part("interrupted").waitFor({ state: "detached" })
      await trayRow("a.docx").waitFor()
      await go("Here")
      await rowBecomes("a.docx", "done")
      expect(await part("interrupted").count()).toBe(0)
      expect(complaints()).toEqual([])
    })

    test("goes on with all of them by one choice, and can be closed", async () => {
      await interrupt("a.docx", "b.docx")
      await go("Elsewhere")
      await choose("Continue all", "a.docx", "b.docx")
      for (const name of ["a.docx", "b.docx"]) await trayBecomes(name, "done")
      expect(await part("interrupted").count()).toBe(0)
      await interrupt("a.docx")
      await go("Elsewhere")
      await tray().getByRole("button", { name: "Close", exact: true }).click()
      await tray().waitFor({ state: "detached" })
      // It is not forgotten: its dropzone has it still.
      await go("Here")
      await button("Discard a.docx").click()
      await part("interrupted").waitFor({ state: "detached" })
    })

    test("speaks as it is told", async () => {
      await openWithTray("endpoint=anything&mode=auto&german")
      await give(file("a.docx"))
      const german = getPage().getByRole("region", { name: "Uploads" })
      await german.getByText("1 hochgeladen").first().waitFor()
      await german.getByRole("button", { name: "Fertige entfernen" }).waitFor()
      // Its dropzone does not.
      await getPage().locator('[data-component="dropzone"]').getByRole("button", { name: "Remove finished" }).waitFor()
    })
  })
}
