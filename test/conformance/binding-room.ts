import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Locator, Page } from "playwright-core"
import { describe, expect, test } from "vitest"
import { heldSize, type Site } from "../bindings/start-site.ts"
import { chosenFiles } from "../browser/chosen-files.ts"

interface Bench {
  readonly page: () => Page
  readonly site: () => Site
  readonly open: (query: string) => Promise<void>
  readonly until: (condition: () => boolean | Promise<boolean>) => Promise<void>
}

const long =
  "Quarterly-financial-report_FINAL_v2_really-final (copy 3) with-a-name-that-goes-on-and-on-over-several-lines-of-a-small-phone-in-2026.docx"
const disguised = "invoice\u202Efdp.exe"

const file = (name: string, size = 1000, mimeType = "application/x-any") => ({
  name,
  mimeType,
  buffer: Buffer.alloc(size, 7),
})

/** Small screens, long names, many files, fingers, and pages that run from right to left. */
export const describeRoom = ({ page: getPage, site: getSite, open, until }: Bench): void => {
  const part = (name: string) => getPage().locator(`[data-sluice="${name}"]`)
  const rows = () => part("file")
  const give = async (...files: ReadonlyArray<ReturnType<typeof file>>) =>
    getPage().setInputFiles("input[type=file]", await chosenFiles(files))
  const rowBecomes = (name: string, state: string) =>
    getPage().locator(`[data-sluice="file"][data-state="${state}"]`, { hasText: name }).waitFor()
  const focused = () =>
    getPage().evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent)
  const focusIs = (name: string) => until(async () => (await focused()) === name)
  /** More files at once than a form of bytes would be quick with. */
  const drop = (names: ReadonlyArray<string>) =>
    getPage().evaluate((names) => {
      const data = new DataTransfer()
      for (const name of names) data.items.add(new File(["x"], name, { type: "application/pdf" }))
      const options = { dataTransfer: data, bubbles: true, cancelable: true }
      document.querySelector('[data-sluice="container"]')!.dispatchEvent(new DragEvent("drop", options))
    }, names)
  const names = (count: number) => Array.from({ length: count }, (_, index) => `${index + 1}.pdf`)
  /** What makes the list one stop of the Tab key is loaded with the first files. */
  const isOneStop = () => part("file-button").and(getPage().locator("[tabindex]")).first().waitFor()
  const openMany = async () => {
    await open("component=dropzone&endpoint=anything")
    await drop(names(60))
    await until(async () => (await rows().count()) === 60)
    await isOneStop()
  }

  describe("room", () => {
    for (const [how, size] of [
      ["", "100%"],
      [", with texts twice as large", "200%"],
    ] as const) {
      test(`nothing runs out of a page of 320 px, in any state${how}`, async () => {
        const [page, site] = [getPage(), getSite()]
        await page.setViewportSize({ width: 320, height: 640 })
        const check = async (what: string) => {
          await page.addStyleTag({
            content: `html { font-size: ${size} } body { margin: 0; font-size: 1rem } h1, label { display: none }`,
          })
          const { scrollWidth, wide } = await page.evaluate(() => ({
            scrollWidth: document.documentElement.scrollWidth,
            wide: [...document.querySelectorAll("button, li, p")]
              .filter((element) => element.getBoundingClientRect().right > 320.5)
              .map((element) => element.outerHTML.slice(0, 90)),
          }))
          expect({ scrollWidth, wide }, what).toEqual({ scrollWidth: 320, wide: [] })
        }
        for (const component of ["button", "dropzone"]) {
          const query = `component=${component}&endpoint=anything`
          await open(`component=${component}&endpoint=documents`)
          await check(`${component} that takes documents`)
          await give(file(long, 10, "image/png"))
          await part("container").and(page.locator('[data-state="failed"]')).waitFor()
          await check(`${component} with a refused file`)
          await open(`${query}&mode=manual`)
          await give(file(long), file(`other ${long}`))
          await part("container").and(page.locator('[data-state="picked"]')).waitFor()
          await check(`${component} with chosen files`)
          const release = site.hold(long, 10_000)
          site.refuse("bad.docx", 500, 99)
          await open(`${query}&mode=auto&resume`)
          await give(file(long, heldSize), file("bad.docx"), file("good.docx"))
          await until(async () => (await page.evaluate(() => window.told)).some(({ name }) => name === "error"))
          await check(`${component} uploading`)
          await page
            .getByRole("button", { name: /^Pause/ })
            .first()
            .click()
          await page.locator('[data-state="paused"]').first().waitFor()
          await check(`${component} paused`)
          if (component === "dropzone") {
            await page.reload()
            await part("interrupted-file").first().waitFor()
            await check("a dropzone with an interrupted upload")
          }
          release()
        }
      })
    }

    test("a long name keeps its end, and shows all of it to a tap or to the keyboard", async () => {
      const page = getPage()
      await page.setViewportSize({ width: 400, height: 800 })
      await open("component=dropzone&endpoint=anything")
      await give(file(long), file("short.docx"))
      const name = part("file-name").first()
      expect(await name.textContent()).toBe(long)
      const ends = await name.evaluate((element) => {
        const box = element.getBoundingClientRect()
        const range = document.createRange()
        range.selectNodeContents(element.querySelector("span:last-child")!)
        const last = range.getBoundingClientRect()
        return {
          isInside: last.right <= box.right + 0.5 && last.left >= box.left && last.bottom <= box.bottom + 0.5,
          height: box.height,
        }
      })
      expect(ends.isInside).toBe(true)
      const height = async () => (await name.boundingBox())!.height
      await isOneStop()
      await name.click()
      await until(async () => (await height()) > ends.height + 15)
      await name.click()
      await until(async () => (await height()) === ends.height)
      await part("button").focus()
      await page.keyboard.press("Tab")
      await focusIs(`Remove ${long}`)
      await until(async () => (await height()) > ends.height + 15)
      await page.keyboard.press("ArrowDown")
      await until(async () => (await height()) === ends.height)
      // A row that closes takes no button away from under the pointer.
      await page.keyboard.press("ArrowUp")
      await until(async () => (await height()) > ends.height + 15)
      const {
        x,
        y,
        width,
        height: tall,
      } = (await page.getByRole("button", { name: "Remove short.docx" }).boundingBox())!
      await page.mouse.move(x + width / 2, y + tall / 2)
      await page.mouse.down()
      await page.waitForTimeout(100)
      await page.mouse.up()
      await until(async () => (await part("file").count()) === 1)
      expect(await name.textContent()).toBe(long)
    })

    test("no name can look like another one, wherever it is shown or said", async () => {
      const [page, site] = [getPage(), getSite()]
      const text = async () =>
        page.evaluate(() =>
          [...document.querySelectorAll('[data-sluice="container"], [data-sluice="container"] *')]
            .flatMap((element) => [element.textContent, ...[...element.attributes].map(({ value }) => value)])
            .join("\n"),
        )
      const hidden = /[\p{Bidi_C}\n\r]/u
      const shown = "invoice\uFFFDfdp.exe"
      for (const component of ["button", "dropzone"]) {
        await open(`component=${component}&endpoint=avatar`)
        await give(file(disguised))
        await page.locator('[data-sluice="container"][data-state="failed"]').waitFor()
        await until(async () => (await page.getByRole("status").textContent())!.includes(shown))
        expect((await text()).replaceAll("\n", "")).not.toMatch(hidden)
      }
      const release = site.hold(disguised, 10_000)
      await open("component=dropzone&endpoint=anything&mode=auto&resume")
      await give(file(disguised, heldSize))
      await rowBecomes(shown, "uploading")
      await page.getByRole("button", { name: `Pause ${shown}` }).waitFor()
      expect((await text()).replaceAll("\n", "")).not.toMatch(hidden)
      // A page that is left before the request has come leaves none.
      await until(() => site.puts.length > 0)
      await page.reload()
      await page.getByRole("button", { name: `Discard ${shown}` }).waitFor()
      expect((await text()).replaceAll("\n", "")).not.toMatch(hidden)
      release()
      // It is stored under the name that it has.
      expect(site.puts.at(-1)!.file).toBe(disguised)
    })

    test("sixty files: a list that scrolls, and one stop of the Tab key before the button that uploads", async () => {
      const page = getPage()
      await openMany()
      const list = await part("file-list").evaluate((element) => ({
        height: element.getBoundingClientRect().height,
        scrollHeight: element.scrollHeight,
        role: element.getAttribute("role"),
        tabIndex: element.getAttribute("tabindex"),
      }))
      expect(list.height).toBeLessThanOrEqual(24 * 16)
      expect(list.scrollHeight).toBeGreaterThan(60 * 40)
      expect(list.role).toBe("list")
      // Firefox makes what scrolls a stop of the Tab key, unless it is told not to.
      expect(list.tabIndex).toBe("-1")
      expect((await part("upload-button").boundingBox())!.y).toBeLessThan(720)
      await part("button").focus()
      await page.keyboard.press("Tab")
      await focusIs("Remove 1.pdf")
      await page.keyboard.press("Tab")
      await focusIs("Upload 60 files")
      await page.keyboard.press("Shift+Tab")
      await focusIs("Remove 1.pdf")
      // Few rows need no scrolling.
      await open("component=dropzone&endpoint=anything")
      await drop(names(5))
      await until(async () => (await rows().count()) === 5)
      expect(await part("file-list").evaluate((element) => getComputedStyle(element).maxBlockSize)).toBe("none")
      expect(await part("file-list").getAttribute("tabindex")).toBe(null)
    })

    test("arrows, Home and End walk through the list, and Delete removes", async () => {
      const page = getPage()
      await openMany()
      await part("button").focus()
      await page.keyboard.press("Tab")
      for (const [key, name] of [
        ["ArrowUp", "Remove 1.pdf"],
        ["ArrowDown", "Remove 2.pdf"],
        ["ArrowDown", "Remove 3.pdf"],
        ["ArrowUp", "Remove 2.pdf"],
        ["End", "Remove 60.pdf"],
        ["ArrowDown", "Remove 60.pdf"],
        ["Home", "Remove 1.pdf"],
        ["Delete", "Remove 2.pdf"],
        ["End", "Remove 60.pdf"],
        ["Delete", "Remove 59.pdf"],
      ] as const) {
        await page.keyboard.press(key)
        await focusIs(name)
      }
      expect(await rows().count()).toBe(58)
      // Where it was left is where Tab comes back to; in sight.
      await page.keyboard.press("Tab")
      await page.keyboard.press("Shift+Tab")
      await focusIs("Remove 59.pdf")
      expect(await page.evaluate(() => window.scrollY)).toBe(0)
    })

    test("of a long list only the rows near to what is seen are whole: nothing moves, and no focus is lost", async () => {
      const page = getPage()
      await openMany()
      const far = () => part("file").and(page.locator("[data-far]"))
      const isWhole = async (name: string) =>
        (await page.locator(`[data-sluice="file-button"][aria-label="Remove ${name}"]`).count()) === 1
      await until(async () => (await far().count()) > 20)
      expect(await isWhole("1.pdf")).toBe(true)
      expect(await isWhole("60.pdf")).toBe(false)
      expect(await rows().last().textContent()).toBe("60.pdf")
      const heights = () =>
        rows().evaluateAll((all) => all.map((row) => Math.round(2 * row.getBoundingClientRect().height)))
      await until(async () => new Set(await heights()).size === 1)
      const scroll = (top: number) => part("file-list").evaluate((list, top) => (list.scrollTop = top), top)
      await page.getByRole("button", { name: "Remove 1.pdf", exact: true }).focus()
      await scroll(1e6)
      await until(() => isWhole("60.pdf"))
      expect(await isWhole("30.pdf")).toBe(false)
      // Where the focus is stays whole.
      await focusIs("Remove 1.pdf")
      expect(new Set(await heights()).size).toBe(1)
      await scroll(0)
      await until(async () => (await isWhole("2.pdf")) && !(await isWhole("60.pdf")))
      // Far rows take the place of whole ones on another screen, too.
      await page.setViewportSize({ width: 340, height: 700 })
      await until(async () => new Set(await heights()).size === 1)
      // Shorter lists are whole.
      await page.evaluate(() => {
        const timer = setInterval(() => {
          // On a busy machine the focus has not reached the neighbour yet: the next time it has.
          if (document.querySelectorAll('[data-sluice="file"]').length === 40) clearInterval(timer)
          else (document.activeElement as HTMLElement).click()
        }, 100)
      })
      await until(async () => (await rows().count()) === 40 && (await far().count()) === 0)
    })

    test("of many files that fail only the near rows are whole; the others have their reason as a text", async () => {
      const page = getPage()
      await open("component=dropzone")
      await drop(names(60))
      const far = () => part("file").and(page.locator('[data-far][data-state="failed"]'))
      await until(async () => (await far().count()) > 20)
      expect(await part("notice").textContent()).toContain("60")
      expect(await rows().last().textContent()).toBe("60.pdf Not allowed here. Choose images.")
      await until(async () => {
        const heights = await rows().evaluateAll((all) =>
          all.map((row) => Math.round(row.getBoundingClientRect().height)),
        )
        return new Set(heights).size === 1
      })
      await part("file-list").evaluate((list) => (list.scrollTop = 1e6))
      await page.getByRole("button", { name: "Remove 60.pdf", exact: true }).waitFor()
      await give(file("empty.png", 0, "image/png"), ...names(60).map((name) => file(name, 1, "application/pdf")))
      const last = () =>
        rows()
          .last()
          .evaluate((row) => `${row.textContent}${row.hasAttribute("data-far") ? " (far)" : ""}`)
      // Another reason: there is none above any more.
      await part("file-list").evaluate((list) => (list.scrollTop = 0))
      await until(async () => (await rows().count()) === 61 && (await far().count()) > 20)
      expect(await part("notice").count()).toBe(0)
      await until(async () => (await last()) === "60.pdf Not allowed here. Choose images. (far)")
      // Nobody sees that a row becomes whole.
      const height = () => part("file-list").evaluate((list) => list.scrollHeight)
      const before = await height()
      await part("file-list").evaluate((list) => (list.scrollTop = 1e6))
      await until(async () => (await last()).endsWith("60.pdfNot allowed here. Choose images."))
      expect(Math.abs((await height()) - before)).toBeLessThan(40)
    })

    test("keys act on the row that they have led to, however far it was, and undo leads back", async () => {
      const page = getPage()
      await openMany()
      await part("button").focus()
      await page.keyboard.press("Tab")
      await focusIs("Remove 1.pdf")
      await page.keyboard.press("End")
      await page.waitForTimeout(60)
      await page.keyboard.press("Delete")
      await until(async () => (await rows().count()) === 59)
      expect((await rows().allTextContents()).some((text) => text.includes("60.pdf"))).toBe(false)
      await focusIs("Remove 59.pdf")
      await page.keyboard.press("Home")
      await focusIs("Remove 1.pdf")
      await page.keyboard.press("Control+z")
      await focusIs("Remove 60.pdf")
      await until(() => page.evaluate(() => document.activeElement!.checkVisibility()))
      expect(await part("file").locator(":focus").count()).toBe(1)
    })

    test("Delete on what it does not remove takes the focus nowhere else once the upload has ended by itself", async () => {
      const [page, site] = [getPage(), getSite()]
      const release = site.hold("a.docx", 10_000)
      await open("component=dropzone&endpoint=anything&mode=auto")
      await give(file("a.docx", heldSize))
      await rowBecomes("a.docx", "uploading")
      await isOneStop()
      await page.getByRole("button", { name: "Pause a.docx" }).focus()
      await page.keyboard.press("Delete")
      // A rendering later, as whenever bytes are counted.
      await give(file("b.docx"))
      await rowBecomes("b.docx", "done")
      await focusIs("Pause a.docx")
      release()
      await rowBecomes("a.docx", "done")
      await page.getByRole("button", { name: "Pause a.docx" }).waitFor({ state: "detached" })
      await until(() => page.evaluate(() => document.activeElement?.getAttribute("data-sluice") === "button"))
    })

    for (const [direction, next, back] of [
      ["ltr", "ArrowRight", "ArrowLeft"],
      ["rtl", "ArrowLeft", "ArrowRight"],
    ] as const) {
      test(`arrows go from button to button of a file as the page runs, ${direction}`, async () => {
        const [page, site] = [getPage(), getSite()]
        const release = site.hold("a.docx", 10_000)
        await open("component=dropzone&endpoint=anything&mode=auto")
        await page.evaluate((direction) => (document.documentElement.dir = direction), direction)
        await give(file("a.docx", heldSize), file("b.docx"))
        await rowBecomes("b.docx", "done")
        await rowBecomes("a.docx", "uploading")
        await isOneStop()
        await page.getByRole("button", { name: "Pause a.docx" }).focus()
        for (const [key, name] of [
          [next, "Cancel a.docx"],
          [next, "Cancel a.docx"],
          [back, "Pause a.docx"],
          ["ArrowDown", "Remove b.docx"],
          // What is on its way is not removed by one key.
          ["ArrowUp", "Cancel a.docx"],
          ["Delete", "Cancel a.docx"],
        ] as const) {
          await page.keyboard.press(key)
          await focusIs(name)
        }
        expect(await rows().count()).toBe(2)
        release()
      })
    }

    test("the focus goes to the neighbour of a file that is removed", async () => {
      const page = getPage()
      await open("component=dropzone&endpoint=anything")
      await give(...["a", "b", "c"].map((name) => file(`${name}.docx`)))
      await until(async () => (await rows().count()) === 3)
      await page.getByRole("button", { name: "Remove b.docx" }).press("Enter")
      await focusIs("Remove c.docx")
      await page.keyboard.press("Enter")
      await focusIs("Remove a.docx")
      await page.keyboard.press("Enter")
      await focusIs("Choose files")
    })

    test("fingers find every button: 44 px, and gaps between them", async () => {
      const [page, site] = [getPage(), getSite()]
      const devtools = await page.context().newCDPSession(page)
      await devtools.send("Emulation.setTouchEmulationEnabled", { enabled: true })
      await devtools.send("Emulation.setEmulatedMedia", { features: [{ name: "pointer", value: "coarse" }] })
      await page.setViewportSize({ width: 320, height: 640 })
      const release = site.hold("a.docx", 10_000)
      for (const component of ["button", "dropzone"]) {
        await open(`component=${component}&endpoint=anything&mode=auto`)
        await give(file("a.docx", heldSize))
        await page
          .getByRole("button", { name: /^Pause/ })
          .first()
          .waitFor()
        const boxes = await Promise.all((await page.getByRole("button").all()).map((button) => button.boundingBox()))
        expect(boxes.length).toBeGreaterThan(2)
        for (const box of boxes) {
          expect(box!.width).toBeGreaterThanOrEqual(44)
          expect(box!.height).toBeGreaterThanOrEqual(44)
        }
        const gaps = boxes.flatMap((box) =>
          boxes
            .filter((other) => other!.y === box!.y && other!.x > box!.x)
            .map((other) => other!.x - box!.x - box!.width),
        )
        expect(Math.min(...gaps)).toBeGreaterThanOrEqual(8)
      }
      release()
    })

    /** Colours along the middle of an element's lower edge, from left to right. */
    const colours = async (element: Locator, bottom: number) => {
      const picture = (await element.screenshot({ animations: "disabled" })).toString("base64")
      return getPage().evaluate(
        async ([picture, bottom]) => {
          const bytes = Uint8Array.from(atob(picture), (char) => char.charCodeAt(0))
          const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }))
          const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d")!
          canvas.drawImage(bitmap, 0, 0)
          return [0.1, 0.9].map((x) =>
            canvas
              .getImageData(bitmap.width * x, bitmap.height - bottom, 1, 1)
              .data.slice(0, 3)
              .join(),
          )
        },
        [picture, bottom] as const,
      )
    }

    test("bars fill from the side where the page's lines begin, and texts keep their order", async () => {
      const [page, site] = [getPage(), getSite()]
      const release = site.hold("a.docx", 10_000_000)
      for (const component of ["button", "dropzone"]) {
        await open(`component=${component}&endpoint=anything&mode=auto`)
        await give(file("a.docx", 60_000_000))
        const state = part(component === "button" ? "button" : "file-state")
        // What lies in buffers counts as sent, which can be many megabytes: it stands still when they are full.
        let sent: string | null = null
        await until(async () => {
          const before = sent
          sent = await state.textContent()
          if (/\b[1-7]\d %/.test(sent ?? "") && sent === before) return true
          await page.waitForTimeout(300)
          return false
        })
        const [bar, bottom] = component === "button" ? [part("button"), 3] : [part("file-progress"), 2]
        const ltr = await colours(bar, bottom)
        await page.evaluate(() => (document.documentElement.dir = "rtl"))
        const rtl = await colours(bar, bottom)
        expect(ltr[0]).not.toBe(ltr[1])
        expect(rtl).toEqual(ltr.toReversed())
        const isInOrder = await state.evaluate((element) => {
          const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
          const texts: Array<Text> = []
          while (walker.nextNode()) texts.push(walker.currentNode as Text)
          const at = (text: Text, index: number) => {
            const range = document.createRange()
            range.setStart(text, index)
            range.setEnd(text, index + 1)
            return range.getBoundingClientRect().left
          }
          const last = texts.find(({ data }) => data.includes("%"))!
          return at(last, last.data.indexOf("%")) > at(texts[0]!, 0)
        })
        expect(isInOrder).toBe(true)
      }
      release()
    })

    test("the edge of the area can be seen: 3 to 1 against what is around it", async () => {
      const page = getPage()
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme })
        await open("component=dropzone")
        const measure = () =>
          part("area").evaluate((area) => {
            const canvas = new OffscreenCanvas(1, 1).getContext("2d")!
            canvas.fillStyle = getComputedStyle(document.body).backgroundColor
            canvas.fillRect(0, 0, 1, 1)
            const read = () => {
              const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((value) => {
                const part = value / 255
                return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
              })
              return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!
            }
            const around = read()
            canvas.fillStyle = getComputedStyle(area).borderTopColor
            canvas.fillRect(0, 0, 1, 1)
            const [low, high] = [around, read()].toSorted((a, b) => a - b)
            return (high! + 0.05) / (low! + 0.05)
          })
        const ratio = await measure()
        expect(ratio, colorScheme).toBeGreaterThanOrEqual(3)
        // It is no weaker under files that are held over it.
        await part("area").evaluate((area) => {
          const dataTransfer = new DataTransfer()
          dataTransfer.items.add(new File(["a"], "a.png", { type: "image/png" }))
          area.dispatchEvent(new DragEvent("dragenter", { dataTransfer, bubbles: true, cancelable: true }))
        })
        await page.locator('[data-drag="over"]').waitFor()
        await until(async () => (await measure()) > ratio)
      }
    })

    test("what is paused looks unlike what runs, without regard to its colour; the button stays where it is", async () => {
      const [page, site] = [getPage(), getSite()]
      const release = site.hold("a.docx", 400_000)
      await open("component=button&endpoint=anything")
      const before = (await part("button").boundingBox())!
      await give(file("a.docx", heldSize))
      await page.getByRole("button", { name: "Pause" }).waitFor()
      expect((await part("button").boundingBox())!.x).toBe(before.x)
      await open("component=dropzone&endpoint=anything&mode=auto")
      await give(file("a.docx", heldSize))
      await rowBecomes("a.docx", "uploading")
      const pattern = () =>
        part("file-progress").evaluate((element) => getComputedStyle(element, "::after").backgroundImage)
      expect(await pattern()).toBe("none")
      await page.getByRole("button", { name: "Pause a.docx" }).click()
      await rowBecomes("a.docx", "paused")
      expect(await pattern()).toContain("repeating-linear-gradient")
      // So does the bar of all files.
      const all = () =>
        part("summary-progress").evaluate((element) => getComputedStyle(element, "::before").backgroundImage)
      await until(async () => (await all()).includes("repeating-linear-gradient"))
      release()
    })

    test("a refused file is seen in a list that scrolls", async () => {
      await openMany()
      const count = await rows().count()
      await drop([`${"x".repeat(1100)}.pdf`])
      await until(async () => (await rows().count()) === count + 1)
      const refused = rows().last()
      expect(await refused.getAttribute("data-state")).toBe("failed")
      await until(() =>
        refused.evaluate((element) => {
          const [box, place] = [element.parentElement!, element].map((each) => each.getBoundingClientRect())
          return place!.top >= box!.top - 1 && place!.bottom <= box!.bottom + 1
        }),
      )
    })

    test("two images of the clipboard have two names", async () => {
      const page = getPage()
      await open("component=dropzone&endpoint=anything&paste")
      await page.evaluate(() => {
        for (const content of ["a", "b"]) {
          const data = new DataTransfer()
          data.items.add(new File([content], "image.png", { type: "image/png" }))
          document.body.dispatchEvent(
            new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }),
          )
        }
      })
      await until(async () => (await rows().count()) === 2)
      const [first, second] = await part("file-name").allTextContents()
      expect(first).toMatch(/^Pasted image \d\d\.\d\d\.\d\d\.png$/)
      expect(second).toMatch(/^Pasted image \d\d\.\d\d\.\d\d(?: \(2\))?\.png$/)
      expect(second).not.toBe(first)
    })

    test("files of a folder keep their paths, chosen or dropped; one without files says so", async () => {
      const page = getPage()
      const folder = await mkdtemp(join(tmpdir(), "sluice-folder-"))
      const sent: Array<unknown> = []
      page.on("request", (request) => {
        const body = request.postData()
        if (request.url().includes("actionType=upload") && body !== null) sent.push(...JSON.parse(body).files)
      })
      const paths = () => sent.map((file) => String((file as { path?: string }).path))
      try {
        const [holiday, empty] = [join(folder, "holiday"), join(folder, "empty")]
        await mkdir(join(holiday, "2024"), { recursive: true })
        await mkdir(empty)
        await writeFile(join(holiday, "a.txt"), "1")
        await writeFile(join(holiday, "2024", "a.txt"), "22")
        await open("component=dropzone&endpoint=anything&mode=auto&folder")
        await page.setInputFiles("input[type=file]", holiday)
        await until(async () => (await page.evaluate(() => window.told)).some(({ name }) => name === "complete"))
        expect(paths().toSorted((a, b) => a.localeCompare(b))).toEqual(["holiday/2024/a.txt", "holiday/a.txt"])
        expect((await part("file-path").allTextContents()).toSorted()).toEqual(["holiday/", "holiday/2024/"])
        sent.length = 0
        await open("component=dropzone&endpoint=anything&mode=auto&rename")
        const box = (await part("area").boundingBox())!
        const devtools = await page.context().newCDPSession(page)
        const data = { items: [], files: [holiday, empty], dragOperationsMask: 1 }
        for (const type of ["dragEnter", "dragOver", "drop"] as const) {
          await devtools.send("Input.dispatchDragEvent", { type, x: box.x + 20, y: box.y + 20, data })
        }
        await until(async () => (await page.evaluate(() => window.told)).some(({ name }) => name === "complete"))
        expect(paths().toSorted((a, b) => a.localeCompare(b))).toEqual([
          "holiday/2024/renamed-a.txt",
          "holiday/renamed-a.txt",
        ])
        expect((await part("file-path").allTextContents()).toSorted()).toEqual(["holiday/", "holiday/2024/"])
        await rowBecomes("empty", "failed")
        expect(await rows().filter({ hasText: "empty" }).textContent()).toContain("No files in this folder.")
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    })
  })
}
