import type { Locator, Page } from "playwright-core"
import { describe, expect, test } from "vitest"
import { heldSize, type Site } from "../bindings/start-site.ts"
import { pixel } from "../browser/pixel.ts"
import { chosenFiles } from "../browser/chosen-files.ts"
import { slowUploads } from "../browser/slow-uploads.ts"

interface Bench {
  readonly page: () => Page
  readonly site: () => Site
  readonly open: (query: string) => Promise<void>
  readonly until: (condition: () => boolean | Promise<boolean>) => Promise<void>
}

const long = `Quarterly-financial-report_FINAL_v2_really-final ${"with a name that goes on ".repeat(3)} in 2026.png`
const png = (name: string) => ({ name, mimeType: "image/png", buffer: pixel })

/** Where things stand: in line, in order, on the screen, and for fingers. */
export const describeLooks = ({ page: getPage, site: getSite, open, until }: Bench): void => {
  const part = (name: string) => getPage().locator(`[data-sluice="${name}"]`)
  const button = (name: string | RegExp) => getPage().getByRole("button", { name, exact: true })
  const give = async (...files: ReadonlyArray<ReturnType<typeof png>>) =>
    getPage()
      .locator("input[type=file]:not([capture])")
      .first()
      .setInputFiles(await chosenFiles(files))
  const becomes = (state: string) =>
    part("container")
      .and(getPage().locator(`[data-state="${state}"]`))
      .waitFor()
  const boxOf = async (element: Locator) => (await element.boundingBox())!
  const becomePhone = async () => {
    const session = await getPage().context().newCDPSession(getPage())
    await session.send("Emulation.setTouchEmulationEnabled", { enabled: true, maxTouchPoints: 5 })
    await getPage().setViewportSize({ width: 320, height: 640 })
  }

  describe("looks", () => {
    test("handles stand in one column, beside what is stored, too, and so do the buttons that remove", async () => {
      await open("component=dropzone&endpoint=anything&rows=reorder,rename&initial")
      await give(png("new.png"), png(long))
      await until(async () => (await part("file-handle").count()) === 4 && (await part("file-rename").count()) === 2)
      for (const direction of ["ltr", "rtl"]) {
        await getPage().evaluate((dir) => (document.documentElement.dir = dir), direction)
        for (const column of [part("file-handle"), getPage().locator('[data-action="remove"]')]) {
          const boxes = await Promise.all((await column.all()).map(boxOf))
          expect(boxes).toHaveLength(4)
          expect(new Set(boxes.map(({ x }) => Math.round(x))).size, direction).toBe(1)
        }
        // Nor does one that is lifted, and filled with colour, touch what stands beside it.
        const [handle, picture] = [await boxOf(part("file-handle").first()), await boxOf(part("file-preview").first())]
        const [left, right] = direction === "ltr" ? [handle, picture] : [picture, handle]
        expect(right.x - left.x - left.width, direction).toBeGreaterThanOrEqual(4)
      }
    })

    test("on a phone every name shows its extension, and no letter is cut, beside all the buttons that a row can have", async () => {
      const names = ["Rechnung-42.png", "Urlaub 2026.jpeg", "Sitzungsprotokoll 12. Mai.png", "WWWWWWWWWWWW.png", long]
      await becomePhone()
      for (const look of ["", "&previews=grid"])
        for (const width of [320, 390]) {
          await getPage().setViewportSize({ width, height: 800 })
          await open(`component=dropzone&endpoint=anything&rows=reorder,rename&mode=manual${look}`)
          await give(...names.map(png))
          await until(async () => (await part("file-rename").count()) === names.length)
          const cut = await part("file-name").evaluateAll((all) =>
            all.flatMap((name) => {
              const box = name.getBoundingClientRect()
              // The end of it, or all of a short one.
              const end = name.querySelector("span:last-child")!
              const range = document.createRange()
              range.selectNodeContents(end)
              const isWhole = [...range.getClientRects()].every(
                ({ left, right, top, bottom }) =>
                  left >= box.left - 0.5 && right <= box.right + 0.5 && top >= box.top - 2 && bottom <= box.bottom + 2,
              )
              return isWhole && end.scrollWidth <= end.clientWidth + 1 ? [] : [name.textContent]
            }),
          )
          expect(cut, `${width} px ${look}`).toEqual([])
        }
    })

    test("the name on a card has its whole width, however many buttons it has", async () => {
      getSite().refuse(long, 500, 99)
      await open("component=dropzone&endpoint=anything&mode=auto&previews=grid&initial")
      await give(png(long))
      const card = part("file").last()
      await getPage().locator('[data-sluice="file"][data-state="failed"]').waitFor()
      expect(await card.getByRole("button").count()).toBe(2)
      for (const each of await part("file").all()) {
        const [name, picture] = [
          await boxOf(each.locator('[data-sluice="file-name"]')),
          await boxOf(each.locator('[data-sluice="file-preview"]')),
        ]
        expect(name.width).toBeCloseTo(picture.width, 0)
        // Below all texts, in the corner.
        const [state, tools] = [
          await boxOf(each.locator('[data-sluice="file-state"]')),
          await boxOf(each.locator('[data-sluice="file-actions"]')),
        ]
        expect(tools.y + tools.height).toBeGreaterThanOrEqual(state.y + state.height - 1)
        expect(tools.x + tools.width).toBeCloseTo(picture.x + picture.width, 0)
      }
    })

    test("cards stand beside each other on the smallest phones, too", async () => {
      await getPage().setViewportSize({ width: 320, height: 640 })
      await open("component=dropzone&endpoint=anything&rows=reorder,rename&previews=grid")
      await getPage().addStyleTag({ content: "body { margin: 16px }" })
      await give(png(long), png("second.png"))
      await until(async () => (await part("file-rename").count()) === 2)
      const [first, second] = await Promise.all((await part("file").all()).map(boxOf))
      expect(second!.y).toBe(first!.y)
      expect(second!.height).toBe(first!.height)
    })

    test("two rows of cards are seen whole, also where those of the second are refused", async () => {
      await getPage().setViewportSize({ width: 1060, height: 1200 })
      await open("component=dropzone&endpoint=photos&mode=manual&previews=grid")
      await give(...Array.from({ length: 12 }, (_, place) => png(`${place + 1}.png`)))
      await until(async () => (await getPage().locator('[data-sluice="file"][data-state="failed"]').count()) === 9)
      const [first, last] = [await boxOf(part("file").first()), await boxOf(part("file").last())]
      expect(last.y).toBeGreaterThan(first.y)
      const list = await boxOf(part("file-list"))
      expect(first.y).toBeGreaterThanOrEqual(list.y)
      expect(last.y + last.height).toBeLessThanOrEqual(list.y + list.height)
    })

    test("the letters on a tile stay within it, with texts twice as large", async () => {
      await open("component=dropzone&endpoint=anything")
      await getPage().addStyleTag({ content: "html { font-size: 200% }" })
      await give({ ...png("paper.docx"), mimeType: "application/x-any" })
      const [letters, tile] = await part("file-preview").evaluate((element) => {
        const range = document.createRange()
        range.selectNodeContents(element)
        return [range.getBoundingClientRect().width, element.getBoundingClientRect().width] as const
      })
      expect(letters).toBeGreaterThan(0)
      expect(letters).toBeLessThan(tile - 4)
    })

    test("with forced colours the bar of all files has room for what it says within its edges", async () => {
      await getPage().emulateMedia({ forcedColors: "active" })
      const release = getSite().hold("slow.png", 100_000)
      await open("component=dropzone&endpoint=anything&mode=auto")
      await give({ ...png("slow.png"), buffer: Buffer.concat([pixel, Buffer.alloc(heldSize, 7)]) })
      await part("summary-progress").waitFor()
      const height = await part("summary-progress").evaluate((bar) => bar.clientHeight)
      expect(height).toBeGreaterThanOrEqual(3)
      release()
      await getPage().emulateMedia({ forcedColors: "none" })
    })

    test("with forced colours the badge of an avatar has its camera", async () => {
      await getPage().emulateMedia({ forcedColors: "active" })
      await open("component=avatar&endpoint=avatar")
      const [camera, badge, size] = await part("upload-icon").evaluate((element) => {
        const { backgroundColor, width } = getComputedStyle(element, "::before")
        return [backgroundColor, getComputedStyle(element).backgroundColor, width] as const
      })
      expect(camera).not.toBe(badge)
      expect(size).toBe("17px")
      await getPage().emulateMedia({ forcedColors: "none" })
    })

    test("the icon of a disabled area invites nobody", async () => {
      for (const [query, isDim] of [
        ["", false],
        ["&disabled", true],
      ] as const) {
        await open(`component=dropzone${query}`)
        const opacity = await part("upload-icon").evaluate((element) => Number(getComputedStyle(element).opacity))
        expect(opacity < 1, query).toBe(isDim)
      }
    })

    test("what stands beside a picture stands in its middle", async () => {
      const picture = encodeURIComponent(`data:image/png;base64,${pixel.toString("base64")}`)
      await open(`component=avatar&endpoint=avatar&picture=${picture}`)
      const [avatar, remove] = [await boxOf(part("button")), await boxOf(button(/^Remove/))]
      expect(remove.y + remove.height / 2).toBeCloseTo(avatar.y + avatar.height / 2, 0)
    })

    test("nothing runs out of a page of 320 px, whatever is done to rows", async () => {
      const page = getPage()
      await page.setViewportSize({ width: 320, height: 640 })
      const check = async (what: string) => {
        await page.addStyleTag({ content: "body { margin: 0 } h1, main > label { display: none }" })
        const { scrollWidth, wide } = await page.evaluate(() => ({
          scrollWidth: document.documentElement.scrollWidth,
          wide: [...document.querySelectorAll("button, input, li, p")]
            .filter(({ id }) => id !== "notes")
            .filter((element) => {
              const { left, right } = element.getBoundingClientRect()
              return right > 320.5 || left < -0.5
            })
            .map((element) => element.outerHTML.slice(0, 90)),
        }))
        expect({ scrollWidth, wide }, what).toEqual({ scrollWidth: 320, wide: [] })
      }
      for (const previews of ["thumbnail", "grid"]) {
        await open(`component=dropzone&endpoint=anything&rows=reorder,rename&initial&previews=${previews}`)
        await give(png(long), png("second.png"))
        await part("file-rename").first().waitFor()
        await check(`handles, ${previews}`)
        await until(async () => {
          await part("file-rename").first().click()
          return await part("name-input").isVisible()
        })
        await part("name-input").fill("a/b")
        await page.keyboard.press("Enter")
        await until(async () => (await part("name-mistake").textContent()) !== "")
        await check(`a name that is refused, ${previews}`)
        await page.keyboard.press("Escape")
        await page.locator('[data-action="remove"]').nth(2).press("Enter")
        await part("removed").waitFor()
        await check(`undo, ${previews}`)
      }
      await open("component=dropzone&endpoint=pair")
      await give(png(long))
      await part("missing").waitFor()
      await check("too few files")
      getSite().refuse(long, 503, 99)
      getSite().refuse("second.png", 503, 99)
      await open("component=dropzone&endpoint=anything&mode=auto&patience=60000")
      await give(png(long), png("second.png"))
      await part("try-now").waitFor()
      await check("files that wait for their next try")
      // What stands above them grows with the second file that waits: they are measured until it has.
      await until(async () => {
        const tools = await Promise.all((await part("summary-actions").getByRole("button").all()).map(boxOf))
        return tools.length === 3 && new Set(tools.map(({ y, height }) => `${y} ${height}`)).size === 1
      })
      const release = getSite().holdCallbacks()
      await open("component=dropzone&endpoint=anything&mode=auto")
      await give(png(`other ${long}`))
      await page.locator('[data-sluice="file"][data-state="processing"]').waitFor()
      await check("a file the app is at")
      release()
      await open("component=dropzone&endpoint=forbidden&mode=auto")
      await give(png(long), png("second.png"))
      await part("notice").waitFor()
      await check("a reason that files share")
    })

    test("the name of an interrupted upload, and that of a file that failed, have room beside their buttons", async () => {
      const page = getPage()
      await page.setViewportSize({ width: 440, height: 640 })
      const release = getSite().hold(long, 100_000)
      await open("component=dropzone&endpoint=anything&mode=auto&resume")
      await give({ ...png(long), buffer: Buffer.concat([pixel, Buffer.alloc(heldSize, 7)]) })
      await until(async () => /[1-9]\d? %/.test((await part("file-state").textContent()) ?? ""))
      // It is remembered a moment later.
      await page.waitForTimeout(1_500)
      await page.reload()
      await part("interrupted-file").waitFor()
      const [name, row] = [await boxOf(part("file-name")), await boxOf(part("interrupted-file"))]
      expect(name.width).toBeGreaterThan(row.width / 2)
      release()
      getSite().refuse("bad.png", 500, 99)
      await open("component=dropzone&endpoint=anything&mode=auto")
      await give(png("bad.png"))
      await page.locator('[data-sluice="file"][data-state="failed"]').waitFor()
      const [title, tools] = [await boxOf(part("file-name")), await boxOf(part("file-actions"))]
      expect(Math.abs(title.y + title.height / 2 - tools.y - tools.height / 2)).toBeLessThan(1.5)
      // Where there is room for all of it beside the buttons, its row is like others.
      await page.setViewportSize({ width: 900, height: 640 })
      await open("component=dropzone&endpoint=anything&mode=auto")
      await give(png("bad.png"), png("good.png"))
      await page.locator('[data-sluice="file"][data-state="failed"]').waitFor()
      await page.locator('[data-sluice="file"][data-state="done"]').waitFor()
      const [bad, good] = await Promise.all((await part("file").all()).map(boxOf))
      expect(bad!.height).toBeCloseTo(good!.height, 0)
    })

    test("the question about another file is put in whole lines, on a wide page too", async () => {
      const page = getPage()
      const release = getSite().hold(long, 100_000)
      await open("component=dropzone&endpoint=anything&mode=auto&resume")
      await give({ ...png(long), buffer: Buffer.concat([pixel, Buffer.alloc(heldSize, 7)]) })
      await until(async () => /[1-9]\d? %/.test((await part("file-state").textContent()) ?? ""))
      // It is remembered a moment later.
      await page.waitForTimeout(1_500)
      await page.reload()
      const [chooser] = await Promise.all([
        page.waitForEvent("filechooser"),
        page.getByRole("button", { name: /^Choose it again/ }).click(),
      ])
      await chooser.setFiles(png("another.png"))
      await part("question").waitFor()
      for (const width of [1280, 800, 440]) {
        await page.setViewportSize({ width, height: 640 })
        const row = await boxOf(part("interrupted-file"))
        const [state, question] = [await boxOf(part("file-state")), await boxOf(part("question"))]
        expect(state.width, `${width}`).toBeGreaterThan(row.width / 2)
        expect(question.width, `${width}`).toBeGreaterThan(row.width / 2)
        for (const each of await part("interrupted-file").getByRole("button").all()) {
          const box = await boxOf(each)
          expect(box.y, `${width}`).toBeGreaterThanOrEqual(question.y + question.height - 0.5)
          expect(box.y + box.height, `${width}`).toBeLessThanOrEqual(row.y + row.height)
        }
      }
      release()
    })

    test("nobody with a finger alone is told of dropping, unless something is held over it", async () => {
      await becomePhone()
      await open("component=dropzone")
      expect(await button("Choose files").isVisible()).toBe(true)
      expect(await part("label").isVisible()).toBe(false)
      expect(await part("area").innerText()).not.toMatch(/drop/i)
      const [area, choose] = [await boxOf(part("area")), await boxOf(part("button"))]
      expect(choose.x + choose.width / 2).toBeCloseTo(area.x + area.width / 2, 0)
      const dataTransfer = await getPage().evaluateHandle(() => {
        const data = new DataTransfer()
        data.items.add(new File(["a"], "a.png", { type: "image/png" }))
        return data
      })
      await part("area").dispatchEvent("dragenter", { dataTransfer })
      await part("label").waitFor()
      expect(await part("label").textContent()).toBe("Drop the files to add them")
    })

    test("on a phone the figures come first, each in one piece, then the buttons", async () => {
      await becomePhone()
      await open("component=dropzone&endpoint=anything&mode=auto")
      const endSlow = await slowUploads(getPage(), 1_000_000)
      const slow = { ...png("slow.png"), buffer: Buffer.concat([pixel, Buffer.alloc(20_000_000, 7)]) }
      await give(slow, png("second.png"))
      await part("time-left").waitFor()
      // At one moment: with the next bytes the figures may take another line.
      const [time, text, actions] = await getPage().evaluate(() => {
        const find = (name: string) =>
          document.querySelector(`[data-sluice="${name}"]`)!.getBoundingClientRect().toJSON() as DOMRect
        return [find("time-left"), find("summary-text"), find("summary-actions")] as const
      })
      expect(actions.y).toBeGreaterThanOrEqual(text.y + text.height - 0.5)
      // Dots stand in a strip in front of the figures, which is cut off where a line begins.
      expect(await part("summary-text").evaluate((element) => getComputedStyle(element).clipPath)).toBe(
        "inset(0px 0px 0px 8px)",
      )
      let above = 0
      for (const figure of await part("summary-text").locator("> span").all()) {
        const box = await boxOf(figure)
        expect(box.y * 1000 + box.x).toBeGreaterThanOrEqual(time.y * 1000 + time.x)
        expect(box.height).toBeLessThan(time.height * 1.5)
        if (box.y > above) expect(box.x).toBeCloseTo(text.x, 1)
        above = box.y
      }
      await endSlow()
      await open("component=dropzone&endpoint=anything&mode=auto")
      await give(png("done.png"))
      // The tick of the end is close to its words.
      await part("summary").and(getPage().locator('[data-state="done"]')).waitFor()
      const [words, says] = [
        await boxOf(part("summary-text")),
        await boxOf(part("summary-text").locator("> span").first()),
      ]
      expect(says.x - words.x).toBeLessThan(22)
    })

    test("a page that runs from right to left: an extension follows its name, a number what it counts", async () => {
      await open("component=dropzone&endpoint=anything&rows=rename")
      await getPage().evaluate(() => (document.documentElement.dir = "rtl"))
      const extensionIs = async (side: "left" | "right") => {
        const [field, extension] = [await boxOf(part("name-input")), await boxOf(part("name-extension"))]
        expect(extension.x > field.x ? "right" : "left").toBe(side)
      }
      await give(png("new.png"))
      await until(async () => {
        await button("Rename new.png").click()
        return await part("name-input").isVisible()
      })
      await extensionIs("right")
      await part("name-input").fill("صورة")
      await extensionIs("left")
      await open("component=dropzone&endpoint=forbidden&mode=auto")
      await getPage().evaluate(() => (document.documentElement.dir = "rtl"))
      await give(png("a.png"), png("b.png"))
      await becomes("failed")
      const isInOrder = await part("affected").evaluate((element) => {
        // Some frameworks have empty ones beside it.
        const text = [...element.childNodes].find(({ textContent }) => textContent !== "") as Text
        const at = (index: number) => {
          const range = document.createRange()
          range.setStart(text, index)
          range.setEnd(text, index + 1)
          return range.getBoundingClientRect().left
        }
        return text.data.startsWith("2 files") && at(0) < at(2)
      })
      expect(isInOrder).toBe(true)
      // The dot between two figures stands between them.
      for (const name of ["late.png", "later.png"]) getSite().refuse(name, 503, 99)
      await open("component=dropzone&endpoint=anything&mode=auto&patience=60000")
      await getPage().evaluate(() => (document.documentElement.dir = "rtl"))
      await give(png("late.png"), png("later.png"))
      const figure = part("summary-text").locator("> span + span").last()
      await figure.waitFor()
      const dot = await figure.evaluate((element) => {
        const range = document.createRange()
        range.selectNodeContents(element)
        return element.getBoundingClientRect().right - range.getBoundingClientRect().right
      })
      expect(dot).toBeGreaterThan(4)
      // Each line of an error in another language begins where those of the page do.
      getSite().refuse("bad.png", 500, 99)
      await open("component=button&endpoint=anything")
      await getPage().evaluate(() => (document.documentElement.dir = "rtl"))
      await give(png("bad.png"))
      await part("error").waitFor()
      const ends = await part("error").evaluate((element) => {
        const range = document.createRange()
        range.selectNodeContents(element)
        const { right } = element.getBoundingClientRect()
        return [...range.getClientRects()].map((line) => Math.round(right - line.right))
      })
      expect(ends.length).toBeGreaterThan(1)
      expect(Math.max(...ends)).toBeLessThanOrEqual(1)
    })
  })
}
