import { playBusy } from "./button-scenes.ts"
import { choose, drag, hasBegun, open, press, rowBecomes, type Scene, settle, show } from "./stage.ts"

const long = `Quarterly-financial-report_FINAL_v2_really-final (copy 3) ${"with a name that goes on ".repeat(3)}2026.docx`

/** What is done to rows, and what a dropzone shows seldom. */
export const rows: ReadonlyArray<Scene> = [
  {
    caption: "removed, with undo",
    play: async (stage) => {
      await show(stage, "dropzone", { files: ["sunset.png", "beach.png", "sea.png"], state: "picked" })
      await settle(stage.page)
      await press(stage.page, "Remove beach.png")
      await stage.page.getByRole("button", { name: "Undo" }).waitFor()
    },
  },
  {
    caption: "another order and other names, beside what is stored",
    play: async (stage) => {
      await show(stage, "dropzone&endpoint=anything&rows=reorder,rename&initial", {
        files: ["sunset.png", "notes.txt"],
        state: "picked",
      })
      await stage.page.getByRole("button", { name: "Move sunset.png", exact: true }).waitFor()
      await settle(stage.page)
    },
  },
  {
    caption: "another order: lifted",
    play: async (stage) => {
      await show(stage, "dropzone&endpoint=anything&rows=reorder&initial", {
        files: ["sunset.png", "notes.txt"],
        state: "picked",
      })
      await settle(stage.page)
      await press(stage.page, "Move notes.txt")
    },
  },
  {
    caption: "another name: refused",
    play: async (stage) => {
      const { page } = stage
      await show(stage, "dropzone&endpoint=anything&rows=reorder,rename", {
        files: ["sunset.png", "notes.txt"],
        state: "picked",
      })
      await settle(page)
      await press(page, "Rename sunset.png")
      await page.locator('[data-sluice="name-input"]').fill("sun/set")
      await page.keyboard.press("Enter")
      await settle(page, 200)
    },
  },
  {
    caption: "cards, with order and names",
    play: async (stage) => {
      await show(stage, "dropzone&endpoint=anything&rows=reorder,rename&previews=grid&initial", {
        files: ["sunset.png", "notes.txt", long],
        state: "picked",
      })
      await settle(stage.page)
    },
  },
  {
    caption: "in every way, with handles",
    play: (stage) => playBusy(stage, "dropzone&endpoint=anything&mode=auto&rows=reorder,rename"),
  },
  {
    caption: "stored, waiting for the app",
    play: async (stage) => {
      stage.site.holdCallbacks()
      await show(stage, "dropzone&mode=auto&endpoint=anything", {
        files: ["sunset.png", "paper.pdf"],
        state: "uploading",
      })
      await rowBecomes(stage.page, "sunset.png", "processing")
    },
  },
  {
    caption: "waiting to try again",
    play: async (stage) => {
      stage.site.refuse("sunset.png", 503, 99)
      stage.site.refuse("paper.pdf", 503, 99)
      await open(stage, "dropzone&mode=auto&endpoint=anything&patience=60000")
      await choose(stage.page, ["sunset.png", "paper.pdf"])
      await rowBecomes(stage.page, "paper.pdf", "waiting")
      await settle(stage.page, 300)
    },
  },
  {
    caption: "failed: one reason of many, in a long message",
    play: async (stage) => {
      await stage.page.route("**/api/sluice*", async (route) => {
        const response = await route.fetch()
        const text = await response.text()
        const body = text.replaceAll(
          "Sign in first.",
          "Your plan has room for 2 GB, of which 1.98 GB are in use. Delete what is no longer needed, or ask whoever pays for more.",
        )
        await route.fulfill({ response, body })
      })
      await show(stage, "dropzone&endpoint=forbidden&mode=auto", {
        files: ["a.png", "b.pdf", "c.txt"],
        state: "failed",
      })
    },
  },
  {
    caption: "failed: each for its own reason",
    play: (stage) =>
      show(stage, "dropzone", {
        files: ["a.png", "b.png", "c.png", "d.png", "notes.txt", long],
        size: 100,
        state: "picked",
      }),
  },
  {
    caption: "long names, folders apart, DOCX",
    play: async (stage) => {
      await show(stage, "dropzone&endpoint=documents", { files: [long], state: "failed" })
    },
  },
  {
    caption: "chosen, long names",
    play: (stage) => show(stage, "dropzone&endpoint=anything", { files: [long, `other ${long}`], state: "picked" }),
  },
  {
    caption: "interrupted, long name, another file chosen",
    play: async (stage) => {
      for (const name of [long, "holiday.mp4"]) stage.site.hold(name, 3_000_000)
      const query = "dropzone&mode=auto&resume&endpoint=anything"
      await show(stage, query, { files: [long, "holiday.mp4"], size: 9_900_000, state: "uploading" })
      await rowBecomes(stage.page, "holiday.mp4", "uploading")
      await hasBegun(stage.page)
      await stage.page.reload()
      const again = stage.page.getByRole("button", { name: /again/ }).first()
      const [chooser] = await Promise.all([stage.page.waitForEvent("filechooser"), again.click()])
      await chooser.setFiles({ name: "another.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.7") })
      await settle(stage.page)
    },
  },
  {
    caption: "a form that lacks files",
    play: async (stage) => {
      await show(stage, "dropzone&endpoint=pair&form&name=photos", { files: ["sunset.png"], state: "picked" })
      await settle(stage.page)
    },
  },
  {
    caption: "a form that was sent with a file that failed",
    play: async (stage) => {
      await show(stage, "dropzone&form&name=photos&initial", { files: ["notes.txt"], state: "failed" })
      await press(stage.page, "Save")
      await settle(stage.page, 300)
    },
  },
  {
    caption: "sixty files",
    play: async (stage) => {
      const files = Array.from({ length: 60 }, (_, index) => `${index + 1}.${["png", "pdf", "txt"][index % 3]}`)
      await show(stage, "dropzone&endpoint=anything", { files, size: 20_000, state: "picked" })
      await settle(stage.page, 2_000)
    },
  },
  {
    caption: "sixty files, uploading",
    play: async (stage) => {
      const files = Array.from({ length: 60 }, (_, index) => `${index + 1}.pdf`)
      for (const name of files.slice(12)) stage.site.hold(name, 10_000)
      await show(stage, "dropzone&endpoint=anything&mode=auto", { files, size: 600_000, state: "uploading" })
      await rowBecomes(stage.page, "12.pdf", "done")
      await settle(stage.page, 4_000)
    },
  },
  {
    caption: "dropped on the page",
    isOver: true,
    again: (page) => drag(page, ["a.png"], "main"),
    play: async (stage) => {
      await show(stage, "dropzone&page=Photos&second=Covers", { state: "idle" })
      for (let left = 20; left > 0; left--) {
        await drag(stage.page, ["a.png"], "main")
        if ((await stage.page.locator('[data-sluice="page-drop-zone"]').count()) > 0) return
        await stage.page.waitForTimeout(100)
      }
    },
  },
]
