import { becomes, choose, press, rowBecomes, type Scene, settle, show, type Stage } from "./stage.ts"

/** The route handler does not answer. */
export const load = async ({ page, site }: Stage, component: string) => {
  await page.route("**/api/sluice", () => {})
  await page.goto(`${site.url}/?component=${component}`)
  await becomes(page, "loading")
}

const upload = async (stage: Stage) => {
  stage.site.hold("sunset.png", 9_000_000)
  await show(stage, "button&endpoint=anything", { files: ["sunset.png"], size: 30_000_000, state: "uploading" })
  await settle(stage.page)
}

export const button: ReadonlyArray<Scene> = [
  { caption: "loading", play: (stage) => load(stage, "button") },
  { caption: "idle", play: (stage) => show(stage, "button", { state: "idle" }) },
  {
    caption: "picked (manual)",
    play: (stage) => show(stage, "button&mode=manual", { files: ["sunset.png", "beach.png"], state: "picked" }),
  },
  { caption: "uploading", play: upload },
  {
    caption: "paused",
    play: async (stage) => {
      await upload(stage)
      await press(stage.page, "Pause")
      await becomes(stage.page, "paused")
    },
  },
  { caption: "done", play: (stage) => show(stage, "button", { files: ["done.png"], state: "done" }) },
  {
    caption: "failed: refused by the app",
    play: (stage) => show(stage, "button&endpoint=forbidden", { files: ["sunset.png"], state: "failed" }),
  },
  {
    caption: "failed: can be tried again",
    play: async (stage) => {
      stage.site.refuse("broken.png", 500, 99)
      await show(stage, "button", { files: ["broken.png"], state: "failed" })
    },
  },
  { caption: "disabled", play: (stage) => show(stage, "button&disabled", { state: "disabled" }) },
]

/** What a button shows seldom. */
export const seldomButton: ReadonlyArray<Scene> = [
  {
    caption: "button: several, of which one was refused",
    play: async (stage) => {
      await show(stage, "button", { files: ["a.png", "notes.txt", "b.png"], state: "failed" })
      await settle(stage.page)
    },
  },
  {
    caption: "button: too few",
    play: (stage) => show(stage, "button&endpoint=pair", { files: ["sunset.png"], state: "picked" }),
  },
  {
    caption: "button: removed, with undo",
    play: async (stage) => {
      await show(stage, "button&endpoint=avatar&form&name=photos", { files: ["done.png"], state: "done" })
      await press(stage.page, "Remove done.png")
      await stage.page.getByRole("button", { name: "Undo" }).waitFor()
    },
  },
  {
    caption: "button: offline",
    play: async (stage) => {
      await show(stage, "button&mode=manual", { files: ["sunset.png"], state: "picked" })
      await stage.context.setOffline(true)
      await press(stage.page, "Upload 1 file")
      await settle(stage.page)
    },
  },
  {
    caption: "button: three at once",
    play: async (stage) => {
      for (const name of ["a.png", "b.png"]) stage.site.hold(name, 3_000_000)
      const files = ["a.png", "b.png", "c.png"]
      await show(stage, "button&endpoint=anything", { files, size: 9_000_000, state: "uploading" })
      await settle(stage.page, 4_500)
    },
  },
  {
    caption: "button on a phone, with a camera",
    isPhone: true,
    play: (stage) => show(stage, "button&capture=environment", { state: "idle" }),
  },
  {
    caption: "button on a phone, uploading",
    isPhone: true,
    play: upload,
  },
]

/** Lets a dropzone have files that end in every way. */
export const playBusy = async (stage: Stage, query = "dropzone&endpoint=anything&mode=auto") => {
  const { page, site } = stage
  const held = ["sunset.png", "paused.png", "cancelled.png"]
  for (const name of held) site.hold(name, 3_000_000)
  site.refuse("broken.pdf", 500, 99)
  await show(stage, query, { files: held, size: 14_000_000, state: "uploading" })
  await choose(page, ["broken.pdf", "done.pdf"])
  await rowBecomes(page, "done.pdf", "done")
  await rowBecomes(page, "broken.pdf", "failed")
  await settle(page)
  // By what they do, whatever they are called.
  const act = (file: string, action: string) =>
    page.locator('[data-sluice="file"]', { hasText: file }).first().locator(`[data-action="${action}"]`).click()
  await act("cancelled.png", "cancel")
  await act("paused.png", "pause")
  await rowBecomes(page, "paused.png", "paused")
}
