import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { type Site, startSite } from "../bindings/start-site.ts"
import { launchChromium } from "../browser/chromium.ts"
import { pixel } from "../browser/pixel.ts"

const png = (name: string) => ({ name, mimeType: "image/png", buffer: pixel })
const pdf = (name: string) => ({ name, mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.7") })

/**
 * Holds for the components of every framework as fields of a form, in a real browser.
 *
 * @param bundle the page's script, see test/bindings/apps
 */
export const describeBindingInForm = (name: string, bundle: () => Promise<string>): void => {
  describe(`the components of ${name} in a form`, () => {
    let browser: Browser
    let page: Page
    let site: Site
    let script: string
    let styles: string
    let complaints: Array<string>

    beforeAll(async () => {
      ;[browser, script, styles] = await Promise.all([
        launchChromium(),
        bundle(),
        readFile(join(import.meta.dirname, "../../src/ui/styles.css"), "utf8"),
      ])
    })
    afterAll(() => browser?.close())
    beforeEach(async () => {
      site = await startSite({ script, styles })
      complaints = []
      page = await browser.newPage()
      page.on("pageerror", (error) => complaints.push(String(error)))
      page.on("console", (message) => {
        const isRefusal = message.text().includes("the server responded with a status of 403")
        if (["error", "warning"].includes(message.type()) && !isRefusal) complaints.push(message.text())
      })
    })
    afterEach(async () => {
      await page.close()
      await site.close()
      expect(complaints).toEqual([])
    })

    const open = async (query: string) => {
      await page.goto(`${site.url}/?form&${query}`)
      await page.locator('[data-sluice="container"]:not([data-state="loading"])').last().waitFor()
    }
    const choose = (...files: ReadonlyArray<ReturnType<typeof png>>) =>
      page.locator("input[type=file]").setInputFiles([...files])
    const row = (file: string) => page.locator('[data-sluice="file"]', { hasText: file })
    const rowBecomes = (file: string, state: string) =>
      page.locator(`[data-sluice="file"][data-state="${state}"]`, { hasText: file }).waitFor()
    const names = () =>
      page.locator('[data-sluice="file-name"]').evaluateAll((all) => all.map((one) => one.textContent))
    /** What had the focus is gone with its row, and the focus is at another place of the component by now. */
    const focusIsInside = async () =>
      await expect.poll(() => page.evaluate(() => document.activeElement !== document.body)).toBe(true)
    /** Under the name, what the form would send. */
    const entries = (): Promise<Array<string>> =>
      page.evaluate(() => new FormData(document.querySelector("form")!).getAll("photos") as Array<string>)
    const told = (name: string): Promise<Array<any>> =>
      page.evaluate((name) => window.told.filter((event) => event.name === name).map(({ detail }) => detail), name)
    const save = () => page.getByRole("button", { name: "Save" }).click()
    /** Whether the browser would send the form, and where the control is that keeps it from that. */
    const check = () =>
      page.evaluate(() => {
        const form = document.querySelector("form")!
        const wrong = [...form.elements].find((control) => !(control as HTMLInputElement).validity.valid)
        const { validationMessage } = (wrong ?? {}) as HTMLInputElement
        return { isValid: form.checkValidity(), message: validationMessage }
      })
    const becomesInvalid = async (message: string) => await expect.poll(check).toEqual({ isValid: false, message })
    const becomesValid = async () => await expect.poll(check).toEqual({ isValid: true, message: undefined })

    test("a later choice leaves what is stored: the form has every key, in the order of the list", async () => {
      await open("name=photos&mode=auto")
      await choose(png("a.png"), png("b.png"))
      await rowBecomes("a.png", "done")
      await rowBecomes("b.png", "done")
      await choose(png("c.png"))
      await rowBecomes("c.png", "done")
      expect(await names()).toEqual(["a.png", "b.png", "c.png"])
      const keys = await entries()
      expect(new Set(keys).size).toBe(3)
      expect((await told("value")).at(-1)).toEqual(keys)
      await row("b.png").getByRole("button", { name: "Remove" }).click()
      await expect.poll(entries).toEqual([keys[0], keys[2]])
    })

    test("stored files count: what would be one too many is refused, and keeps the form until it is removed", async () => {
      await open("name=photos&initial&mode=auto")
      await choose(png("three.png"), png("four.png"))
      await rowBecomes("three.png", "done")
      await rowBecomes("four.png", "failed")
      await becomesInvalid("four.png was not uploaded. Remove it.")
      await row("four.png").getByRole("button", { name: "Remove" }).click()
      await becomesValid()
      expect(await entries()).toHaveLength(3)
    })

    test("files that were stored before are rows like others, and come back with a reset", async () => {
      await open("name=photos&initial")
      expect(await names()).toEqual(["one.png", "two.png"])
      expect(await entries()).toEqual(["stored-1", "stored-2"])
      await row("one.png").getByRole("button", { name: "Remove" }).click()
      await expect.poll(entries).toEqual(["stored-2"])
      await choose(png("a.png"))
      await rowBecomes("a.png", "picked")
      await page.getByRole("button", { name: "Clear" }).click()
      await expect.poll(names).toEqual(["two.png"])
      await page.getByRole("button", { name: "Reset" }).click()
      await expect.poll(entries).toEqual(["stored-1", "stored-2"])
      expect(await names()).toEqual(["one.png", "two.png"])
    })

    test("where one file is taken, it stays until the next one is stored", async () => {
      await open("endpoint=avatar&name=photos&mode=auto")
      await choose(png("me.png"))
      await rowBecomes("me.png", "done")
      const [before] = await entries()
      await choose(pdf("doc.pdf"))
      await rowBecomes("doc.pdf", "failed")
      expect(await entries()).toEqual([before])
      const release = site.hold("new.png", 0)
      await choose(png("new.png"))
      await row("new.png").waitFor()
      expect(await names()).toEqual(["me.png", "new.png"])
      expect(await entries()).toEqual([before])
      release()
      await expect.poll(names).toEqual(["new.png"])
      const after = await entries()
      expect(after).toHaveLength(1)
      expect(after).not.toEqual([before])
    })

    test("where one file is taken, the one before comes back by Undo, and by Ctrl+Z, in the place of the next one", async () => {
      await open("endpoint=avatar&name=photos&mode=auto")
      await choose(png("me.png"))
      await rowBecomes("me.png", "done")
      const before = await entries()
      expect(await page.getByRole("button", { name: "Undo" }).count()).toBe(0)
      await choose(png("new.png"))
      await page.getByText("me.png replaced").waitFor()
      expect(await names()).toEqual(["new.png"])
      const after = await entries()
      await page.getByRole("button", { name: "Undo" }).click()
      await expect.poll(names).toEqual(["me.png"])
      expect(await entries()).toEqual(before)
      expect((await told("value")).slice(-2)).toEqual([after, before])
      expect(await page.getByRole("button", { name: "Undo" }).count()).toBe(0)
      await becomesValid()
      // Once more, and what has come is removed, before what it had replaced comes back.
      await choose(png("newer.png"))
      await rowBecomes("newer.png", "done")
      await row("newer.png").getByRole("button", { name: "Remove" }).click()
      await expect.poll(names).toEqual([])
      await focusIsInside()
      await page.keyboard.press("Control+z")
      await expect.poll(names).toEqual(["newer.png"])
      await focusIsInside()
      await page.keyboard.press("Control+z")
      await expect.poll(names).toEqual(["me.png"])
      expect(await entries()).toEqual(before)
      // When the form is sent there is nothing to undo.
      await choose(png("last.png"))
      await page.getByRole("button", { name: "Undo" }).waitFor()
      await save()
      await expect.poll(() => page.getByRole("button", { name: "Undo" }).count()).toBe(0)
      expect(await told("submit")).toHaveLength(1)
    })

    test("a button says what is stored, and takes it out again", async () => {
      await open("component=button&endpoint=avatar&name=photos&required")
      await choose(png("me.png"))
      await page.getByRole("button", { name: "Remove me.png" }).waitFor()
      await page.getByText("me.png", { exact: true }).waitFor()
      await becomesValid()
      expect(await entries()).toHaveLength(1)
      await page.getByRole("button", { name: "Remove me.png" }).click()
      await expect.poll(entries).toEqual([])
      expect((await told("value")).at(-1)).toEqual([])
      await expect.poll(async () => (await check()).isValid).toBe(false)
    })

    test("where one file is taken, a second choice while the first is on its way leaves one", async () => {
      await open("endpoint=avatar&name=photos&mode=auto")
      const release = site.hold("first.png", 0)
      await choose(png("first.png"))
      await row("first.png").waitFor()
      await choose(png("second.png"))
      await rowBecomes("second.png", "done")
      release()
      expect(await names()).toEqual(["second.png"])
      expect(await entries()).toHaveLength(1)
    })

    test("it is not sent while files wait, fail or are missing, and says why", async () => {
      await open("name=photos&required")
      await expect.poll(async () => (await check()).isValid).toBe(false)
      await save()
      expect(await told("submit")).toEqual([])
      await choose(png("a.png"))
      await becomesInvalid("Upload the chosen file first, or clear it.")
      await page.getByRole("button", { name: "Upload 1 file" }).click()
      await rowBecomes("a.png", "done")
      await becomesValid()
      await save()
      expect(await told("submit")).toEqual([
        [
          ["photos", (await entries())[0]],
          ["by", "Save"],
        ],
      ])
    })

    test("what stands for it when the form is checked is not seen, and what it stands for is marked", async () => {
      await open("name=photos&required&mode=auto")
      const validity = page.locator('[data-sluice="validity"]')
      // The element needs none: the platform makes it a field.
      if ((await validity.count()) === 0) return expect(name).toBe("the element")
      const { width, height } = (await validity.boundingBox())!
      expect([width, height]).toEqual([1, 1])
      await save()
      const outline = () =>
        page.locator('[data-sluice="container"]').evaluate((element) => {
          const { outlineStyle, outlineColor } = getComputedStyle(element)
          return `${outlineStyle} ${outlineColor}`
        })
      await expect.poll(outline).toMatch(/^solid/)
      const wrong = await outline()
      await choose(png("a.png"))
      await becomesValid()
      // What is right by now is not red any more, while the focus is still there.
      expect(await validity.evaluate((element) => element === document.activeElement)).toBe(true)
      expect(await outline()).not.toBe(wrong)
    })

    test("what stands for it when the form is checked is called by the component's own name", async () => {
      const check = async (query: string, expected: ReadonlyArray<string>) => {
        await open(`endpoint=avatar&name=photos&required&${query}`)
        // The platform has its own.
        const shown = name === "the element" ? [] : expected
        expect(await page.locator('[data-sluice="validity"]').count()).toBe(shown.length)
        const session = await page.context().newCDPSession(page)
        const readNames = async () => {
          const { nodes } = await session.send("Accessibility.getFullAXTree")
          return nodes
            .filter((node) => !node.ignored && node.role?.value === "checkbox")
            .map((node) => node.name?.value)
        }
        // The tree follows the page, a moment later.
        await expect.poll(readNames).toEqual(shown)
      }
      await check("component=avatar", ["Choose a picture"])
      await check("component=avatar&named", ["Choose a picture, Cover", "Choose a picture, Portrait"])
      await check("component=button", ["Choose a file"])
    })

    test("a file that the app refused keeps it, with the sentence at its row", async () => {
      await open("endpoint=forbidden&name=photos&mode=auto")
      await choose(png("a.png"))
      await rowBecomes("a.png", "failed")
      await expect.poll(async () => (await check()).message).toMatch(/^a\.png was not uploaded\./)
      await save()
      expect(await told("submit")).toEqual([])
      // The browser's bubble stands at what has the focus.
      expect(await row("a.png").evaluate((row) => row.contains(document.activeElement))).toBe(true)
      await row("a.png").getByRole("button", { name: "Remove" }).click()
      await becomesValid()
      await save()
      expect(await told("submit")).toEqual([[["by", "Save"]]])
    })

    test("with `noValidate`, files keep it as well, and it says why; what is missing is its own affair", async () => {
      await open("name=photos&required&novalidate")
      await choose(png("a.png"))
      await becomesInvalid("Upload the chosen file first, or clear it.")
      await page.evaluate(() => {
        document.addEventListener(
          "invalid",
          ({ target }) => {
            window.told.push({ name: "invalid", detail: (target as HTMLInputElement).validationMessage })
          },
          true,
        )
      })
      await save()
      await expect.poll(() => told("invalid")).toEqual(["Upload the chosen file first, or clear it."])
      expect(await told("submit")).toEqual([])
      await row("a.png").getByRole("button", { name: "Remove" }).click()
      await expect.poll(names).toEqual([])
      await save()
      await expect.poll(() => told("submit")).toEqual([[["by", "Save"]]])
    })

    test("with `uploadOnSubmit`, sending it uploads first, and sends all at once", async () => {
      await open("name=photos&submit&required")
      await choose(png("a.png"), png("b.png"))
      await rowBecomes("b.png", "picked")
      // There is one button to press.
      expect(await page.getByRole("button", { name: /Upload|Save/ }).allTextContents()).toEqual(["Save"])
      expect(await page.getByRole("button", { name: "Clear" }).count()).toBe(1)
      const release = site.hold("a.png", 0)
      await save()
      await row("a.png").locator("xpath=self::*[@data-state='uploading' or @data-state='queued']").waitFor()
      await save()
      expect(await told("submit")).toEqual([])
      release()
      await expect.poll(async () => (await told("submit")).length).toBe(1)
      const keys = await entries()
      expect(keys).toHaveLength(2)
      expect(await told("submit")).toEqual([
        [
          ["photos", keys[0]],
          ["photos", keys[1]],
          ["by", "Save"],
        ],
      ])
    })

    test("with `uploadOnSubmit`, a button in it says what is chosen, and leaves uploading to the form's", async () => {
      await open("component=button&mode=manual&endpoint=anything&name=photos&submit")
      await choose(...["a.png", "b.png", "c.png", "d.png"].map((name) => png(name)))
      await page.locator('[data-sluice="allowed-content"]', { hasText: "a.png, b.png, c.png, …" }).waitFor()
      expect(await page.locator('[data-sluice="button"]').textContent()).toBe("Choose files")
      await save()
      await expect.poll(async () => (await told("submit")).length).toBe(1)
      expect(await entries()).toHaveLength(4)
    })

    test("with `uploadOnSubmit`, a form that is reset while it uploads is not sent", async () => {
      await open("name=photos&submit")
      await choose(png("a.png"))
      await rowBecomes("a.png", "picked")
      const release = site.hold("a.png", 0)
      await save()
      await row("a.png").locator("xpath=self::*[@data-state='uploading' or @data-state='queued']").waitFor()
      await page.getByRole("button", { name: "Reset" }).click()
      await expect.poll(names).toEqual([])
      release()
      await page.waitForTimeout(300)
      expect(await told("submit")).toEqual([])
      // What is chosen then is sent as ever.
      await choose(png("b.png"))
      await rowBecomes("b.png", "picked")
      await save()
      await expect.poll(async () => (await told("submit")).length).toBe(1)
      expect(await entries()).toHaveLength(1)
    })

    test("with `uploadOnSubmit`, a file that is refused keeps it; without it, it is sent", async () => {
      await open("endpoint=forbidden&name=photos&submit")
      await choose(png("a.png"))
      await rowBecomes("a.png", "picked")
      await save()
      await rowBecomes("a.png", "failed")
      expect(await told("submit")).toEqual([])
      await row("a.png").getByRole("button", { name: "Remove" }).click()
      await becomesValid()
      await save()
      await expect.poll(async () => (await told("submit")).length).toBe(1)
    })
  })
}
