import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { describe, expect, test } from "vitest"
import { heldSize, type Site } from "../bindings/start-site.ts"
import { pixel } from "../browser/pixel.ts"

/** What the tests of the bindings have at hand. */
interface BindingTools {
  readonly page: () => Page
  readonly site: () => Site
  readonly open: (query: string) => Promise<void>
  readonly told: (name: string) => Promise<Array<any>>
  readonly until: (condition: () => boolean | Promise<boolean>) => Promise<void>
  readonly announced: () => Promise<Array<string>>
  readonly says: (text: string | RegExp) => Promise<void>
  readonly complaints: () => ReadonlyArray<string>
}

const png = (name: string) => ({ name, mimeType: "image/png", buffer: pixel })
const axeSource = createRequire(import.meta.url).resolve("axe-core/axe.min.js")

/** What is done to single files: undone, put into another order, renamed, taken by a camera. */
export const describeRows = (tools: BindingTools): void => {
  const { page: getPage, site: getSite, open, told, until, announced, says, complaints } = tools
  const part = (name: string) => getPage().locator(`[data-sluice="${name}"]`)
  const button = (name: string | RegExp) => getPage().getByRole("button", { name, exact: true })
  const give = (...names: ReadonlyArray<string>) =>
    getPage().locator("input[type=file]:not([capture])").setInputFiles(names.map(png))
  const rowBecomes = (name: string, state: string) =>
    getPage().locator(`[data-sluice="file"][data-state="${state}"]`, { hasText: name }).waitFor()
  const names = () => part("file-name").allTextContents()
  const namesAre = async (...wanted: ReadonlyArray<string>) =>
    await expect.poll(names, { timeout: 10_000 }).toEqual(wanted)
  const focused = () =>
    getPage().evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent)
  const focusIs = async (name: string) => await expect.poll(focused, { timeout: 10_000 }).toBe(name)
  const entries = () =>
    getPage().evaluate(() => new FormData(document.querySelector("form")!).getAll("photos") as Array<string>)
  const check = async () => {
    await getPage().addScriptTag({ path: axeSource })
    const violations = await getPage().evaluate(async () => {
      const { axe } = globalThis as unknown as { axe: typeof import("axe-core") }
      const { violations } = await axe.run(document, { resultTypes: ["violations"] })
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)
    })
    expect(violations).toEqual([])
  }

  describe("undo", () => {
    test("a removed file can be brought back by keyboard, to its place; both are said", async () => {
      await open("component=dropzone&endpoint=anything")
      await give("a.png", "b.png", "c.png")
      await says("3 files chosen")
      await button("Remove b.png").focus()
      await getPage().keyboard.press("Enter")
      await namesAre("a.png", "c.png")
      await focusIs("Remove c.png")
      expect(await part("removed").textContent()).toBe("b.png removedUndo")
      // In its place: between the rows.
      expect(await part("file-list").locator("> *").nth(1).getAttribute("data-sluice")).toBe("removed")
      await says("b.png removed. You can undo it")
      await check()
      await getPage().keyboard.press("Shift+Tab")
      await focusIs("Undo, b.png removed")
      await getPage().keyboard.press("Enter")
      await namesAre("a.png", "b.png", "c.png")
      await focusIs("Remove b.png")
      expect(await part("removed").count()).toBe(0)
      await says("b.png is back")
      expect(await announced()).not.toContain("1 file chosen")
      expect((await told("change")).at(-1)).toEqual(["a.png", "b.png", "c.png"])
      expect(complaints()).toEqual([])
    })

    test("several at once, one removal after the other, and Ctrl+Z", async () => {
      await open("component=dropzone&endpoint=anything")
      await give("a.png", "b.png", "c.png")
      await says("3 files chosen")
      await button("Remove a.png").click()
      await namesAre("b.png", "c.png")
      await button("Clear").click()
      await namesAre()
      await part("removed").getByText("2 files removed").waitFor()
      await says("All files removed. You can undo it")
      await part("undo-button").click()
      await namesAre("b.png", "c.png")
      await part("removed").getByText("a.png removed").waitFor()
      await button("Remove c.png").focus()
      await getPage().keyboard.press("Control+z")
      await namesAre("a.png", "b.png", "c.png")
      await focusIs("Remove a.png")
      await button("Upload 3 files").click()
      await rowBecomes("c.png", "done")
      expect(getSite().puts.length).toBe(3)
    })

    test("what failed and what is stored come back as they were, and go on", async () => {
      getSite().refuse("bad.png", 500, 1)
      await open("component=dropzone&mode=auto&endpoint=anything&patience=1")
      getSite().refuse("bad.png", 500, 99)
      await give("good.png", "bad.png")
      await rowBecomes("good.png", "done")
      await rowBecomes("bad.png", "failed")
      await button("Remove bad.png").click()
      await button("Remove finished").click()
      await namesAre()
      await part("undo-button").click()
      await rowBecomes("good.png", "done")
      await part("undo-button").click()
      await rowBecomes("bad.png", "failed")
      getSite().refuse("bad.png", 500, 0)
      await button("Try again bad.png").click()
      await rowBecomes("bad.png", "done")
      expect(getSite().puts.filter(({ file }) => file === "good.png").length).toBe(1)
    })

    test("in a form the key comes back with its file, as long as there is room for it; not after it was sent or reset", async () => {
      await open("form&name=photos&initial&mode=auto")
      await button("Remove one.png").click()
      await expect.poll(entries).toEqual(["stored-2"])
      await part("undo-button").click()
      await expect.poll(entries).toEqual(["stored-1", "stored-2"])
      expect(await told("value")).toEqual([["stored-2"], ["stored-1", "stored-2"]])
      await button("Remove one.png").click()
      await part("removed").waitFor()
      await give("a.png", "b.png")
      await rowBecomes("b.png", "done")
      // The route takes three.
      await part("removed").waitFor({ state: "detached" })
      await button("Remove b.png").click()
      await part("removed").waitFor()
      await button("Save").click()
      await until(async () => (await told("submit")).length === 1)
      await part("removed").waitFor({ state: "detached" })
      await button("Remove two.png").click()
      await part("removed").waitFor()
      await button("Reset").click()
      await expect.poll(entries).toEqual(["stored-1", "stored-2"])
      expect(await part("removed").count()).toBe(0)
    })

    test("a file that took the place of a removed one has none when that comes back, and says so", async () => {
      await open("component=dropzone")
      await give("a.png", "b.png", "c.png", "d.png")
      await rowBecomes("d.png", "failed")
      await button("Remove a.png").click()
      await rowBecomes("d.png", "picked")
      await part("undo-button").click()
      await rowBecomes("a.png", "picked")
      await rowBecomes("d.png", "failed")
      expect(await part("file").last().textContent()).toContain("Too many: at most 3 images.")
    })

    test("a picture comes back, too", async () => {
      await open("component=dropzone")
      await give("a.png")
      const picture = getPage().locator('[data-sluice="file-preview"] img')
      await picture.waitFor()
      await button("Remove a.png").click()
      await part("undo-button").click()
      await picture.waitFor()
      expect(await picture.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth))).toBe(1)
      expect(complaints()).toEqual([])
    })

    test("a button offers it in its line", async () => {
      await open("form&component=button&endpoint=avatar&name=photos")
      await give("me.png")
      await button("Remove me.png").click()
      await expect.poll(entries).toEqual([])
      await part("removed").getByText("me.png removed").waitFor()
      await check()
      await button("Undo, me.png removed").click()
      await expect.poll(async () => (await entries()).length).toBe(1)
      await button("Remove me.png").waitFor()
      // Nobody wants the old one back beside the new.
      await button("Remove me.png").click()
      await part("removed").waitFor()
      await give("new.png")
      await button("Remove new.png").waitFor()
      expect(await part("removed").count()).toBe(0)
      expect(complaints()).toEqual([])
    })

    test("the offer goes after a while, but not from under somebody who is at it", async () => {
      // What lasts long lasts shortly here. A clock of the driver's would stay for all pages that come after.
      await getPage().addInitScript(() => {
        const wait = globalThis.setTimeout
        Object.assign(globalThis, { setTimeout: (run: () => void, ms = 0) => wait(run, ms < 10_000 ? ms : ms / 50) })
      })
      await open("component=dropzone&endpoint=anything")
      const look = () => getPage().waitForTimeout(1000)
      await give("a.png", "b.png")
      await button("Remove a.png").click()
      await part("removed").hover()
      await look()
      await look()
      expect(await part("removed").count()).toBe(1)
      // Somebody is at it all the time, however slow the machine is.
      await part("undo-button").focus()
      await getPage().mouse.move(0, 0)
      await look()
      expect(await part("removed").count()).toBe(1)
      await getPage().evaluate(() => (document.activeElement as HTMLElement).blur())
      await look()
      await part("removed").waitFor({ state: "detached" })
      await namesAre("b.png")
    })
  })

  describe("another order", () => {
    const letters = (count: number) =>
      Array.from({ length: count }, (_, index) => `${String.fromCharCode(97 + index)}.png`)
    const openList = async (query: string, ...files: ReadonlyArray<string>) => {
      await open(`component=dropzone&endpoint=anything&rows=reorder&${query}`)
      await give(...files)
      await button(`Move ${files.at(-1)}`).waitFor()
      await says(`${files.length} files chosen`)
      // What moves rows is loaded with the first two.
      await until(async () => {
        await button(`Move ${files[0]}`).focus()
        await getPage().keyboard.press("Space")
        return (await button(`Move ${files[0]}`).getAttribute("aria-pressed")) === "true"
      })
      await getPage().keyboard.press("Escape")
      await getPage().evaluate(() => (window.announced = []))
    }
    const middleOf = async (name: string | RegExp) => {
      const { x, y, width, height } = (await button(name).boundingBox())!
      return { x: x + width / 2, y: y + height / 2 }
    }
    const isLifted = async (name: string) => (await button(`Move ${name}`).getAttribute("aria-pressed")) === "true"

    test("by keyboard: Space lifts, arrows move, Space drops, Escape puts back; each step is said, the focus stays", async () => {
      await openList("", "a.png", "b.png", "c.png")
      const { keyboard } = getPage()
      await button("Move a.png").focus()
      await keyboard.press("Space")
      await says(/^a.png lifted, place 1 of 3\. Arrow keys move it/)
      expect(await isLifted("a.png")).toBe(true)
      await check()
      await keyboard.press("ArrowDown")
      await namesAre("b.png", "a.png", "c.png")
      await focusIs("Move a.png")
      await says("a.png moved to place 2 of 3")
      await keyboard.press("End")
      await namesAre("b.png", "c.png", "a.png")
      await focusIs("Move a.png")
      await keyboard.press("ArrowDown")
      await namesAre("b.png", "c.png", "a.png")
      await keyboard.press("Enter")
      await says("a.png dropped at place 3 of 3")
      expect(await isLifted("a.png")).toBe(false)
      expect((await told("change")).at(-1)).toEqual(["b.png", "c.png", "a.png"])
      // Arrows walk again.
      await keyboard.press("ArrowUp")
      await focusIs("Move c.png")
      await keyboard.press("Space")
      await keyboard.press("ArrowUp")
      await namesAre("c.png", "b.png", "a.png")
      await keyboard.press("Escape")
      await namesAre("b.png", "c.png", "a.png")
      await focusIs("Move c.png")
      await says("c.png is back at place 2 of 3")
      // From any button.
      await keyboard.press("ArrowRight")
      await focusIs("Remove c.png")
      await keyboard.press("Alt+ArrowUp")
      await namesAre("c.png", "b.png", "a.png")
      await focusIs("Remove c.png")
      await says("c.png moved to place 1 of 3")
      expect(complaints()).toEqual([])
    })

    test("by mouse: what is dragged by its handle goes where the line is; Escape gives up; a click is no drag", async () => {
      await openList("", "a.png", "b.png", "c.png", "d.png")
      const { mouse, keyboard } = getPage()
      const drag = async (name: string, over: string, by: number) => {
        const [from, to] = [await middleOf(`Move ${name}`), await middleOf(`Move ${over}`)]
        await mouse.move(from.x, from.y)
        await mouse.down()
        await mouse.move(to.x, to.y + by, { steps: 5 })
      }
      await drag("a.png", "c.png", 12)
      expect(await part("file").nth(2).getAttribute("data-drop")).toBe("after")
      // Nothing is changed before it is let go.
      await namesAre("a.png", "b.png", "c.png", "d.png")
      await mouse.up()
      await namesAre("b.png", "c.png", "a.png", "d.png")
      expect(await getPage().locator("[data-drop], [data-dragged]").count()).toBe(0)
      expect(await isLifted("a.png")).toBe(false)
      await says("a.png moved to place 3 of 4")
      await drag("d.png", "b.png", -12)
      await mouse.up()
      await namesAre("d.png", "b.png", "c.png", "a.png")
      await drag("d.png", "a.png", 12)
      await keyboard.press("Escape")
      await mouse.up()
      await namesAre("d.png", "b.png", "c.png", "a.png")
      // Without a drag: a click lifts, a click on another handle puts it there.
      await getPage().mouse.move(0, 0)
      await button("Move a.png").click()
      expect(await isLifted("a.png")).toBe(true)
      await button("Move b.png").click()
      await namesAre("d.png", "a.png", "b.png", "c.png")
      expect(await isLifted("a.png")).toBe(false)
      expect(complaints()).toEqual([])
    })

    test("of cards by a mouse that is fast: the browser does not drag the picture that comes under it", async () => {
      await openList("previews=grid", "a.png", "b.png", "c.png")
      await getPage().locator('[data-sluice="file"] img').nth(2).waitFor()
      const { mouse } = getPage()
      const [from, to] = [await middleOf("Move b.png"), await middleOf("Move a.png")]
      await mouse.move(from.x, from.y)
      await mouse.down()
      await mouse.move(from.x - 20, from.y)
      await mouse.move(from.x - 40, from.y)
      await mouse.move(to.x - 12, to.y, { steps: 5 })
      await mouse.up()
      await namesAre("b.png", "a.png", "c.png")
      expect(complaints()).toEqual([])
    })

    test("by finger, and the page does not scroll with it", async () => {
      await openList("", "a.png", "b.png", "c.png")
      const session = await getPage().context().newCDPSession(getPage())
      await session.send("Emulation.setTouchEmulationEnabled", { enabled: true })
      const touch = (type: "touchStart" | "touchMove" | "touchEnd", ...touchPoints: Array<{ x: number; y: number }>) =>
        session.send("Input.dispatchTouchEvent", { type, touchPoints })
      const [from, to] = [await middleOf("Move c.png"), await middleOf("Move a.png")]
      await touch("touchStart", from)
      for (const part of [0.3, 0.6, 1]) await touch("touchMove", { x: from.x, y: from.y + (to.y - 12 - from.y) * part })
      await touch("touchEnd")
      await namesAre("c.png", "a.png", "b.png")
      expect(await getPage().evaluate(() => window.scrollY)).toBe(0)
      await session.send("Emulation.setTouchEmulationEnabled", { enabled: false })
    })

    for (const [direction, next] of [
      ["ltr", "ArrowRight"],
      ["rtl", "ArrowLeft"],
    ] as const) {
      test(`in a grid, in both directions, ${direction}`, async () => {
        await getPage().setViewportSize({ width: 800, height: 900 })
        await openList("previews=grid", ...letters(6))
        await getPage().evaluate((direction) => (document.documentElement.dir = direction), direction)
        const { keyboard, mouse } = getPage()
        const tops = await part("file").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top))
        const columns = tops.filter((top) => top === tops[0]).length
        expect(columns).toBeGreaterThan(1)
        expect(columns).toBeLessThan(6)
        const order = letters(6)
        await button("Move a.png").focus()
        await keyboard.press("Space")
        await keyboard.press(next)
        await namesAre("b.png", "a.png", ...order.slice(2))
        await keyboard.press("Escape")
        await namesAre(...order)
        await button("Move a.png").press("Space")
        await keyboard.press("ArrowDown")
        const down = order.toSpliced(0, 1).toSpliced(columns, 0, "a.png")
        await namesAre(...down)
        await keyboard.press("Escape")
        // To the side of the second card that lies behind it as the page runs.
        const from = await middleOf("Move a.png")
        const box = (await part("file").nth(1).boundingBox())!
        await mouse.move(from.x, from.y)
        await mouse.down()
        await mouse.move(box.x + box.width * (direction === "ltr" ? 0.8 : 0.2), box.y + box.height / 2, { steps: 5 })
        await mouse.up()
        await namesAre("b.png", "a.png", ...order.slice(2))
        await check()
      })
    }

    test("a bounded list scrolls while something is held at its end", async () => {
      await openList("", ...letters(20))
      const { mouse } = getPage()
      await part("file-list").evaluate((list) => list.scrollTo(0, 0))
      const from = await middleOf("Move a.png")
      const list = (await part("file-list").boundingBox())!
      await mouse.move(from.x, from.y)
      await mouse.down()
      await mouse.move(from.x, list.y + list.height - 4, { steps: 5 })
      await until(() =>
        part("file-list").evaluate((list) => list.scrollTop + list.clientHeight >= list.scrollHeight - 1),
      )
      await mouse.up()
      await expect.poll(async () => (await names()).at(-1)).toBe("a.png")
    })

    test("Delete on a handle keeps the place: on the next handle, and on a button of the last file, which has none", async () => {
      await open("component=dropzone&endpoint=anything&rows=reorder")
      await give("a.png", "b.png", "c.png")
      await button("Move b.png").focus()
      await getPage().keyboard.press("Delete")
      await namesAre("a.png", "c.png")
      await focusIs("Move c.png")
      await getPage().keyboard.press("Delete")
      await namesAre("a.png")
      await focusIs("Remove a.png")
      await getPage().keyboard.press("Control+z")
      await namesAre("a.png", "c.png")
      expect(complaints()).toEqual([])
    })

    test("a form's keys are in that order, and undo knows it", async () => {
      await open("form&name=photos&initial&mode=auto&rows=reorder")
      await button("Move two.png").focus()
      await until(async () => {
        await getPage().keyboard.press("Alt+ArrowUp")
        return (await names())[0] === "two.png"
      })
      await expect.poll(entries).toEqual(["stored-2", "stored-1"])
      expect(await told("value")).toEqual([["stored-2", "stored-1"]])
      await button("Remove two.png").click()
      await part("undo-button").click()
      await expect.poll(entries).toEqual(["stored-2", "stored-1"])
      expect(complaints()).toEqual([])
    })

    test("one file has no order, and nobody has a handle who has not asked", async () => {
      await open("component=dropzone&endpoint=anything&rows=reorder")
      await give("a.png")
      await part("file").waitFor()
      expect(await part("file-handle").count()).toBe(0)
      await open("component=dropzone&endpoint=anything")
      await give("a.png", "b.png")
      await part("file").last().waitFor()
      expect(await part("file-handle").count()).toBe(0)
    })
  })

  describe("another name", () => {
    const field = () => getPage().getByRole("textbox", { name: /^New name of/ })
    const openRows = async (query: string, ...files: ReadonlyArray<string>) => {
      await open(`component=dropzone&endpoint=anything&rows=rename&${query}`)
      await give(...files)
      await button(`Rename ${files.at(-1)}`).waitFor()
    }
    /** What renames is loaded with the first file. */
    const begin = (name: string) =>
      until(async () => {
        if ((await field().count()) === 0) await button(`Rename ${name}`).click()
        return (await field().count()) === 1
      })

    test("by the pencil: the extension stays, Enter takes, and that is the name that is sent; the picture stays", async () => {
      await openRows("", "IMG_1.png", "b.png")
      await says("2 files chosen")
      const picture = part("file").first().locator("img")
      await picture.waitFor()
      const address = await picture.getAttribute("src")
      await begin("IMG_1.png")
      expect(await field().inputValue()).toBe("IMG_1")
      expect(await field().evaluate((input: HTMLInputElement) => [input.selectionStart, input.selectionEnd])).toEqual([
        0, 5,
      ])
      expect(await part("name-extension").textContent()).toBe(".png")
      await check()
      await getPage().keyboard.type("Me at the beach")
      await getPage().keyboard.press("Enter")
      await namesAre("Me at the beach.png", "b.png")
      await focusIs("Rename Me at the beach.png")
      await says("IMG_1.png is now Me at the beach.png")
      expect((await told("change")).at(-1)).toEqual(["Me at the beach.png", "b.png"])
      expect(await picture.getAttribute("src")).toBe(address)
      await button("Upload 2 files").click()
      await rowBecomes("Me at the beach.png", "done")
      expect(getSite().puts.map(({ file }) => file)).toContain("Me at the beach.png")
      // What is sent has its name.
      expect(await part("file-rename").count()).toBe(0)
      expect(complaints()).toEqual([])
    })

    test("by F2; Escape gives up, leaving the field takes, a whole name is one, too", async () => {
      await openRows("", "a.png", "b.tar.gz")
      const { keyboard } = getPage()
      await until(async () => {
        await button("Remove a.png").focus()
        await keyboard.press("F2")
        return (await field().count()) === 1
      })
      await keyboard.type("x")
      await keyboard.press("Escape")
      await namesAre("a.png", "b.tar.gz")
      await focusIs("Rename a.png")
      await keyboard.press("F2")
      await keyboard.type("c.png")
      await keyboard.press("Tab")
      await namesAre("c.png", "b.tar.gz")
      expect(await field().count()).toBe(0)
      await begin("b.tar.gz")
      expect(await part("name-extension").textContent()).toBe(".tar.gz")
      // The pencil that began it ends it.
      await field().fill("d")
      await button("Rename b.tar.gz").click()
      await namesAre("c.png", "d.tar.gz")
      expect(await field().count()).toBe(0)
      expect(complaints()).toEqual([])
    })

    test("what cannot be a name is refused in words, and kept until it is one", async () => {
      await openRows("", "a.png")
      await begin("a.png")
      for (const [name, words] of [
        ["  ", /^Type a name/],
        ["2024/a", /^A name cannot contain/],
        ["a\\b", /^A name cannot contain/],
        ["n".repeat(1021), /too long/],
      ] as const) {
        await field().fill(name)
        await field().press("Enter")
        await expect.poll(() => part("name-mistake").textContent()).toMatch(words)
        expect(await field().getAttribute("aria-invalid")).toBe("true")
      }
      await check()
      await namesAre("a.png")
      // The page's button does not take it over the user's head.
      await field().fill("n".repeat(1020))
      expect(await part("name-mistake").textContent()).toBe("")
      await field().press("Enter")
      await namesAre(`${"n".repeat(1020)}.png`)
      expect(complaints()).toEqual([])
    })

    test("what was refused is still there when somebody comes back to its row in a long list", async () => {
      await open("component=dropzone&endpoint=anything&rows=rename")
      await give(...Array.from({ length: 60 }, (_, index) => `${index + 1}.png`))
      await button("Rename 1.png").waitFor()
      await begin("1.png")
      await field().fill("a/b")
      await field().press("Enter")
      await expect.poll(() => part("name-mistake").textContent()).toMatch(/^A name cannot contain/)
      await getPage().evaluate(() => (document.activeElement as HTMLElement).blur())
      const scroll = (top: number) => part("file-list").evaluate((list, top) => (list.scrollTop = top), top)
      await scroll(1e6)
      await button("Rename 60.png").waitFor()
      await scroll(0)
      await button("Rename 2.png").waitFor()
      expect(await field().inputValue()).toBe("a/b")
      await field().fill("c")
      await field().press("Enter")
      await until(async () => (await part("file").first().textContent())!.includes("c.png"))
    })

    test("in a form Enter renames, and sends nothing", async () => {
      await open("form&name=photos&submit&rows=rename")
      await give("a.png")
      await begin("a.png")
      await field().fill("b")
      await field().press("Enter")
      await namesAre("b.png")
      expect(await told("submit")).toEqual([])
      expect((await told("change")).at(-1)).toEqual(["b.png"])
      await button("Save").click()
      await until(async () => (await told("submit")).length === 1)
      expect(getSite().puts.map(({ file }) => file)).toEqual(["b.png"])
    })

    test("after a reload it goes on under the new name, with the file that has the old one", async () => {
      const large = { name: "a.png", mimeType: "image/png", buffer: Buffer.concat([pixel, Buffer.alloc(heldSize, 7)]) }
      const folder = await mkdtemp(join(tmpdir(), "sluice-rows-"))
      const path = join(folder, "a.png")
      await writeFile(path, large.buffer)
      const release = getSite().hold("b.png", 500_000)
      await open("component=dropzone&endpoint=anything&rows=rename&resume")
      await getPage().locator("input[type=file]").setInputFiles(path)
      await begin("a.png")
      await field().fill("b")
      await field().press("Enter")
      await button("Upload 1 file").click()
      await rowBecomes("b.png", "uploading")
      await expect.poll(() => part("file-state").textContent(), { timeout: 10_000 }).toMatch(/ [1-9]\d* %$/)
      await getPage().reload()
      const again = button(/ b\.png$/).filter({ hasText: "continue" })
      await again.waitFor()
      const [chooser] = await Promise.all([getPage().waitForEvent("filechooser"), again.click()])
      release()
      await chooser.setFiles(path)
      await rowBecomes("b.png", "done")
      expect(await part("question").count()).toBe(0)
      const puts = getSite().puts
      expect(puts.map(({ file }) => file)).toEqual(["b.png", "b.png"])
      expect(puts[1]!.key).toBe(puts[0]!.key)
      expect(puts[1]!.range).toMatch(/^bytes=[1-9]/)
      await rm(folder, { recursive: true, force: true })
    })
  })

  describe("a camera", () => {
    const input = () => getPage().locator("input[capture]")
    /** As a phone: its pointer is a finger. */
    const becomePhone = async () => {
      const session = await getPage().context().newCDPSession(getPage())
      await session.send("Emulation.setTouchEmulationEnabled", { enabled: true, maxTouchPoints: 5 })
      await session.send("Emulation.setEmulatedMedia", { features: [{ name: "pointer", value: "coarse" }] })
      await session.send("Emulation.setDeviceMetricsOverride", {
        width: 390,
        height: 800,
        deviceScaleFactor: 1,
        mobile: true,
      })
      return () => session.detach()
    }

    for (const [component, name] of [
      ["button", "photo.png"],
      ["dropzone", "photo.png"],
      ["avatar&endpoint=avatar", "photo.webp"],
    ] as const) {
      test(`${component.split("&")[0]}: it has a second button on phones, whose photo is a file like others`, async () => {
        const end = await becomePhone()
        await open(`component=${component}&mode=auto&capture=environment`)
        expect(await getPage().evaluate(() => matchMedia("(pointer: coarse)").matches)).toBe(true)
        expect([await input().getAttribute("capture"), await input().getAttribute("accept")]).toEqual([
          "environment",
          "image/*",
        ])
        const camera = part("camera-button")
        expect(await camera.textContent()).toBe("Take a photo")
        expect((await camera.boundingBox())!.height).toBeGreaterThanOrEqual(44)
        await check()
        const [chooser] = await Promise.all([getPage().waitForEvent("filechooser"), camera.click()])
        expect(await chooser.element().getAttribute("capture")).toBe("environment")
        await chooser.setFiles(png("photo.png"))
        // An avatar's photo is cropped as any picture is.
        if (name !== "photo.png") await getPage().getByRole("button", { name: "Use picture" }).click()
        await getPage().locator('[data-sluice="container"][data-state="done"]').waitFor()
        expect(await told("change")).toEqual([[name]])
        expect(complaints()).toEqual([])
        await end()
      })
    }

    test("nothing of it is seen with a mouse, nor where the route takes no photo", async () => {
      await open("component=dropzone&capture=user")
      expect(await part("camera-button").isVisible()).toBe(false)
      expect(await getPage().getByRole("button").count()).toBe(1)
      await open("component=dropzone&endpoint=documents&capture=user")
      expect(await input().count()).toBe(0)
      expect(await part("camera-button").count()).toBe(0)
      await open("component=dropzone")
      expect(await input().count()).toBe(0)
    })
  })
}
