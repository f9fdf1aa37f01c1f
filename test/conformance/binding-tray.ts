import { createRequire } from "node:module"
import type { Page } from "playwright-core"
import { describe, expect, test } from "vitest"
import { heldSize, type Site } from "../bindings/start-site.ts"
import { chosenFiles } from "../browser/chosen-files.ts"

interface Bench {
  readonly page: () => Page
  readonly site: () => Site
  readonly until: (condition: () => boolean | Promise<boolean>) => Promise<void>
  /** What the page has complained of. */
  readonly complaints: () => ReadonlyArray<string>
}

const file = (name: string, size = 1000) => ({ name, mimeType: "application/x-any", buffer: Buffer.alloc(size, 7) })
const axeSource = createRequire(import.meta.url).resolve("axe-core/axe.min.js")

/** Uploads that outlast the component that took the files, and the tray that shows them. */
export const describeTray = ({ page: getPage, site: getSite, until, complaints }: Bench): void => {
  const dropzone = () => getPage().locator('[data-component="dropzone"]')
  const tray = () => getPage().getByRole("region", { name: "Uploads" })
  const trayRow = (name: string) => tray().locator('[data-sluice="file"]', { hasText: name })
  const ownRow = (name: string) => dropzone().locator('[data-sluice="file"]', { hasText: name })
  const becomes = (row: ReturnType<typeof trayRow>, state: string) =>
    row.and(getPage().locator(`[data-state="${state}"]`)).waitFor()
  const go = (where: "Here" | "Elsewhere") => getPage().getByRole("button", { name: where, exact: true }).click()
  const give = async (...files: ReadonlyArray<ReturnType<typeof file>>) =>
    dropzone()
      .first()
      .locator("input[type=file]")
      .setInputFiles(await chosenFiles(files))
  const button = (name: string) => tray().getByRole("button", { name, exact: true })
  const title = () => tray().locator('[data-sluice="tray-title"]').textContent()
  const told = (name: string): Promise<Array<unknown>> =>
    getPage().evaluate((name) => window.told.filter((event) => event.name === name).map(({ detail }) => detail), name)
  const open = async (query: string) => {
    const page = getPage()
    await page.goto(`${getSite().url}/?component=dropzone&uploads&${query}`)
    await page.bringToFront()
    await page.locator('[data-component="dropzone"]:not([data-state="loading"])').last().waitFor()
    await page.locator('[data-component="tray"]').waitFor({ state: "attached" })
    await page.evaluate(() => {
      window.announced = []
      new MutationObserver((records) => {
        for (const { addedNodes, target } of records) {
          const text = [...addedNodes].map((node) => node.textContent).join("")
          const isRegion = (target as Element).getAttribute?.("role") === "status"
          if (isRegion && text.trim() !== "") window.announced.push(text)
        }
      }).observe(document.body, { childList: true, subtree: true })
    })
  }
  const listeners = () =>
    getPage().evaluate(() => {
      const event = new Event("beforeunload", { cancelable: true })
      return !dispatchEvent(event)
    })

  describe("a tray", () => {
    test("shows an upload that goes on when its dropzone has left the page; the dropzone shows it again", async () => {
      const page = getPage()
      const release = getSite().hold("a.docx", 100_000)
      await open("endpoint=anything&mode=auto")
      expect(await tray().count()).toBe(0)
      await give(file("a.docx", heldSize), file("b.docx"))
      await becomes(trayRow("b.docx"), "done")
      await go("Elsewhere")
      await dropzone().waitFor({ state: "detached" })
      await becomes(trayRow("a.docx"), "uploading")
      expect(await title()).toMatch(/^Uploading 1 file/)
      await button("Pause a.docx").click()
      await becomes(trayRow("a.docx"), "paused")
      await go("Here")
      await becomes(ownRow("a.docx"), "paused")
      await becomes(ownRow("b.docx"), "done")
      await go("Elsewhere")
      await dropzone().waitFor({ state: "detached" })
      release()
      await until(() => getSite().inFlight() === 0)
      await button("Resume a.docx").click()
      await becomes(trayRow("a.docx"), "done")
      expect(await title()).toBe("2 uploaded")
      // It went on, and did not begin anew.
      expect(
        getSite()
          .puts.filter((put) => put.file === "a.docx")
          .map(({ range }) => range),
      ).toEqual(["bytes=0-", expect.stringMatching(/^bytes=[1-9]\d+-$/)])
      await until(async () => (await told("app complete")).length > 0)
      expect((await told("app complete")).flat()).toEqual(["anything", "a.docx", "b.docx"])
      // The component's own callback is one of a component that is gone.
      expect(await told("complete")).toEqual([])
      await go("Here")
      await becomes(ownRow("a.docx"), "done")
      expect(await page.locator('[data-sluice="file"]').count()).toBe(4)
      expect(complaints()).toEqual([])
    })

    test("tells the component, and the app, once each while the component is there", async () => {
      await open("endpoint=anything&mode=auto")
      await go("Elsewhere")
      await go("Here")
      await give(file("a.docx"))
      await becomes(trayRow("a.docx"), "done")
      await until(async () => (await told("app complete")).length > 0)
      expect(await told("app complete")).toEqual([["anything", "a.docx"]])
      expect((await told("complete")).length).toBe(1)
      expect(await told("begin")).toEqual(["a.docx"])
    })

    test("has the uploads of several routes, and of code; each row acts on its own", async () => {
      const [page, site] = [getPage(), getSite()]
      const releases = ["one.pdf", "two.docx", "three.docx"].map((name) => site.hold(name, 10_000))
      await open("endpoint=anything&mode=auto&album=7")
      await give(file("two.docx", heldSize))
      await becomes(trayRow("two.docx"), "uploading")
      await page.evaluate((size) => {
        const [scan, other] = ["one.pdf", "three.docx"].map(
          (name) =>
            new File([new Uint8Array(size)], name, { type: name.endsWith("pdf") ? "application/pdf" : "text/plain" }),
        )
        void window.uploads!.addFiles("scans", [scan!]).then((outcomes) => {
          window.told.push({ name: "outcomes", detail: outcomes.map(({ status }) => status) })
        })
        void window.uploads!.addFiles("anything", [other!])
      }, heldSize)
      await becomes(trayRow("one.pdf"), "uploading")
      await becomes(trayRow("three.docx"), "uploading")
      expect(await title()).toMatch(/^Uploading 3 files/)
      // A group of its own has none of the others.
      expect(await dropzone().locator('[data-sluice="file"]').count()).toBe(1)
      await button("Cancel two.docx").click()
      await becomes(trayRow("two.docx"), "aborted")
      await becomes(ownRow("two.docx"), "aborted")
      await becomes(trayRow("one.pdf"), "uploading")
      await button("Pause all").click()
      await becomes(trayRow("one.pdf"), "paused")
      await becomes(trayRow("three.docx"), "paused")
      for (const release of releases) release()
      await until(() => site.inFlight() === 0)
      await button("Resume all").click()
      await becomes(trayRow("one.pdf"), "done")
      await becomes(trayRow("three.docx"), "done")
      await until(async () => (await told("outcomes")).length === 1)
      // What an upload promises is told when nothing of it moves any more, as everywhere.
      expect(await told("outcomes")).toEqual([["paused"]])
      expect(new Set((await told("app complete")).map((detail) => (detail as Array<string>).join()))).toEqual(
        new Set(["scans,one.pdf", "anything,three.docx"]),
      )
      await button("Remove three.docx").click()
      await trayRow("three.docx").waitFor({ state: "detached" })
      await button("Try again two.docx").click()
      await becomes(trayRow("two.docx"), "done")
      await button("Close").click()
      await tray().waitFor({ state: "detached" })
      // What its dropzone shows stays there.
      await becomes(ownRow("two.docx"), "done")
      expect(complaints()).toEqual([])
    })

    test("folds by a click, by Escape and out of the way of the focus, and keeps the focus with its rows", async () => {
      const page = getPage()
      const focused = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label"))
      await open("endpoint=anything&mode=auto")
      await give(file("a.docx"), file("b.docx"))
      await becomes(trayRow("b.docx"), "done")
      await go("Elsewhere")
      const fold = button("Files")
      expect(await fold.getAttribute("aria-expanded")).toBe("true")
      // It scrolls, and is no stop of the Tab key in Firefox either.
      expect(await page.locator('[data-sluice="tray-body"]').getAttribute("tabindex")).toBe("-1")
      await button("Remove a.docx").press("Enter")
      await until(async () => (await focused()) === "Remove b.docx")
      await page.keyboard.press("Escape")
      await until(async () => (await focused()) === "Files")
      expect(await fold.getAttribute("aria-expanded")).toBe("false")
      expect(await trayRow("b.docx").count()).toBe(0)
      // So it stays where another page brings its own.
      await go("Here")
      expect(await fold.getAttribute("aria-expanded")).toBe("false")
      await tray().locator('[data-sluice="tray-header"] p').click()
      expect(await fold.getAttribute("aria-expanded")).toBe("true")
      await page.evaluate(() => {
        const input = Object.assign(document.createElement("input"), { id: "covered" })
        input.style.cssText = "position: fixed; inset-block-end: 8rem; inset-inline-end: 3rem; inline-size: 5rem"
        document.body.append(input)
      })
      await page.locator("#covered").focus()
      await until(async () => (await fold.getAttribute("aria-expanded")) === "false")
      // The last row removed: the tray goes, and the focus is not lost with it.
      await page.locator("#notes").focus()
      await button("Close").focus()
      await page.keyboard.press("Enter")
      await tray().waitFor({ state: "detached" })
      await until(async () => (await page.evaluate(() => document.activeElement?.id)) === "notes")
    })

    test("speaks for nobody who is there, and once for who is not", async () => {
      const page = getPage()
      const announced = () => page.evaluate(() => window.announced)
      await open("endpoint=anything&mode=auto")
      await give(file("a.docx"))
      await until(async () => (await announced()).includes("1 file uploaded"))
      await becomes(trayRow("a.docx"), "done")
      expect((await announced()).filter((text) => text === "1 file uploaded")).toEqual(["1 file uploaded"])
      const release = getSite().hold("b.docx", 10_000)
      await give(file("b.docx", heldSize))
      await becomes(trayRow("b.docx"), "uploading")
      await go("Elsewhere")
      await page.evaluate(() => (window.announced = []))
      release()
      await becomes(trayRow("b.docx"), "done")
      await until(async () => (await announced()).some((text) => text.endsWith("uploaded")))
      expect((await announced()).filter((text) => text.endsWith("uploaded")).length).toBe(1)
      expect((await announced()).some((text) => text.includes("removed"))).toBe(false)
      await page.evaluate(() => (window.announced = []))
      await button("Remove b.docx").click()
      await until(async () => (await announced()).includes("b.docx removed"))
    })

    test("lets the browser ask only while something would be lost, wherever the component is", async () => {
      const release = getSite().hold("a.docx", 10_000)
      await open("endpoint=anything&mode=auto")
      expect(await listeners()).toBe(false)
      await give(file("a.docx", heldSize))
      await becomes(trayRow("a.docx"), "uploading")
      expect(await listeners()).toBe(true)
      await go("Elsewhere")
      await dropzone().waitFor({ state: "detached" })
      expect(await listeners()).toBe(true)
      release()
      await becomes(trayRow("a.docx"), "done")
      expect(await listeners()).toBe(false)
      const again = getSite().hold("b.docx", 10_000)
      await open("endpoint=anything&mode=auto&resume=setup")
      await give(file("b.docx", heldSize))
      await becomes(trayRow("b.docx"), "uploading")
      expect(await listeners()).toBe(false)
      again()
    })

    test("shows only what no component shows, where that is wanted, and puts progress into the title", async () => {
      const page = getPage()
      const release = getSite().hold("a.docx", 300_000)
      await open("endpoint=anything&mode=auto&tray=elsewhere&badge")
      await give(file("a.docx", heldSize))
      await becomes(ownRow("a.docx"), "uploading")
      expect(await tray().count()).toBe(0)
      await go("Elsewhere")
      await becomes(trayRow("a.docx"), "uploading")
      await until(async () => /^\([1-9]\d? %\) Uploads$/.test(await page.title()))
      // A router sets the title of its new page.
      await page.evaluate(() => (document.title = "Another page"))
      release()
      await becomes(trayRow("a.docx"), "done")
      await until(async () => (await page.title()) === "Another page")
      await go("Here")
      await tray().waitFor({ state: "detached" })
      await becomes(ownRow("a.docx"), "done")
    })

    test("what was chosen, and not uploaded, waits for its dropzone, and is none of the tray's", async () => {
      await open("endpoint=anything&mode=manual")
      await give(file("a.docx"))
      await becomes(ownRow("a.docx"), "picked")
      await go("Elsewhere")
      await dropzone().waitFor({ state: "detached" })
      expect(await tray().count()).toBe(0)
      await go("Here")
      await dropzone().getByRole("button", { name: "Upload 1 file" }).click()
      await becomes(trayRow("a.docx"), "done")
      expect(await told("complete")).toHaveLength(1)
    })

    for (const [name, size, scheme] of [
      ["320 px", { width: 320, height: 640 }, "light"],
      ["a desktop", { width: 1280, height: 800 }, "dark"],
    ] as const) {
      test(`nothing stands in the way of assistive technology, nothing runs out of the page: ${name}, ${scheme}`, async () => {
        const [page, site] = [getPage(), getSite()]
        await page.setViewportSize(size)
        await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" })
        const check = async (what: string) => {
          await page.addScriptTag({ path: axeSource })
          const violations = await page.evaluate(async () => {
            const { axe } = globalThis as unknown as { axe: typeof import("axe-core") }
            const { violations } = await axe.run(document, { resultTypes: ["violations"] })
            return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)
          })
          expect(violations, what).toEqual([])
          const box = await tray().boundingBox()
          expect(box!.x, what).toBeGreaterThanOrEqual(0)
          expect(box!.x + box!.width, what).toBeLessThanOrEqual(size.width)
          expect(box!.y + box!.height, what).toBeLessThanOrEqual(size.height)
          expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(size.width)
          expect(await tray().evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
        }
        const release = site.hold("a.docx", 10_000)
        site.refuse("bad.docx", 500, 99)
        await open("endpoint=anything&mode=auto")
        await give(file("a.docx", heldSize), file("bad.docx"), file("c.docx"))
        await until(async () => (await told("app error")).length > 0)
        await go("Elsewhere")
        // On a phone it does not cover the page unasked.
        const fold = button("Files")
        expect(await fold.getAttribute("aria-expanded")).toBe(String(size.width > 640))
        await check("at first")
        await fold.click()
        await check("after a click")
        if (size.width <= 640) expect((await tray().boundingBox())!.width).toBe(320)
        release()
        await until(async () => (await title())!.includes("failed"))
        await check("at the end")
        await page.evaluate(() => (document.documentElement.dir = "rtl"))
        const box = (await tray().boundingBox())!
        expect(box.x).toBeLessThanOrEqual(16)
      })
    }
  })
}
