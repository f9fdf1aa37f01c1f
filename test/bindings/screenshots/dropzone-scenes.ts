import { load, playBusy } from "./button-scenes.ts"
import { becomes, drag, hasBegun, press, rowBecomes, type Scene, settle, show } from "./stage.ts"

export const busy: Scene = { caption: "on its way, paused, cancelled, failed, done", play: (stage) => playBusy(stage) }

export const dropzone: ReadonlyArray<Scene> = [
  { caption: "loading", play: (stage) => load(stage, "dropzone") },
  { caption: "idle", play: (stage) => show(stage, "dropzone", { state: "idle" }) },
  {
    caption: "files held over it",
    play: async (stage) => {
      await show(stage, "dropzone", { state: "idle" })
      await drag(stage.page, ["a.png"])
    },
  },
  {
    caption: "a drag that is refused",
    play: async (stage) => {
      await show(stage, "dropzone", { state: "idle" })
      // What judges a drag comes with the first one.
      for (let left = 20; left > 0; left--) {
        await drag(stage.page, ["paper.pdf"])
        if ((await stage.page.locator('[data-drag="refused"]').count()) > 0) return
        await stage.page.waitForTimeout(100)
      }
      throw new Error("The drag was not refused.")
    },
  },
  {
    caption: "picked",
    play: async (stage) => {
      await show(stage, "dropzone&endpoint=anything", { files: ["sunset.png", "notes.txt"], state: "picked" })
      await settle(stage.page)
    },
  },
  busy,
  {
    caption: "one waits for its turn",
    play: async (stage) => {
      const held = ["1.png", "2.png", "3.png", "4.png", "5.png"]
      for (const name of held) stage.site.hold(name, 3_000_000)
      const query = "dropzone&endpoint=anything&mode=auto"
      await show(stage, query, { files: held, size: 9_900_000, state: "uploading" })
      await rowBecomes(stage.page, "5.png", "queued")
      await settle(stage.page)
    },
  },
  {
    caption: "paused",
    play: async (stage) => {
      stage.site.hold("sunset.png", 3_000_000)
      const query = "dropzone&endpoint=anything&mode=auto"
      await show(stage, query, { files: ["sunset.png"], size: 14_000_000, state: "uploading" })
      await settle(stage.page)
      await press(stage.page, "Pause all")
      await becomes(stage.page, "paused")
    },
  },
  {
    caption: "offline",
    play: async (stage) => {
      await show(stage, "dropzone", { files: ["sunset.png"], state: "picked" })
      await settle(stage.page)
      await stage.context.setOffline(true)
      await press(stage.page, "Upload 1 file")
      await rowBecomes(stage.page, "sunset.png", "waiting")
    },
  },
  {
    caption: "interrupted by a reload",
    play: async (stage) => {
      stage.site.hold("holiday.mp4", 3_000_000)
      const query = "dropzone&mode=auto&resume&endpoint=anything"
      await show(stage, query, { files: ["holiday.mp4"], size: 9_900_000, state: "uploading" })
      await hasBegun(stage.page)
      await stage.page.reload()
      await stage.page.getByRole("button", { name: "Discard" }).waitFor()
    },
  },
  {
    caption: "failed: what the route does not take",
    play: (stage) => show(stage, "dropzone", { files: ["notes.txt"], state: "failed" }),
  },
  { caption: "done", play: (stage) => show(stage, "dropzone&mode=auto", { files: ["done.png"], state: "done" }) },
  { caption: "disabled", play: (stage) => show(stage, "dropzone&disabled", { state: "disabled" }) },
]
