import { playBusy } from "./button-scenes.ts"
import { choose, open, press, rowBecomes, type Scene, settle, show, type Stage, sunset } from "./stage.ts"

const crop = async (stage: Stage, query = "avatar&endpoint=avatar") => {
  await open(stage, query)
  const main = stage.page.locator('[data-sluice="button"]')
  const [chooser] = await Promise.all([stage.page.waitForEvent("filechooser"), main.click()])
  const buffer = Buffer.from((await sunset(stage.page)).split(",")[1]!, "base64")
  await chooser.setFiles({ name: "me.png", mimeType: "image/png", buffer })
  await stage.page.locator('[data-sluice="crop-stage"]').waitFor()
  await settle(stage.page, 400)
}

/** Uploads of which one has failed, one is stored, one is held. */
const fillTray = async (stage: Stage, query = "", names = ["sunset.png", "broken.pdf", "done.pdf"]) => {
  stage.site.hold("sunset.png", 3_000_000)
  stage.site.refuse("broken.pdf", 500, 99)
  await open(stage, `dropzone&uploads&endpoint=anything&mode=auto${query}`)
  await choose(stage.page, names, 6_000_000)
  await rowBecomes(stage.page, names.at(-1)!, "done")
  await settle(stage.page)
}

/** Avatar, tray, phones and languages. */
export const others: ReadonlyArray<Scene> = [
  { caption: "avatar: none yet", play: (stage) => show(stage, "avatar&endpoint=avatar", { state: "idle" }) },
  {
    caption: "avatar: stored",
    play: async (stage) => {
      await stage.page.goto(stage.site.url)
      const picture = encodeURIComponent(await sunset(stage.page))
      await open(stage, `avatar&endpoint=avatar&picture=${picture}`)
      await settle(stage.page, 300)
    },
  },
  {
    caption: "avatar: uploading",
    play: async (stage) => {
      stage.site.hold("me.png", 9_000_000)
      await open(stage, "avatar&endpoint=anything&crop=false")
      await choose(stage.page, ["me.png"], 30_000_000)
      await settle(stage.page)
    },
  },
  {
    caption: "avatar: failed",
    play: async (stage) => {
      stage.site.refuse("me.png", 500, 99)
      await open(stage, "avatar&endpoint=avatar&crop=false")
      await choose(stage.page, ["me.png"])
      await stage.page.locator('[data-component="avatar"][data-state="failed"]').waitFor()
    },
  },
  {
    caption: "avatar: removed, with undo",
    play: async (stage) => {
      await stage.page.goto(stage.site.url)
      const picture = encodeURIComponent(await sunset(stage.page))
      await open(stage, `avatar&endpoint=avatar&picture=${picture}`)
      await stage.page.getByRole("button", { name: /^Remove/ }).click()
      await stage.page.getByRole("button", { name: "Undo" }).waitFor()
    },
  },
  { caption: "avatar: crop", isOver: true, play: (stage) => crop(stage) },
  { caption: "avatar: crop on a phone", isOver: true, isPhone: true, play: (stage) => crop(stage) },
  {
    caption: "tray: open",
    isOver: true,
    play: async (stage) => {
      await fillTray(stage)
      // Unfolded by hand it stays so where there is little room.
      await stage.page.locator('[data-action="fold"]').click()
      await stage.page.locator('[data-action="fold"]').click()
    },
  },
  {
    caption: "tray: folded",
    isOver: true,
    play: async (stage) => {
      await fillTray(stage)
      await stage.page.locator('[data-action="fold"]').click()
    },
  },
  {
    caption: "tray: at the end",
    isOver: true,
    play: (stage) => fillTray(stage, "", ["a.png", "broken.pdf", "done.pdf"]),
  },
  {
    caption: "tray on a phone, open",
    isOver: true,
    isPhone: true,
    play: async (stage) => {
      await stage.page.setViewportSize({ width: 390, height: 760 })
      await fillTray(stage)
      await stage.page.locator('[data-action="fold"]').click()
    },
  },
  {
    caption: "dropzone on a phone, with a camera",
    isPhone: true,
    play: (stage) => show(stage, "dropzone&capture=environment", { state: "idle" }),
  },
  {
    caption: "dropzone on a phone, chosen, order and names",
    isPhone: true,
    play: async (stage) => {
      await show(stage, "dropzone&endpoint=anything&rows=reorder,rename&initial", {
        files: ["sunset.png", "notes.txt"],
        state: "picked",
      })
      await settle(stage.page)
      await press(stage.page, "Rename sunset.png")
      await settle(stage.page, 200)
    },
  },
  {
    caption: "dropzone on a phone, uploading",
    isPhone: true,
    play: async (stage) => {
      await playBusy(stage)
      await settle(stage.page, 4_000)
    },
  },
  ...(["de", "ja", "ar", "he"] as const).map((language) => ({
    caption: `language ${language}: idle`,
    play: (stage: Stage) => show(stage, `dropzone&language=${language}`, { state: "idle" }),
  })),
  ...(["de", "ja", "ar", "he"] as const).map((language) => ({
    caption: `language ${language}: in every way`,
    play: async (stage: Stage) => {
      await playBusy(stage, `dropzone&endpoint=anything&mode=auto&rows=reorder&language=${language}`)
      await settle(stage.page, 4_000)
    },
  })),
  {
    caption: "language de: crop",
    isOver: true,
    play: (stage) => crop(stage, "avatar&endpoint=avatar&language=de"),
  },
]
