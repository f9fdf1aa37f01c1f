import { createHash } from "node:crypto"
import { createRequire } from "node:module"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { BrowserContext, Locator, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { heldSize, type Site, startSite } from "../bindings/start-site.ts"
import { launchProfile } from "../browser/chromium.ts"
import { pixel } from "../browser/pixel.ts"
import { type ChosenFile, chosenFiles } from "../browser/chosen-files.ts"
import { slowUploads } from "../browser/slow-uploads.ts"
import { describePreviews } from "./previews.ts"
import { describeDrags } from "./binding-drags.ts"
import { describeAvatar } from "./binding-avatar.ts"
import { describeRows } from "./binding-rows.ts"
import { describeManners } from "./binding-manners.ts"
import { describeRoom } from "./binding-room.ts"
import { describeLooks } from "./binding-looks.ts"
import { describeTray } from "./binding-tray.ts"
import { describeResume } from "./binding-resume.ts"

declare global {
  interface Window {
    /** What stood in the page's live region, one text after the other. */
    announced: Array<string>
  }
}

const png = (name: string, size = pixel.length) => ({
  name,
  mimeType: "image/png",
  buffer: Buffer.concat([pixel, Buffer.alloc(Math.max(0, size - pixel.length), 7)]),
})
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")
const axeSource = createRequire(import.meta.url).resolve("axe-core/axe.min.js")

/**
 * Holds for the components of every framework, in a real browser, against a real route handler and ingest.
 *
 * @param bundle the page's script, see test/bindings/apps
 */
export const describeBinding = (name: string, bundle: () => Promise<string>): void => {
  describe(`the components of ${name}`, () => {
    let profile: string
    let context: BrowserContext
    let page: Page
    let script: string
    let styles: string
    let site: Site
    let complaints: Array<string>

    beforeAll(async () => {
      profile = await mkdtemp(join(tmpdir(), "sluice-profile-"))
      ;[context, script, styles] = await Promise.all([
        // A profile on disk, as people have: private windows crash on file handles.
        launchProfile(profile),
        bundle(),
        readFile(join(import.meta.dirname, "../../src/ui/styles.css"), "utf8"),
      ])
    })
    afterAll(async () => {
      await context?.close()
      await rm(profile, { recursive: true, force: true, maxRetries: 5 })
    })
    beforeEach(async () => {
      site = await startSite({ script, styles })
      complaints = []
      page = await newPage()
    })
    afterEach(async () => {
      for (const opened of context.pages()) await opened.close()
      await site.close()
    })

    const newPage = async () => {
      const opened = await context.newPage()
      // Its dialog cannot be driven from outside; without it the components use a file input, as in other browsers.
      await opened.addInitScript(() => Reflect.deleteProperty(globalThis, "showOpenFilePicker"))
      opened.on("pageerror", (error) => complaints.push(String(error)))
      opened.on("console", (message) => {
        if (["error", "warning"].includes(message.type())) complaints.push(message.text())
      })
      return opened
    }

    /** Opens a page with a component that knows its route. */
    const open = async (query: string, where = page) => {
      await where.goto(`${site.url}/?${query}`)
      await where.bringToFront()
      await where.locator('[data-sluice="container"]:not([data-state="loading"])').last().waitFor()
      await where.evaluate(() => {
        window.announced = []
        const region = document.querySelector('[role="status"]')!
        new MutationObserver(() => {
          const text = region.textContent.trim()
          if (text !== "") window.announced.push(text)
        }).observe(region, { childList: true, characterData: true, subtree: true })
      })
    }
    const container = (where = page) => where.locator('[data-sluice="container"]')
    const main = (where = page) => where.locator('[data-sluice="button"]')
    const part = (part: string, where = page) => where.locator(`[data-sluice="${part}"]`)
    const row = (file: string, where = page) => where.locator('[data-sluice="file"]', { hasText: file })
    /** What screen readers were told since the component was there, one by one. */
    const announced = (where = page): Promise<Array<string>> => where.evaluate(() => window.announced)
    const says = (text: string | RegExp, where = page) =>
      until(async () =>
        (await announced(where)).some((said) => (typeof text === "string" ? said === text : text.test(said))),
      )
    const becomes = (state: string, where = page) =>
      where.locator(`[data-sluice="container"][data-state="${state}"]`).waitFor()
    const rowBecomes = (file: string, state: string, where = page) =>
      where.locator(`[data-sluice="file"][data-state="${state}"]`, { hasText: file }).waitFor()
    const choose = async (button: Locator, files: string | ChosenFile | ReadonlyArray<ChosenFile>) => {
      const given = typeof files === "string" ? files : await chosenFiles([files].flat())
      const [chooser] = await Promise.all([page.waitForEvent("filechooser"), button.click()])
      await chooser.setFiles(given)
    }
    const told = (name: string, where = page): Promise<Array<any>> =>
      where.evaluate((name) => window.told.filter((event) => event.name === name).map(({ detail }) => detail), name)
    const until = async (condition: () => boolean | Promise<boolean>) => {
      for (const deadline = Date.now() + 30_000; !(await condition());) {
        if (Date.now() > deadline) throw new Error("It did not become so within 30 s.")
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    }
    const transfer = (...files: Array<{ name: string; mimeType: string; buffer: Buffer }>) =>
      page.evaluateHandle(
        (given) => {
          const data = new DataTransfer()
          for (const { name, type, base64 } of given) {
            const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
            data.items.add(new File([bytes], name, { type, lastModified: 1 }))
          }
          return data
        },
        files.map((file) => ({ name: file.name, type: file.mimeType, base64: file.buffer.toString("base64") })),
      )
    /** Bytes of an upload that are remembered as sent. */
    const loadedOf = (file: string): Promise<number> =>
      page.evaluate(
        (file) =>
          new Promise<number>((resolve) => {
            indexedDB.open("sluice-resume").onsuccess = ({ target }) => {
              const database = (target as IDBOpenDBRequest).result
              database.transaction("entries").objectStore("entries").getAll().onsuccess = ({ target }) => {
                database.close()
                const records = (target as IDBRequest<Array<{ name: string; loaded?: number }>>).result
                resolve(records.find(({ name }) => name === file)?.loaded ?? 0)
              }
            }
          }),
        file,
      )
    const percent = async (bar: Locator) => Number(await bar.getAttribute("aria-valuenow"))

    describe("a button", () => {
      test("says what the route takes, and lets the file dialog know", async () => {
        await open("component=button")
        expect(await main().textContent()).toBe("Choose files")
        expect(await part("allowed-content").textContent()).toBe("Up to 3 images, 4\u00a0MB each at most")
        const input = page.locator("input[type=file]")
        expect(await input.getAttribute("accept")).toBe("image/*")
        // A label, by which tests find it: `getByLabelText` of Testing Library looks for the same.
        expect(await page.getByLabel("Choose files", { exact: true }).getAttribute("type")).toBe("file")
        expect(await input.evaluate((element: HTMLInputElement) => element.multiple)).toBe(true)
        await open("component=button&endpoint=avatar")
        expect(await main().textContent()).toBe("Choose a file")
        expect(await part("allowed-content").textContent()).toBe("1 image, 4\u00a0MB at most")
        expect(await input.evaluate((element: HTMLInputElement) => element.multiple)).toBe(false)
        expect(complaints).toEqual([])
      })

      test("uploads what is chosen at once, and tells the page each step", async () => {
        await open("component=button")
        const files = [png("a.png"), png("b.png", 3000)]
        await choose(main(), files)
        await becomes("done")
        await says("2 files uploaded")
        expect(await part("allowed-content").textContent()).toBe("2 uploaded")
        expect(await told("change")).toEqual([["a.png", "b.png"]])
        expect(new Set(await told("begin"))).toEqual(new Set(["a.png", "b.png"]))
        expect(await told("complete")).toEqual([
          files.map((file) => ({
            name: file.name,
            fileHash: sha256(file.buffer),
            serverData: { stored: file.name },
          })),
        ])
        expect(complaints).toEqual([])
      })

      test("the same file can be chosen again", async () => {
        await open("component=button&endpoint=avatar")
        for (let times = 1; times <= 2; times++) {
          await choose(main(), png("a.png"))
          await until(async () => (await told("complete")).length === times)
          // A browser tells of no change where the dialog gives what the input has already.
          expect(await page.locator("input[type=file]").inputValue()).toBe("")
        }
        expect(site.puts.length).toBe(2)
      })

      test("is used by keyboard alone, and keeps the focus", async () => {
        // Playwright takes the dialog over once somebody listens, a moment later: a key is faster than that.
        page.on("filechooser", () => {})
        await open("component=button&mode=manual")
        await page.keyboard.press("Tab")
        expect(await main().evaluate((element) => element === document.activeElement)).toBe(true)
        const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.keyboard.press("Enter")])
        await chooser.setFiles(png("a.png"))
        await becomes("picked")
        expect(await main().textContent()).toBe("Upload 1 file")
        await page.keyboard.press("Enter")
        await becomes("done")
        expect(await main().evaluate((element) => element === document.activeElement)).toBe(true)
      })

      test("shows progress, pauses, goes on where it was, and is done only when the server says so", async () => {
        const release = site.hold("a.png", 100_000)
        await open("component=button&endpoint=anything")
        await choose(main(), png("a.png", heldSize))
        await until(() => site.inFlight() === 1)
        await becomes("uploading")
        expect(await main().textContent()).toMatch(/^Uploading \d\d? %$/)
        await page.getByRole("button", { name: "Pause" }).click()
        await becomes("paused")
        expect(await main().textContent()).toBe("Resume")
        release()
        await until(() => site.inFlight() === 0)
        await main().click()
        await becomes("done")
        expect(site.puts.map(({ range }) => range)).toEqual(["bytes=0-", expect.stringMatching(/^bytes=[1-9]\d+-$/)])
        const seen = (await told("progress")).map(([, progress]) => progress)
        expect(seen).toEqual(seen.toSorted((a: number, b: number) => a - b))
        expect(seen.filter((progress) => progress === 100).length).toBe(1)
      })

      test("cancels, closes the connection, and can be used again", async () => {
        const release = site.hold("a.png", 0)
        await open("component=button&endpoint=anything")
        await choose(main(), png("a.png", heldSize))
        await until(() => site.inFlight() === 1)
        await page.getByRole("button", { name: "Cancel" }).click()
        await until(async () => (await told("aborted")).length === 1)
        expect(await told("aborted")).toEqual([["a.png"]])
        release()
        await until(() => site.inFlight() === 0)
        await becomes("idle")
        await choose(main(), png("b.png"))
        await becomes("done")
        expect(await told("error")).toEqual([])
      })

      test("a refusal by the app is told once, in its words, with every file", async () => {
        await open("component=button&endpoint=forbidden")
        await choose(main(), [png("a.png"), png("b.png")])
        await becomes("failed")
        await until(async () => (await told("error")).length > 0)
        expect(await told("error")).toEqual([["FORBIDDEN", ["a.png", "b.png"]]])
        expect(await part("error").textContent()).toContain("Sign in first.")
        await says("2 files failed. Sign in first.")
      })

      test("what the route would refuse is told without sending anything", async () => {
        await open("component=button")
        await choose(main(), [{ ...png("a.txt"), mimeType: "text/plain" }, png("huge.png", 5_000_000)])
        await becomes("failed")
        await until(async () => (await told("error")).length === 2)
        expect(await told("error")).toEqual([
          ["FILE_TYPE_NOT_ALLOWED", ["a.txt"]],
          ["FILE_TOO_LARGE", ["huge.png"]],
        ])
        expect(await part("error").textContent()).toBe("2 failed. a.txt: Not allowed here. Choose images.")
        expect(site.puts).toEqual([])
      })

      test("a route that the router does not have: the operator is told once, the user when files are sent", async () => {
        await page.goto(`${site.url}/?component=button&endpoint=nowhere`)
        await page.bringToFront()
        await becomes("idle")
        await until(() => complaints.length > 0)
        await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)))
        expect(complaints).toEqual([
          'Sluice: ROUTE_NOT_FOUND: There is no file route "nowhere" at /api/sluice. Check the endpoint of the component.',
        ])
        await choose(main(), png("a.png"))
        await becomes("failed")
        expect(await part("error").textContent()).toContain("This page is out of date. Reload it.")
        expect(await page.getByRole("button", { name: /Try again/ }).count()).toBe(0)
      })

      test("works where the routes' configuration cannot be had", async () => {
        site.describesRoutes = false
        await open("component=button")
        await choose(main(), png("a.png"))
        await becomes("done")
      })

      test("does nothing while disabled", async () => {
        await page.goto(`${site.url}/?component=button&disabled`)
        await becomes("disabled")
        expect(await main().isDisabled()).toBe(true)
        await page.dispatchEvent('[data-sluice="container"]', "drop", { dataTransfer: await transfer(png("a.png")) })
        expect(await told("change")).toEqual([])
      })

      test("lets the page change the files before they are sent", async () => {
        await open("component=button&rename")
        await choose(main(), [png("a.png"), png("b.png")])
        await becomes("done")
        const [results] = await told("complete")
        expect(results.map((result: { name: string }) => result.name)).toEqual(["renamed-a.png", "renamed-b.png"])
      })

      test("says when all is sent and only the app has not answered", async () => {
        const answered = site.holdCallbacks()
        await open("component=button")
        await choose(main(), png("a.png"))
        await main().getByText("Sent, waiting for the app").waitFor()
        await says("Sent, waiting for the app…")
        answered()
        await becomes("done")
        await says("1 file uploaded")
        expect(complaints).toEqual([])
      })

      test("an empty image is refused without sending anything", async () => {
        await open("component=button")
        await choose(main(), { name: "empty.png", mimeType: "image/png", buffer: Buffer.alloc(0) })
        await becomes("failed")
        expect(await part("error").textContent()).toBe("empty.png: The file is empty. Choose another one.")
        expect(site.puts).toEqual([])
      })
    })

    describe("a dropzone", () => {
      test("lists what is chosen, and uploads on request", async () => {
        await open("component=dropzone")
        await choose(main(), [png("a.png"), png("b.png")])
        await becomes("picked")
        expect(await row("a.png").locator("img").getAttribute("src")).toMatch(/^blob:/)
        await page.getByRole("button", { name: "Remove b.png" }).click()
        expect(await told("change")).toEqual([["a.png", "b.png"], ["a.png"]])
        await page.getByRole("button", { name: "Upload 1 file" }).click()
        await rowBecomes("a.png", "done")
        expect(site.puts.map(({ file }) => file)).toEqual(["a.png"])
        expect(complaints).toEqual([])
      })

      test("opens the file dialog on a click anywhere in its area, once", async () => {
        await open("component=dropzone")
        await page.evaluate(() => {
          const { click } = HTMLInputElement.prototype
          HTMLInputElement.prototype.click = function () {
            window.told.push({ name: "dialog", detail: this.type })
            click.call(this)
          }
        })
        await choose(part("allowed-content"), png("a.png"))
        await choose(main(), png("b.png"))
        await row("b.png").waitFor()
        expect(await told("dialog")).toEqual(["file", "file"])
      })

      test("shows that files are held over it, and takes those dropped", async () => {
        await open("component=dropzone&mode=auto")
        const dataTransfer = await transfer(png("a.png"), png("b.png"))
        const target = '[data-sluice="label"]'
        await page.dispatchEvent(target, "dragenter", { dataTransfer })
        expect(await container().getAttribute("data-drag")).toBe("over")
        expect(await part("label").textContent()).toBe("Drop the files to add them")
        await page.locator(target).evaluate((label) => {
          const relatedTarget = label.parentElement
          label.dispatchEvent(new DragEvent("dragleave", { relatedTarget, bubbles: true }))
        })
        expect(await container().getAttribute("data-drag")).toBe("over")
        await page.dispatchEvent(target, "dragleave", { dataTransfer })
        await page.locator('[data-sluice="container"]:not([data-drag])').waitFor()
        await page.dispatchEvent(target, "dragenter", { dataTransfer })
        await page.dispatchEvent(target, "drop", { dataTransfer })
        await page.locator('[data-sluice="container"]:not([data-drag])').waitFor()
        await rowBecomes("a.png", "done")
        await rowBecomes("b.png", "done")
      })

      test("takes no text that is dragged over it", async () => {
        await open("component=dropzone")
        const dataTransfer = await page.evaluateHandle(() => {
          const data = new DataTransfer()
          data.setData("text/plain", "hello")
          return data
        })
        await page.dispatchEvent('[data-sluice="container"]', "dragenter", { dataTransfer })
        expect(await container().getAttribute("data-drag")).toBe(null)
        const isLeftAlone = await container().evaluate(
          (element, data) =>
            element.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true })),
          dataTransfer,
        )
        expect(isLeftAlone).toBe(true)
        expect(await told("change")).toEqual([])
      })

      const paste = async () => {
        const clipboardData = await transfer(png("pasted.png"))
        await page.evaluate(
          (data) =>
            (document.activeElement ?? document.body).dispatchEvent(
              new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }),
            ),
          clipboardData,
        )
      }

      test("takes pasted files where that is wanted, and leaves text fields alone", async () => {
        await open("component=dropzone")
        await paste()
        expect(await told("change")).toEqual([])
        await open("component=dropzone&paste")
        await page.focus("#notes")
        await paste()
        expect(await told("change")).toEqual([])
        await main().focus()
        await paste()
        await until(async () => (await told("change")).length > 0)
        expect(await told("change")).toEqual([["pasted.png"]])
      })

      test("what is pasted goes to a component that is shown, and never unseen into one that is not", async () => {
        await open("component=dropzone&paste&named&mode=manual")
        const places = container()
        const hide = (how: (element: HTMLElement) => void) => places.first().evaluate(how as (element: Element) => void)
        const files = (at: number) => places.nth(at).locator('[data-sluice="file"]').count()
        await page.locator("h1").hover()
        await hide((element) => (element.hidden = true))
        await paste()
        await until(async () => (await files(1)) === 1)
        expect(await files(0)).toBe(0)
        // With both shown nobody says which one is meant, and with none there is nobody to see it.
        await hide((element) => (element.hidden = false))
        await paste()
        const isTaken = await places.evaluateAll(async (elements) => {
          for (const element of elements) element.style.visibility = "hidden"
          const data = new DataTransfer()
          data.items.add(new File(["x"], "unseen.png", { type: "image/png" }))
          const event = () => new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })
          const taken = [!document.body.dispatchEvent(event())]
          for (const element of elements.slice(1)) element.remove()
          taken.push(!document.body.dispatchEvent(event()))
          return taken
        })
        expect(isTaken).toEqual([false, false])
      })

      test("each file has its own progress, pause and cancel; the others are not touched", async () => {
        const release = site.hold("a.png", 50_000)
        const releaseOther = site.hold("b.png", 50_000)
        await open("component=dropzone&mode=auto&endpoint=anything")
        // More than what lies between browser and ingest holds: nothing is sent to its end.
        await choose(main(), [png("a.png", 20_000_000), png("b.png", 20_000_000), png("c.png")])
        await rowBecomes("c.png", "done")
        await until(() => site.inFlight() === 2)
        await page.getByRole("button", { name: "Cancel b.png" }).click()
        await rowBecomes("b.png", "aborted")
        await page.getByRole("button", { name: "Pause a.png" }).click()
        await rowBecomes("a.png", "paused")
        expect(await percent(row("a.png").getByRole("progressbar"))).toBeLessThan(100)
        release()
        releaseOther()
        await until(() => site.inFlight() === 0)
        // What was cancelled takes no room any more, what is paused waits.
        await until(async () => (await site.statusOf("b.png")) === "Failed")
        expect(await site.statusOf("a.png")).toBe("Uploading")
        await page.getByRole("button", { name: "Resume a.png" }).click()
        await rowBecomes("a.png", "done")
        expect(site.puts.findLast(({ file }) => file === "a.png")!.range).toMatch(/^bytes=[1-9]/)
        await until(async () => (await told("complete")).length === 1)
        const [results] = await told("complete")
        expect(new Set(results.map((result: { name: string }) => result.name))).toEqual(new Set(["a.png", "c.png"]))
      })

      test("a file that has failed says why, and can be tried again", async () => {
        site.refuse("a.png", 500, 5)
        await open("component=dropzone&mode=auto")
        await choose(main(), png("a.png"))
        await rowBecomes("a.png", "failed")
        expect(await row("a.png").textContent()).toContain("Something went wrong on the server.")
        await until(async () => (await told("error")).length === 1)
        await page.getByRole("button", { name: "Try again a.png" }).click()
        await rowBecomes("a.png", "done")
      })

      test("keeps its elements through all states", async () => {
        const release = site.hold("a.png", 10_000)
        await open("component=dropzone&mode=auto")
        await container().evaluate((element) => {
          for (const inner of element.querySelectorAll("*")) (inner as { isOld?: boolean }).isOld = true
        })
        await choose(main(), png("a.png", 1_000_000))
        await rowBecomes("a.png", "uploading")
        await row("a.png").evaluate((element) => {
          for (const inner of [element, ...element.querySelectorAll("*")]) (inner as { isOld?: boolean }).isOld = true
        })
        release()
        await rowBecomes("a.png", "done")
        const kept = '[data-sluice="area"] *, [data-sluice="status"], [data-sluice="file-name"], input[type=file]'
        const isOld = await page
          .locator(kept)
          .evaluateAll((elements) => elements.map((element) => (element as { isOld?: boolean }).isOld === true))
        expect(isOld.length).toBeGreaterThan(5)
        expect(new Set(isOld)).toEqual(new Set([true]))
      })

      test("whoever uses the keyboard stays in it when a button goes away", async () => {
        site.hold("a.png", 10_000)
        await open("component=dropzone&mode=auto&endpoint=anything")
        await choose(main(), [png("a.png", heldSize), png("b.png")])
        await rowBecomes("a.png", "uploading")
        const focused = () =>
          page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent)
        const press = (name: string) => page.getByRole("button", { name }).press("Enter")
        await press("Pause a.png")
        await until(async () => (await focused()) === "Resume a.png")
        await press("Cancel a.png")
        await until(async () => (await focused()) === "Remove a.png")
        await press("Remove a.png")
        await until(async () => (await focused()) === "Remove b.png")
        await open("component=button&mode=manual")
        await choose(main(), png("c.png"))
        await page.getByRole("button", { name: "Clear" }).press("Enter")
        await until(async () => (await focused()) === "Choose files")
      })

      test("wears what the page gives it", async () => {
        await open("component=dropzone&look")
        expect(await container().getAttribute("class")).toBe("merged mine roomy")
        expect(await main().getAttribute("class")).toBe("merged calm")
        expect(await part("allowed-content").evaluate((element) => getComputedStyle(element).color)).toBe(
          "rgb(1, 2, 3)",
        )
        expect(await part("label").textContent()).toBe("Mine: 0")
        // A class of the page wins.
        await page.addStyleTag({ content: ".calm { background: rgb(9, 8, 7) }" })
        await until(
          async () =>
            (await main().evaluate((element) => getComputedStyle(element).backgroundColor)) === "rgb(9, 8, 7)",
        )
        await choose(main(), png("a.png"))
        await row("a.png").waitFor()
        expect(await part("label").textContent()).toBe("Mine: 1")
      })

      test("the file dialog chooses a folder where that is wanted", async () => {
        await open("component=dropzone&folder")
        const input = page.locator("input[type=file]")
        expect(await input.evaluate((element: HTMLInputElement) => element.webkitdirectory)).toBe(true)
      })
    })

    describePreviews({ page: () => page, open, rowBecomes, until })
    describeRows({
      page: () => page,
      site: () => site,
      open,
      told,
      until,
      announced,
      says,
      complaints: () => complaints,
    })

    describeRoom({ page: () => page, site: () => site, open, until })
    describeLooks({ page: () => page, site: () => site, open, until })
    describeAvatar({ page: () => page, site: () => site, open, until })
    describeManners({ page: () => page, site: () => site, open, until, complaints: () => complaints })

    describeResume({ page: () => page, newPage, site: () => site, open, until })

    describeTray({ page: () => page, site: () => site, until, complaints: () => complaints })

    describe("large files", () => {
      const size = 200_000_000
      let folder: string
      let file: string
      let hash: string

      beforeAll(async () => {
        folder = await mkdtemp(join(tmpdir(), "sluice-large-"))
        file = join(folder, "large.bin")
        const content = Buffer.alloc(size)
        for (let at = 0; at < size; at += 1_000_000) content.writeUInt32LE(at, at)
        await writeFile(file, content)
        hash = sha256(content)
      })
      afterAll(() => rm(folder, { recursive: true, force: true }))

      test("a reload in the middle of 200 MB: the same file, chosen again, goes on where it was", async () => {
        const release = site.hold("large.bin", 80_000_000)
        await open("component=dropzone&endpoint=anything&resume")
        await choose(main(), file)
        await page.getByRole("button", { name: "Upload 1 file" }).click()
        await until(async () => (await percent(row("large.bin").getByRole("progressbar"))) > 20)
        // Counted now and then, so that what was sent a moment before is not lost.
        await until(async () => (await loadedOf("large.bin")) > 0)
        await page.reload()
        release()
        await until(() => site.inFlight() === 0)
        await page.getByRole("button", { name: "Choose it again to continue large.bin" }).waitFor()
        expect(await part("interrupted").locator('[data-sluice="file-state"]').textContent()).toMatch(
          /^[1-9][\d.]* of 190\.7\u00a0MB uploaded, \d\d? %$/,
        )
        // It was wanted once: nobody has to press "Upload" again.
        await choose(main(), file)
        await rowBecomes("large.bin", "done")
        const [[result]] = await told("complete")
        expect(result.fileHash).toBe(hash)
        expect(site.puts.map(({ range }) => range)).toEqual(["bytes=0-", expect.stringMatching(/^bytes=\d{8,}-$/)])
        expect(new Set(site.puts.map(({ key }) => key)).size).toBe(1)
        expect(await part("interrupted").count()).toBe(0)
      })

      test("where the browser has kept a handle, it goes on by one click", async () => {
        // Files of the private file system have the same handles as those of a disk.
        await page.addInitScript(() => {
          const pick = async () => {
            const root = await navigator.storage.getDirectory()
            return [await root.getFileHandle("kept.bin")]
          }
          Object.assign(globalThis, { showOpenFilePicker: pick })
        })
        const release = site.hold("kept.bin", 1_000_000)
        await open("component=dropzone&mode=auto&endpoint=anything&resume=setup")
        await page.evaluate(async () => {
          const root = await navigator.storage.getDirectory()
          const writable = await (await root.getFileHandle("kept.bin", { create: true })).createWritable()
          await writable.write(new Uint8Array(8_000_000).fill(5))
          await writable.close()
        })
        await main().click()
        await until(() => site.inFlight() === 1)
        await until(async () => (await percent(row("kept.bin").getByRole("progressbar"))) > 0)
        await page.reload()
        release()
        await until(() => site.inFlight() === 0)
        await page.getByRole("button", { name: "Continue kept.bin" }).click()
        await rowBecomes("kept.bin", "done")
        expect(site.puts.at(-1)!.range).toMatch(/^bytes=[1-9]/)
        expect((await told("complete"))[0][0].fileHash).toBe(sha256(Buffer.alloc(8_000_000, 5)))
      })

      test("an interrupted upload can be discarded", async () => {
        site.hold("large.bin", 1_000_000)
        await open("component=dropzone&mode=auto&endpoint=anything&resume")
        await choose(main(), file)
        await until(() => site.inFlight() === 1)
        await page.reload()
        await page.getByRole("button", { name: "Discard large.bin" }).click()
        await page.getByRole("button", { name: "Discard large.bin" }).waitFor({ state: "detached" })
        await until(async () => (await site.statusOf("large.bin")) === "Failed")
        await page.reload()
        await becomes("idle")
        expect(await part("interrupted").count()).toBe(0)
      })

      /** One tab is sending the file and does not get on, another one wants to. */
      const startInTwoTabs = async () => {
        const release = site.hold("large.bin", 20_000_000)
        const query = "component=dropzone&mode=auto&endpoint=anything&resume"
        await open(query)
        await choose(main(), file)
        await until(() => site.inFlight() === 1)
        const other = await newPage()
        await open(query, other)
        await other.setInputFiles("input[type=file]", file)
        await rowBecomes("large.bin", "waiting", other)
        return { other, release }
      }

      test("two tabs with the same file: one sends it, both are done with it", async () => {
        const { other, release } = await startInTwoTabs()
        expect(await row("large.bin", other).textContent()).toContain("Being uploaded in another tab")
        release()
        await rowBecomes("large.bin", "done")
        await rowBecomes("large.bin", "done", other)
        const results = [(await told("complete"))[0][0], (await told("complete", other))[0][0]]
        expect(results.map(({ fileHash }) => fileHash)).toEqual([hash, hash])
        expect(new Set(site.puts.map(({ key }) => key)).size).toBe(1)
        expect(site.puts[0]!.range).toBe("bytes=0-")
        expect(site.puts.slice(1).every(({ range }) => range === `bytes=${size}-`)).toBe(true)
      })

      test("a tab that is closed leaves its upload to the other", async () => {
        const { other, release } = await startInTwoTabs()
        release()
        await page.close()
        await rowBecomes("large.bin", "done", other)
        expect(new Set(site.puts.map(({ key }) => key)).size).toBe(1)
        expect((await told("complete", other))[0][0].fileHash).toBe(hash)
      })
    })

    describeDrags({
      page: () => page,
      site: () => site,
      open,
      choose,
      told,
      until,
      complaints: () => complaints,
    })

    describe("screen readers", () => {
      test("are told what was chosen and what was refused, and that it is in", async () => {
        await open("component=dropzone")
        await choose(
          main(),
          ["a", "b", "c", "d"].map((name) => png(`${name}.png`)),
        )
        await says("3 files chosen, 1 refused. d.png: Too many: at most 3 images.")
        await page.getByRole("button", { name: "Upload 3 files" }).click()
        await says("3 files uploaded, 1 failed")
        expect(complaints).toEqual([])
      })

      test("are told of a file that fails while others go on, before anything else", async () => {
        const release = site.hold("a.png", 10_000)
        site.refuse("b.png", 500, 99)
        await open("component=dropzone&mode=auto")
        await choose(main(), [png("a.png", 1_000_000), png("b.png")])
        await says("b.png failed: Something went wrong on the server. Try again in a moment.")
        release()
        await says("1 file uploaded, 1 failed")
        const said = await announced()
        expect(said.filter((text) => text.startsWith("b.png failed")).length).toBe(1)
      })

      test("are told once that it is offline", async () => {
        await open("component=dropzone")
        await choose(main(), [png("a.png"), png("b.png")])
        await says("2 files chosen")
        await context.setOffline(true)
        await page.getByRole("button", { name: "Upload 2 files" }).click()
        await says("Offline. The upload continues when you are back")
        await until(async () => (await part("summary-text").textContent())!.startsWith("Offline"))
        await context.setOffline(false)
        await says("2 files uploaded")
        expect((await announced()).filter((text) => text.startsWith("Offline")).length).toBe(1)
      })

      test("are told once that it is tried again, however often it is", async () => {
        site.refuse("a.png", 503, 3)
        await open("component=dropzone&mode=auto")
        await choose(main(), png("a.png", 100_000))
        await rowBecomes("a.png", "done")
        await says("1 file uploaded")
        expect((await announced()).filter((text) => /again/i.test(text)).length).toBeLessThan(2)
      })

      test("are told of a pause, of going on, and of the end by hand", async () => {
        site.hold("a.png", 10_000)
        await open("component=button&endpoint=anything")
        await choose(main(), png("a.png", heldSize))
        await until(() => site.inFlight() === 1)
        await page.getByRole("button", { name: "Pause" }).click()
        await says("Upload paused")
        await main().click()
        await says("Upload resumed")
        await page.getByRole("button", { name: "Cancel" }).click()
        await says("Upload cancelled")
      })

      test("are told how far a long upload is, and that a file is gone from the list", async () => {
        site.hold("a.png", 9_000_000)
        await open("component=dropzone&mode=auto&endpoint=anything")
        await choose(main(), png("a.png", 20_000_000))
        await says(/^\d\d percent/)
        await page.getByRole("button", { name: "Cancel a.png" }).click()
        await page.getByRole("button", { name: "Remove a.png" }).click()
        await says("a.png removed. You can undo it")
      })

      test("are not flooded: forty files at once are a few sentences, and the last says what became of them", async () => {
        await open("component=dropzone&mode=auto&endpoint=anything")
        await choose(
          main(),
          Array.from({ length: 40 }, (_, index) => png(`${index}.png`)),
        )
        await says("40 files uploaded")
        expect((await announced()).length).toBeLessThan(6)
        // A text that stays would be found long after it is true.
        await until(async () => (await page.getByRole("status").textContent())!.trim() === "")
      })

      test("keep the component while it uploads, and hear one name of the button that has the focus", async () => {
        const release = site.hold("a.png", 100_000)
        await open("component=button&endpoint=anything")
        await main().focus()
        await page.evaluate(() => {
          const button = document.activeElement!
          const root = document.querySelector('[data-sluice="container"]')!
          const names = (window.told = [])
          new MutationObserver(() => {
            const copy = button.cloneNode(true) as Element
            for (const hidden of copy.querySelectorAll('[aria-hidden="true"]')) hidden.remove()
            const name = button.ariaLabel ?? copy.textContent.trim()
            const isBusy = root.closest("[aria-busy]") !== null || root.querySelector("[aria-busy]") !== null
            ;(names as Array<unknown>).push({ name: root.getAttribute("data-state"), detail: [name, isBusy] })
          }).observe(root, { subtree: true, childList: true, characterData: true, attributes: true })
        })
        await choose(main(), png("a.png", heldSize))
        await becomes("uploading")
        const bar = page.getByRole("progressbar")
        await until(async () => (await percent(bar)) > 0)
        await until(async () => /^Uploading \d+ %$/.test((await main().textContent())!))
        expect(await main().getByText("%").getAttribute("aria-hidden")).toBe("true")
        release()
        await becomes("done")
        const heard = (await told("uploading")).map((detail) => JSON.stringify(detail))
        expect(heard.length).toBeGreaterThan(1)
        expect([...new Set(heard)]).toEqual([JSON.stringify(["Uploading", false])])
      })

      test("read the state of every file in its words", async () => {
        site.hold("held.png", 10_000)
        site.refuse("bad.png", 500, 99)
        await open("component=dropzone&mode=auto&endpoint=anything")
        await choose(main(), [png("good.png", 3000), png("bad.png"), png("held.png", heldSize)])
        await rowBecomes("good.png", "done")
        await rowBecomes("bad.png", "failed")
        await rowBecomes("held.png", "uploading")
        const words = (file: string) => row(file).locator('[data-sluice="file-state"]').textContent()
        expect(await words("good.png")).toBe("Uploaded, 2.9\u00a0KB")
        expect(await words("bad.png")).toContain("Something went wrong")
        expect(await words("held.png")).toMatch(/ of 5\.7\u00a0MB, \d+ %$/)
        await page.getByRole("button", { name: "Pause held.png" }).click()
        await until(async () => (await words("held.png"))!.startsWith("Paused at"))
        await page.getByRole("button", { name: "Cancel held.png" }).click()
        await until(async () => (await words("held.png")) === "Cancelled")
      })

      test("tell two components apart by their names", async () => {
        await open("component=dropzone&endpoint=avatar&named")
        const session = await context.newCDPSession(page)
        const { nodes } = await session.send("Accessibility.getFullAXTree")
        const names = (role: string) =>
          nodes.filter((node) => !node.ignored && node.role?.value === role).map((node) => node.name?.value)
        expect(names("group")).toEqual(["Cover", "Portrait"])
        expect(names("button").filter((name) => /choose/i.test(name))).toEqual([
          "Choose a file, Cover",
          "Choose a file, Portrait",
        ])
      })
    })

    describe("a row whose bytes are all sent", () => {
      test("is processing: it says so, its bar says nothing of how far, it can be cancelled only", async () => {
        const answered = site.holdCallbacks()
        await open("component=dropzone&mode=auto")
        await choose(main(), png("a.png"))
        await rowBecomes("a.png", "processing")
        expect(await row("a.png").locator('[data-sluice="file-state"]').textContent()).toBe(
          "Sent, waiting for the app…",
        )
        expect(await part("summary-text").textContent()).toBe("Sent, waiting for the app…")
        expect(await row("a.png").getByRole("progressbar").getAttribute("aria-valuenow")).toBe(null)
        expect(await row("a.png").getByRole("button").count()).toBe(1)
        const animation = () =>
          part("file-progress").evaluate((element) => getComputedStyle(element, "::before").animationName)
        expect(await animation()).toBe("sluice-processing")
        expect(
          await part("file-progress").evaluate((element) => getComputedStyle(element, "::before").backgroundSize),
        ).toBe("35% 100%")
        await page.emulateMedia({ reducedMotion: "reduce" })
        expect(await animation()).toBe("none")
        answered()
        await rowBecomes("a.png", "done")
      })

      test("stays so while the app is being started again, and sends no byte twice", async () => {
        await open("component=dropzone&mode=auto")
        // An app that was never there is not being started again.
        await choose(main(), png("before.png"))
        await rowBecomes("before.png", "done")
        site.isAway = true
        try {
          await open("component=dropzone&mode=auto")
          await page.evaluate(() => {
            window.announced = []
            const look = () => {
              const state = document.querySelector('[data-sluice="file"]')?.getAttribute("data-state")
              if (state && window.announced.at(-1) !== state) window.announced.push(state)
            }
            new MutationObserver(look).observe(document.body, { subtree: true, attributes: true, childList: true })
          })
          await choose(main(), png("a.png"))
          await until(() => site.puts.filter((put) => put.file === "a.png").length >= 2)
          await rowBecomes("a.png", "processing")
          expect(await row("a.png").locator('[data-sluice="file-state"]').textContent()).toBe(
            "Sent, waiting for the app…",
          )
        } finally {
          site.isAway = false
        }
        await rowBecomes("a.png", "done")
        expect(await told("error")).toEqual([])
        const [first, ...others] = site.puts.filter((put) => put.file === "a.png").map(({ range }) => range)
        expect(first).toBe("bytes=0-")
        expect(new Set(others)).toEqual(new Set([`bytes=${png("a.png").buffer.length}-`]))
        // It does not go back to uploading whenever the app is asked.
        const states = (await page.evaluate(() => window.announced)).filter((text) => /^[a-z]+$/.test(text))
        expect(states).toContain("done")
        expect(new Set(states.slice(states.indexOf("processing")))).toEqual(new Set(["processing", "done"]))
      })
    })

    describe("the summary", () => {
      test("counts files and bytes, pauses, resumes and cancels all of them", async () => {
        const releases = ["a.png", "b.png"].map((file) => site.hold(file, 50_000))
        await open("component=dropzone&mode=auto&endpoint=anything")
        await choose(main(), [png("a.png", heldSize), png("b.png", heldSize), png("c.png")])
        await rowBecomes("c.png", "done")
        const text = () => part("summary-text").textContent()
        await until(async () => /^1 of 3 · [\d.]+(\u00a0KB)? of 11\.4\u00a0MB/.test((await text())!))
        const bar = part("summary-progress")
        await until(async () => (await percent(bar)) > 0)
        await page.getByRole("button", { name: "Pause all" }).click()
        await becomes("paused")
        expect(await text()).toMatch(/^Paused · 1 of 3 · /)
        await page.getByRole("button", { name: "Resume all" }).press("Enter")
        await becomes("uploading")
        await page.getByRole("button", { name: "Cancel all" }).click()
        await until(async () => (await text()) === "1 uploaded")
        expect(await bar.count()).toBe(0)
        for (const release of releases) release()
        expect(complaints).toEqual([])
      })

      test("tries all again that have failed, and takes off what is finished", async () => {
        for (const file of ["a.png", "b.png"]) site.refuse(file, 500, 5)
        await open("component=dropzone&mode=auto")
        await choose(main(), [png("a.png"), png("b.png"), png("c.png")])
        await page.getByRole("button", { name: "Try again 2" }).waitFor()
        expect(await part("summary-text").textContent()).toBe("1 uploaded, 2 failed")
        await page.getByRole("button", { name: "Remove finished" }).click()
        await row("c.png").waitFor({ state: "detached" })
        await page.getByRole("button", { name: "Try again 2" }).click()
        await rowBecomes("a.png", "done")
        await rowBecomes("b.png", "done")
        expect(await page.getByRole("button", { name: /^Try again/ }).count()).toBe(0)
      })

      test("says how fast it is and how long it takes, once that is known", async () => {
        await open("component=dropzone&mode=auto&endpoint=anything")
        await slowUploads(page, 1_000_000)
        await choose(main(), png("a.png", 30_000_000))
        await part("time-left").waitFor()
        expect(await part("speed").textContent()).toMatch(/^[\d.,]+\u00a0[KM]?B\/s$/)
        expect(await part("time-left").textContent()).toMatch(/left$/)
        await page.setViewportSize({ width: 320, height: 640 })
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
        const [time, count] = await Promise.all(
          [part("time-left"), part("summary-text").locator("> :first-child")].map((locator) => locator.boundingBox()),
        )
        // Read first: above it, or before it in its line.
        expect(time!.y < count!.y || (time!.y === count!.y && time!.x < count!.x)).toBe(true)
        await page.setViewportSize({ width: 1280, height: 720 })
        await page.getByRole("button", { name: "Pause all" }).click()
        await part("time-left").waitFor({ state: "detached" })
      })

      test("a button has it in its second line, with the reason that files share", async () => {
        await open("component=button")
        await choose(
          main(),
          ["a", "b", "c", "d", "e"].map((name) => png(`${name}.png`)),
        )
        await becomes("failed")
        await until(
          async () => (await part("error").textContent()) === "3 uploaded, 2 failed: Too many: at most 3 images.",
        )
        await open("component=button")
        await context.setOffline(true)
        await choose(main(), png("f.png"))
        await until(
          async () => (await part("allowed-content").textContent()) === "Offline, continues when you are back",
        )
        await context.setOffline(false)
        await becomes("done")
      })
    })

    test("offline: it waits, says so, and goes on when the network is back", async () => {
      await open("component=dropzone")
      await choose(main(), png("a.png"))
      await becomes("picked")
      await context.setOffline(true)
      await page.getByRole("button", { name: "Upload 1 file" }).click()
      await rowBecomes("a.png", "waiting")
      expect(await row("a.png").textContent()).toContain("Offline")
      await context.setOffline(false)
      await rowBecomes("a.png", "done")
      expect(await told("error")).toEqual([])
    })

    test("markup of one's own is made of the same parts", async () => {
      await page.goto(`${site.url}/?component=headless`)
      const pick = page.getByRole("button", { name: "Pick" })
      await until(() => pick.isEnabled())
      await choose(pick, [png("a.png"), png("b.png")])
      await page.getByText("a.png: picked").waitFor()
      await page.getByRole("button", { name: "Send" }).click()
      await page.getByText("b.png: done").waitFor()
      expect(await page.locator("output").textContent()).toBe("100")
      expect(await page.locator("output").getAttribute("data-status")).toBe("done")
      expect(await page.locator("output").getAttribute("data-busy")).toBe("false")
      await page.dispatchEvent("section", "drop", { dataTransfer: await transfer(png("c.png")) })
      await page.getByText("c.png: picked").waitFor()
      expect(complaints).toEqual([])
    })

    for (const colorScheme of ["light", "dark"] as const) {
      test(`nothing stands in the way of assistive technology, in any state, ${colorScheme}`, async () => {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
        const check = async (where: string) => {
          await page.addScriptTag({ path: axeSource })
          const violations = await page.evaluate(async () => {
            const { axe } = globalThis as unknown as { axe: typeof import("axe-core") }
            const { violations } = await axe.run(document, { resultTypes: ["violations"] })
            return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)
          })
          expect(violations, where).toEqual([])
        }
        for (const component of ["button", "dropzone"]) {
          site.hold("held.png", 10_000)
          site.refuse("bad.png", 500, 99)
          await open(`component=${component}&mode=manual&endpoint=anything`)
          await check(`${component} idle`)
          await choose(main(), [png("good.png"), png("bad.png"), png("held.png", heldSize)])
          await becomes("picked")
          await check(`${component} picked`)
          await page.getByRole("button", { name: "Upload 3 files" }).click()
          await until(async () => (await told("error")).length === 1)
          await check(`${component} uploading`)
          const all = component === "button" ? "" : " all"
          await page.getByRole("button", { name: `Pause${all}`, exact: true }).click()
          await becomes("paused")
          await check(`${component} paused`)
          await page.getByRole("button", { name: `Cancel${all}`, exact: true }).click()
          await becomes("failed")
          await check(`${component} failed`)
          await page.goto(`${site.url}/?component=${component}&disabled`)
          await becomes("disabled")
          await check(`${component} disabled`)
        }
      })
    }
  })
}
