import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { CDPSession, Locator, Page } from "playwright-core"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { heldSize, type Site } from "../bindings/start-site.ts"
import { pixel } from "../browser/pixel.ts"
import type { ChosenFile } from "../browser/chosen-files.ts"

/** What the tests of the bindings have at hand. */
interface BindingTools {
  readonly page: () => Page
  readonly site: () => Site
  readonly open: (query: string) => Promise<void>
  readonly choose: (button: Locator, files: ChosenFile | ReadonlyArray<ChosenFile>) => Promise<void>
  readonly told: (name: string) => Promise<Array<any>>
  readonly until: (condition: () => boolean | Promise<boolean>) => Promise<void>
  readonly complaints: () => ReadonlyArray<string>
}

const png = (name: string) => ({ name, mimeType: "image/png", buffer: pixel })
const pngs = (count: number) => Array.from({ length: count }, (_, index) => png(`${index}.png`))

/** Drags of real files, what is refused and why, and what would be lost. */
export const describeDrags = ({ page, site, open, choose, told, until, complaints }: BindingTools): void => {
  let folder: string
  let network: CDPSession
  /** Paths of files and a folder on disk, which alone can be dragged as a user does. */
  const at = (name: string) => join(folder, name)

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "sluice-drags-"))
    await mkdir(at("holiday"))
    await Promise.all([
      ...["1.png", "2.png", "3.png", "4.png", "5.png", "holiday/6.png"].map((name) => writeFile(at(name), pixel)),
      writeFile(at("paper.pdf"), "%PDF-1.7"),
    ])
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))
  beforeEach(async () => {
    network = await page().context().newCDPSession(page())
  })

  const zone = () => page().locator('[data-sluice="container"]').first()
  const main = () => page().locator('[data-sluice="button"]').first()
  const part = (name: string) => page().locator(`[data-sluice="${name}"]`)
  const row = (file: string) => page().locator('[data-sluice="file"]', { hasText: file })
  const rowBecomes = (file: string, state: string) =>
    page().locator(`[data-sluice="file"][data-state="${state}"]`, { hasText: file }).waitFor()
  const dragIs = (fit: string) => page().locator(`[data-sluice="container"][data-drag="${fit}"]`).first().waitFor()
  const text = (name: string) => part(name).first().textContent()

  type DragType = "dragEnter" | "dragOver" | "drop"
  const drag = async (type: DragType, names: ReadonlyArray<string>, where: { x: number; y: number }) => {
    const data = { items: [], files: names.map(at), dragOperationsMask: 1 }
    await network.send("Input.dispatchDragEvent", { type, ...where, data })
  }
  const middleOf = async (element: Locator) => {
    const { x, y, width, height } = (await element.boundingBox())!
    return { x: x + width / 2, y: y + height / 2 }
  }
  const beside = async () => {
    const { x, y, height } = (await zone().boundingBox())!
    return { x: x + 5, y: y + height + 150 }
  }
  const hold = async (names: ReadonlyArray<string>, where: { x: number; y: number }) => {
    // The first over what has come under the pointer meanwhile, a longer label say, is an enter again.
    for (const type of ["dragEnter", "dragOver", "dragOver", "dragOver"] as const) await drag(type, names, where)
  }
  /** What each drag over the page would do, by the last who has a say. */
  const watchEffects = () =>
    page().evaluate(() => {
      const seen: Array<string> = []
      Object.assign(globalThis, { effects: seen })
      addEventListener("dragover", ({ dataTransfer }) => seen.push(dataTransfer!.dropEffect))
    })
  const effectIs = (expected: string) => until(async () => (await effect()) === expected)
  const effect = () => page().evaluate(() => (globalThis as unknown as { effects: Array<string> }).effects.at(-1))

  describe("a drag tells the truth", () => {
    test.each([
      ["what fits", ["1.png", "2.png"], "over", "copy", "Drop the files to add them"],
      ["a PDF over images", ["paper.pdf"], "refused", "none", "Only images, 4\u00a0MB each"],
      ["some of it", ["1.png", "2.png", "paper.pdf"], "partly", "copy", "2 of these 3 can be added"],
      ["too many", ["1.png", "2.png", "3.png", "4.png", "5.png"], "partly", "copy", "3 of these 5 can be added"],
      ["a folder", ["holiday"], "over", "copy", "Drop the files to add them"],
    ] as const)("%s", async (_, names, fit, dropEffect, says) => {
      await open("component=dropzone")
      await watchEffects()
      await hold(names, await middleOf(zone()))
      await dragIs(fit)
      await effectIs(dropEffect)
      expect(await text("label")).toBe(says)
      expect(complaints()).toEqual([])
    })

    test("what is refused is not taken; what fits is", async () => {
      await open("component=dropzone")
      const where = await middleOf(zone())
      await hold(["paper.pdf"], where)
      await dragIs("refused")
      await drag("drop", ["paper.pdf"], where)
      await hold(["1.png", "paper.pdf"], where)
      await drag("drop", ["1.png", "paper.pdf"], where)
      await rowBecomes("1.png", "picked")
      await rowBecomes("paper.pdf", "failed")
      expect(await part("file").count()).toBe(2)
      expect(await zone().getAttribute("data-drag")).toBe(null)
    })

    test("places that are taken count", async () => {
      await open("component=dropzone")
      await choose(main(), pngs(3))
      await hold(["1.png"], await middleOf(part("area")))
      await dragIs("refused")
      expect(await text("label")).toBe("No more files can be added")
    })

    test("the button says it in its line", async () => {
      await open("component=button")
      await hold(["paper.pdf"], await middleOf(zone()))
      await dragIs("refused")
      expect(await text("allowed-content")).toBe("Only images, 4\u00a0MB each")
    })

    test("a drag that ends, by Escape say, is over, although a leave names nobody then; nor does it in Safari", async () => {
      await open("component=dropzone")
      const where = await middleOf(zone())
      /** The driver can end a drag only by a drop: what browsers send instead is sent by hand. */
      const leave = (point: { x: number; y: number }) =>
        part("label").evaluate((label, { x, y }) => {
          label.dispatchEvent(new DragEvent("dragleave", { bubbles: true, clientX: x, clientY: y }))
        }, point)
      await hold(["1.png"], where)
      await dragIs("over")
      await leave({ x: 0, y: 0 })
      expect(await zone().getAttribute("data-drag")).toBe(null)
      await hold(["1.png"], where)
      await dragIs("over")
      // A child is left and the pointer is still within: if the drag goes on it stays so, else it is over.
      await leave(where)
      expect(await zone().getAttribute("data-drag")).toBe("over")
      await page().locator('[data-sluice="container"]:not([data-drag])').waitFor()
      await drag("dragOver", ["1.png"], where)
      await dragIs("over")
    })
  })

  describe("limits", () => {
    test("what was too many is picked once there is room, and what was not stays", async () => {
      await open("component=dropzone")
      await choose(main(), pngs(4))
      await rowBecomes("3.png", "failed")
      expect(await row("3.png").textContent()).toContain("Too many: at most 3 images.")
      await page().getByRole("button", { name: "Remove 1.png" }).click()
      await rowBecomes("3.png", "picked")
      expect((await told("change")).at(-1)).toEqual(["0.png", "2.png", "3.png"])
      await page().getByRole("button", { name: "Upload 3 files" }).click()
      await rowBecomes("3.png", "done")
    })

    test("too few: the upload waits, and says for what", async () => {
      await open("component=dropzone&endpoint=pair")
      await choose(main(), png("a.png"))
      await rowBecomes("a.png", "picked")
      const upload = page().getByRole("button", { name: "Upload 1 file" })
      expect(await upload.getAttribute("aria-disabled")).toBe("true")
      const description = await upload.getAttribute("aria-describedby")
      expect(await page().locator(`[id="${description}"]`).textContent()).toBe("Choose at least 1 more image")
      await upload.click({ force: true })
      await choose(main(), png("b.png"))
      await rowBecomes("b.png", "picked")
      expect(await part("missing").count()).toBe(0)
      expect(await told("begin")).toEqual([])
      await page().getByRole("button", { name: "Upload 2 files" }).click()
      await rowBecomes("b.png", "done")
      expect(await told("error")).toEqual([])
    })

    test("too few for a button that uploads at once: it asks for more, and starts when there are enough", async () => {
      await open("component=button&endpoint=pair")
      await choose(main(), png("a.png"))
      await part("allowed-content").getByText("Choose at least 1 more image").waitFor()
      expect(await main().textContent()).toBe("Choose files")
      await choose(main(), png("b.png"))
      await until(async () => (await told("complete")).length === 1)
      expect((await told("complete"))[0].length).toBe(2)
    })
  })

  describe("errors", () => {
    test("what many files share is said once, and nobody is asked to try again what cannot help", async () => {
      await open("component=dropzone&mode=auto&endpoint=forbidden")
      await choose(main(), pngs(10))
      await part("notice").waitFor()
      expect(await part("notice").count()).toBe(1)
      expect(await part("notice").textContent()).toBe("Sign in first.10 files are affected")
      expect(await part("file-state").allTextContents()).toEqual(Array.from({ length: 10 }, () => "Not uploaded"))
      expect(await page().getByRole("button", { name: /^Try/ }).count()).toBe(0)
    })

    test("errors that differ stay with their files", async () => {
      await open("component=dropzone")
      const text = { name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("a") }
      const empty = { name: "b.png", mimeType: "image/png", buffer: Buffer.alloc(0) }
      await choose(main(), [text, empty])
      await rowBecomes("a.txt", "failed")
      expect(await part("notice").count()).toBe(0)
      expect(await row("b.png").textContent()).toContain("The file is empty.")
    })

    test("a server that cannot now is waited for, seen to be, and asked at once on request", async () => {
      for (const file of ["0.png", "1.png"]) site().refuse(file, 503, 1)
      await open("component=dropzone&mode=auto&patience=30000")
      await choose(main(), pngs(2))
      await part("notice").waitFor()
      expect(await part("notice").textContent()).toBe(
        "The server answered with an error, trying again2 files are affected",
      )
      const countdown = row("0.png").locator('[data-sluice="retry-in"]')
      expect(await countdown.getAttribute("aria-hidden")).toBe("true")
      const before = await countdown.textContent()
      await until(async () => (await countdown.textContent()) !== before)
      await page().getByRole("button", { name: "Try now 0.png" }).click()
      await rowBecomes("0.png", "done")
      expect(await row("1.png").getAttribute("data-state")).toBe("waiting")
      await page().getByRole("button", { name: "Try now 1.png" }).click()
      await rowBecomes("1.png", "done")
      expect(await told("error")).toEqual([])
    })

    test("all that wait are tried now by one button", async () => {
      for (const file of ["0.png", "1.png", "2.png"]) site().refuse(file, 503, 1)
      await open("component=dropzone&mode=auto&patience=30000")
      await choose(main(), pngs(3))
      await part("try-now").click()
      for (const file of ["0.png", "1.png", "2.png"]) await rowBecomes(file, "done")
    })
  })

  describe("beside the component", () => {
    const url = () => page().evaluate(() => location.href)

    test("a dropped file does not replace the page", async () => {
      await open("component=dropzone")
      const before = await url()
      await watchEffects()
      await hold(["1.png"], await beside())
      await effectIs("none")
      const pages = page().context().pages().length
      const isPrevented = await page().evaluate(() => {
        const dataTransfer = new DataTransfer()
        dataTransfer.items.add(new File(["a"], "a.txt"))
        return !document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }))
      })
      expect(isPrevented).toBe(true)
      await drag("drop", ["1.png"], await beside())
      expect(await url()).toBe(before)
      expect(page().context().pages().length).toBe(pages)
      expect(await told("change")).toEqual([])
    })

    test("nor after a drag of the page's own whose element was removed, and whose end nobody is told", async () => {
      await open("component=dropzone")
      await page().evaluate(() => {
        document.body.insertAdjacentHTML("beforeend", `<p id="card" draggable="true">Card</p><p id="column">Column</p>`)
        const column = document.getElementById("column")!
        const card = () => document.getElementById("card")!
        card().addEventListener("dragstart", (event) => event.dataTransfer!.setData("text/plain", "card"))
        column.addEventListener("dragover", (event) => event.preventDefault())
        column.addEventListener("drop", (event) => {
          event.preventDefault()
          event.stopPropagation()
          card().remove()
        })
      })
      const [card, column] = [await middleOf(page().locator("#card")), await middleOf(page().locator("#column"))]
      await page().mouse.move(card.x, card.y)
      await page().mouse.down()
      await page().mouse.move(column.x, column.y, { steps: 5 })
      await page().mouse.up()
      await page().locator("#card").waitFor({ state: "detached" })
      await until(() =>
        page().evaluate(() => {
          const dataTransfer = new DataTransfer()
          dataTransfer.items.add(new File(["a"], "a.txt"))
          return !document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }))
        }),
      )
      expect(await told("change")).toEqual([])
    })

    test("a picture of the page that is dragged over it stays its own until it is dropped", async () => {
      await open("component=dropzone")
      const isPrevented = await page().evaluate(() => {
        const dataTransfer = new DataTransfer()
        dataTransfer.items.add(new File(["a"], "a.png", { type: "image/png" }))
        return ["dragstart", "dragenter", "dragover", "drop"].map(
          (type) =>
            !document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true })),
        )
      })
      expect(isPrevented).toEqual([false, false, false, false])
    })

    test("who else takes files on the page still does", async () => {
      await open("component=dropzone&page=Photos")
      await page().evaluate(() => {
        document.body.insertAdjacentHTML("beforeend", `<input type="file" id="field"><div id="other">Other</div>`)
        const other = document.getElementById("other")!
        other.addEventListener("dragover", (event) => event.preventDefault())
        other.addEventListener("drop", (event) => {
          event.preventDefault()
          other.textContent = event.dataTransfer!.files[0]!.name
        })
      })
      for (const id of ["field", "other"]) {
        const where = await middleOf(page().locator(`#${id}`))
        await hold(["2.png"], where)
        await part("page-drop").waitFor()
        await drag("drop", ["2.png"], where)
        await part("page-drop").waitFor({ state: "detached" })
      }
      await page().locator("#other", { hasText: "2.png" }).waitFor()
      expect(
        await page()
          .locator("#field")
          .evaluate((field: HTMLInputElement) => field.files?.[0]?.name),
      ).toBe("2.png")
      expect(await told("change")).toEqual([])
    })

    test("a page that takes files anywhere shows where they go, and lets them", async () => {
      await open("component=dropzone&page=Photos")
      const where = await beside()
      await hold(["1.png"], where)
      await part("page-drop").waitFor()
      expect(await part("page-drop-zone").allTextContents()).toEqual(["Drop to add to Photos"])
      await drag("dragOver", ["1.png"], where)
      await drag("drop", ["1.png"], where)
      await rowBecomes("1.png", "picked")
      expect(await part("page-drop").count()).toBe(0)
      expect(await zone().getAttribute("data-drag")).toBe(null)
      expect(complaints()).toEqual([])
    })

    test("of two the one under the pointer takes them, else the nearest that can", async () => {
      await open("component=dropzone&page=Photos&second=Papers")
      await page().locator('[data-sluice="container"]:not([data-state="loading"]) >> nth=1').waitFor()
      const [photos, papers] = [zone(), page().locator('[data-sluice="container"]').nth(1)]
      const chosen = () => part("page-drop").locator('[data-chosen="true"]').allTextContents()
      // Beside both, nearer to the photos, which take no PDF.
      const { x, y } = (await photos.boundingBox())!
      const above = { x: x + 5, y: y - 20 }
      await hold(["paper.pdf"], above)
      await part("page-drop").waitFor()
      await drag("dragOver", ["paper.pdf"], above)
      expect(await part("page-drop-zone").allTextContents()).toEqual([
        "Only images, 4\u00a0MB each",
        "Drop to add to Papers",
      ])
      expect(await chosen()).toEqual(["Drop to add to Papers"])
      await drag("drop", ["paper.pdf"], above)
      await papers.locator('[data-sluice="file"]', { hasText: "paper.pdf" }).waitFor()
      // Both could: the nearer.
      await hold(["1.png"], above)
      await drag("dragOver", ["1.png"], above)
      await until(async () => (await chosen())[0] === "Drop to add to Photos")
      const over = await middleOf(papers.locator('[data-sluice="area"]'))
      await drag("dragOver", ["1.png"], over)
      await until(async () => (await chosen())[0] === "Drop to add to Papers")
      await drag("drop", ["1.png"], over)
      await papers.locator('[data-sluice="file"]', { hasText: "1.png" }).waitFor()
      expect(await photos.locator('[data-sluice="file"]').count()).toBe(0)
    })

    test("Escape closes it, and nothing is taken until the drag comes back", async () => {
      await open("component=dropzone&page=Photos")
      const where = await beside()
      await hold(["1.png"], where)
      await part("page-drop").waitFor()
      await page().keyboard.press("Escape")
      await part("page-drop").waitFor({ state: "detached" })
      expect(await zone().getAttribute("data-drag")).toBe(null)
      await drag("dragOver", ["1.png"], where)
      expect(await part("page-drop").count()).toBe(0)
      await page().evaluate(() => document.body.dispatchEvent(new DragEvent("dragleave", { bubbles: true })))
      await page().evaluate(() => {
        const dataTransfer = new DataTransfer()
        dataTransfer.items.add(new File(["a"], "a.png", { type: "image/png" }))
        document.body.dispatchEvent(new DragEvent("dragenter", { dataTransfer, bubbles: true, cancelable: true }))
      })
      await part("page-drop").waitFor()
      expect(await told("change")).toEqual([])
    })
  })

  describe("leaving the page", () => {
    /** Whether the browser asks before a reload. */
    const asks = async () => {
      let isAsked = false
      const answer = (dialog: { type: () => string; dismiss: () => Promise<void> }) => {
        isAsked = dialog.type() === "beforeunload"
        return dialog.dismiss()
      }
      page().once("dialog", answer)
      await page()
        .evaluate(() => {
          const event = new Event("beforeunload", { cancelable: true })
          return !dispatchEvent(event)
        })
        .then((isPrevented) => (isAsked = isPrevented))
      page().off("dialog", answer)
      return isAsked
    }

    test("is asked about only while something would be lost", async () => {
      const release = site().hold("0.png", 10)
      await open("component=dropzone&endpoint=anything")
      expect(await asks()).toBe(false)
      await choose(main(), { ...png("0.png"), buffer: Buffer.concat([pixel, Buffer.alloc(heldSize)]) })
      await rowBecomes("0.png", "picked")
      expect(await asks()).toBe(false)
      await page().getByRole("button", { name: "Upload 1 file" }).click()
      await rowBecomes("0.png", "uploading")
      expect(await asks()).toBe(true)
      // The browser itself, which shows its question only to those who have used the page.
      const [dialog] = await Promise.all([page().waitForEvent("dialog"), page().close({ runBeforeUnload: true })])
      expect(dialog.type()).toBe("beforeunload")
      await dialog.dismiss()
      release()
      await rowBecomes("0.png", "done")
      expect(await asks()).toBe(false)
    })

    test("needs no question where a resume store keeps the uploads", async () => {
      site().hold("0.png", 10)
      await open("component=dropzone&mode=auto&endpoint=anything&resume")
      await choose(main(), { ...png("0.png"), buffer: Buffer.concat([pixel, Buffer.alloc(heldSize)]) })
      await rowBecomes("0.png", "uploading")
      expect(await asks()).toBe(false)
    })
  })

  describe("interrupted uploads", () => {
    const large = (name: string) => ({ name, mimeType: "application/pdf", buffer: Buffer.alloc(3_000_000, 1) })
    const interrupt = async (...names: ReadonlyArray<string>) => {
      for (const name of names) site().hold(name, 500_000)
      await open("component=dropzone&mode=auto&endpoint=anything&resume")
      await choose(main(), names.map(large))
      await until(() => site().inFlight() === names.length)
      await page().reload()
      await part("interrupted-file")
        .nth(names.length - 1)
        .waitFor()
    }
    const again = (name: string) => page().getByRole("button", { name: `Choose it again to continue ${name}` })

    test("another file than the one that was asked for is asked about", async () => {
      await interrupt("a.pdf")
      await choose(again("a.pdf"), png("b.png"))
      await part("question").waitFor()
      expect(await text("question")).toBe("b.png This is another file (2.9\u00a0MB expected). Upload it as well?")
      expect(await part("file").count()).toBe(0)
      await page().getByRole("button", { name: "Leave out b.png" }).click()
      await again("a.pdf").waitFor()
      await choose(again("a.pdf"), png("b.png"))
      await page().getByRole("button", { name: "Upload as well b.png" }).click()
      await rowBecomes("b.png", "done")
      expect(await again("a.pdf").count()).toBe(1)
      // Through the main button nobody asks.
      await choose(main(), png("c.png"))
      await rowBecomes("c.png", "done")
    })

    test("several are resumed, or discarded, together", async () => {
      await interrupt("a.pdf", "b.pdf")
      const [chooser] = await Promise.all([
        page().waitForEvent("filechooser"),
        page().getByRole("button", { name: "Continue all" }).click(),
      ])
      await chooser.setFiles([])
      await page().getByRole("button", { name: "Discard all" }).click()
      await part("interrupted-file").first().waitFor({ state: "detached" })
      await page().reload()
      await main().waitFor()
      expect(await part("interrupted-file").count()).toBe(0)
    })
  })
}
