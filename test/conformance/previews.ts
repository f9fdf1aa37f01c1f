import type { Page } from "playwright-core"
import { describe, expect, test } from "vitest"
import { makePng } from "../browser/make-png.ts"

/** The page a suite has opened, and what it does there. */
interface PreviewStage {
  readonly page: () => Page
  readonly open: (query: string) => Promise<void>
  readonly rowBecomes: (file: string, state: string) => Promise<void>
  readonly until: (condition: () => boolean | Promise<boolean>) => Promise<void>
}

declare global {
  interface Window {
    /** Object URLs that were made, and those of them that were not given back. */
    objectUrls: { made: number; readonly live: Set<string> }
    /** Pictures that were decoded, and how many of them at once. */
    decoded: { readonly sizes: Array<readonly [number, number]>; now: number; most: number }
  }
}

interface GivenFile {
  readonly name: string
  readonly mimeType: string
  readonly buffer: Buffer
}

const watchPictures = () => {
  const { createObjectURL, revokeObjectURL } = URL
  const decode = globalThis.createImageBitmap as (...args: ReadonlyArray<unknown>) => Promise<ImageBitmap>
  window.objectUrls = { made: 0, live: new Set() }
  window.decoded = { sizes: [], now: 0, most: 0 }
  URL.createObjectURL = (object) => {
    const url = createObjectURL.call(URL, object)
    window.objectUrls.made++
    window.objectUrls.live.add(url)
    return url
  }
  URL.revokeObjectURL = (url) => {
    window.objectUrls.live.delete(url)
    revokeObjectURL.call(URL, url)
  }
  const count = async (...args: ReadonlyArray<unknown>) => {
    const { decoded } = window
    decoded.most = Math.max(decoded.most, ++decoded.now)
    try {
      const bitmap = await decode(...args)
      decoded.sizes.push([bitmap.width, bitmap.height])
      return bitmap
    } finally {
      decoded.now--
    }
  }
  Object.assign(globalThis, { createImageBitmap: count })
}

/** A picture whose upper left corner is red, the rest blue. */
const paint = async (page: Page, type: string, width: number, height: number): Promise<Buffer> => {
  const base64 = await page.evaluate(
    ([type, width, height]) => {
      const canvas = Object.assign(document.createElement("canvas"), { width, height })
      const context = canvas.getContext("2d")!
      context.fillStyle = "#00f"
      context.fillRect(0, 0, width, height)
      context.fillStyle = "#f00"
      context.fillRect(0, 0, width / 4, height / 4)
      return canvas.toDataURL(type).split(",")[1]!
    },
    [type, width, height] as const,
  )
  return Buffer.from(base64, "base64")
}

/** Says of a JPEG that the camera was held upright: it is to be turned to the right by 90°. */
const turn = (jpeg: Buffer): Buffer => {
  const exif = Buffer.concat([
    Buffer.from("Exif\0\0MM\0*\0\0\0\x08\0\x01", "latin1"),
    // Orientation, one SHORT: 6.
    Buffer.from([0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0]),
  ])
  const head = Buffer.from([0xff, 0xe1, 0, exif.length + 2])
  return Buffer.concat([jpeg.subarray(0, 2), head, exif, jpeg.subarray(2)])
}

const file = (name: string, mimeType: string, content: Buffer | string): GivenFile => ({
  name,
  mimeType,
  buffer: typeof content === "string" ? Buffer.from(content) : content,
})

const svg = (inner: string, attributes = 'width="400" height="100"') =>
  `<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${inner}</svg>`

/** Holds of the pictures in the components of every framework. */
export const describePreviews = ({ page, open, rowBecomes, until }: PreviewStage): void => {
  describe("pictures of files", () => {
    const start = async (query: string) => {
      await page().addInitScript(watchPictures)
      await open(query)
    }
    const choose = (files: ReadonlyArray<GivenFile>) => page().setInputFiles("input[type=file]", [...files])
    const row = (name: string) => page().locator('[data-sluice="file"]', { hasText: name })
    const image = (name: string) => row(name).locator('[data-sluice="file-preview"] > img')
    /** Once it is there: its size, and where it is red. */
    const look = async (name: string) => {
      await row(name).first().scrollIntoViewIfNeeded()
      await until(() => image(name).evaluate((element: HTMLImageElement) => element.naturalWidth > 0))
      return image(name).evaluate((element: HTMLImageElement) => {
        const { naturalWidth: width, naturalHeight: height } = element
        const context = Object.assign(document.createElement("canvas"), { width, height }).getContext("2d")!
        context.drawImage(element, 0, 0)
        const isRed = (x: number, y: number) => {
          const [red = 0, , blue = 0] = context.getImageData(x * width, y * height, 1, 1).data
          return red > blue
        }
        const red = { "upper left": isRed(0.1, 0.1), "upper right": isRed(0.9, 0.1), "lower left": isRed(0.1, 0.9) }
        const fit = getComputedStyle(element).objectFit
        return { size: [width, height], fit, red: Object.entries(red).flatMap(([name, is]) => (is ? [name] : [])) }
      })
    }
    const tiles = () =>
      page()
        .locator('[data-sluice="file-preview"][data-family]')
        .evaluateAll((elements) => elements.map((tile) => `${tile.getAttribute("data-family")} ${tile.textContent}`))
    const live = () => page().evaluate(() => window.objectUrls.live.size)

    test("are small, in their proportions and upright, and decoded one after the other", async () => {
      await start("component=dropzone&endpoint=anything")
      const jpeg = await paint(page(), "image/jpeg", 1200, 800)
      await choose([
        file("wide.png", "image/png", await paint(page(), "image/png", 1200, 600)),
        file("camera.jpg", "image/jpeg", turn(jpeg)),
        file("tiny.png", "image/png", await paint(page(), "image/png", 24, 16)),
        file("strip.webp", "image/webp", await paint(page(), "image/webp", 1600, 100)),
        file("logo.svg", "image/svg+xml", svg('<path d="M0 0h100v25H0z" fill="red"/>')),
        file("wrongly-named.bin", "image/png", await paint(page(), "image/png", 300, 300)),
      ])
      const upperLeft = { fit: "cover", red: ["upper left"] }
      expect(await look("wide.png")).toEqual({ size: [192, 96], ...upperLeft })
      expect(await look("camera.jpg")).toEqual({ size: [128, 192], fit: "cover", red: ["upper right"] })
      expect(await look("tiny.png")).toEqual({ size: [24, 16], ...upperLeft })
      expect(await look("strip.webp")).toEqual({ size: [192, 12], fit: "contain", red: ["upper left"] })
      expect(await look("logo.svg")).toEqual({ size: [192, 48], fit: "contain", red: ["upper left"] })
      expect(await look("wrongly-named.bin")).toEqual({ size: [192, 192], ...upperLeft })
      const decoded = await page().evaluate(() => window.decoded)
      expect(decoded.most).toBe(1)
      expect(Math.max(...decoded.sizes.flat())).toBe(192)
      expect(await live()).toBe(6)
    })

    test("are tiles where there is nothing to show, and never broken", async () => {
      await start("component=dropzone&endpoint=anything")
      const good = await paint(page(), "image/png", 300, 300)
      const bomb = `<defs><g id="a"/>${"<use href='#a'/>".repeat(30)}</defs>`
      await choose([
        file("IMG_1.HEIC", "image/heic", "\0\0\0\x18ftypheic\0\0\0\0mif1heic"),
        file("scan.tiff", "image/tiff", "II*\0\b\0\0\0"),
        file("poster.psd", "image/vnd.adobe.photoshop", "8BPS\0\x01"),
        file("damaged.png", "image/png", good.subarray(0, 20)),
        file("nothing.svg", "image/svg+xml", svg("", 'width="0" height="0"')),
        file("bomb.svg", "image/svg+xml", svg(bomb)),
        file("giant.png", "image/png", makePng(30_000, 30_000)),
        file("no-type.heic", "", "\0\0\0\x18ftypheic"),
        file("broken.mp4", "video/mp4", "\0\0\0\x18ftypisom"),
        file("song.mp3", "audio/mpeg", "ID3"),
        file("letter.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "PK"),
        file("all.tar.gz", "application/gzip", "\x1f\x8b"),
        file("main.ts", "video/mp2t", "export {}"),
        file("Makefile", "", "all:"),
        file("model.glb", "model/gltf-binary", "glTF"),
        file("last.png", "image/png", good),
      ])
      // They take turns: where the last one is, all before it have had theirs.
      expect(await look("last.png")).toMatchObject({ size: [192, 192] })
      await page().locator('[data-sluice="file"]').last().scrollIntoViewIfNeeded()
      expect(await tiles()).toEqual([
        "image heic",
        "image tiff",
        "image psd",
        "image png",
        "image svg",
        "image svg",
        "image png",
        "image heic",
        "video mp4",
        "audio mp3",
        "document docx",
        "archive gz",
        "code ts",
        "other ",
        "other glb",
      ])
      expect(await page().locator('[data-sluice="file-preview"] img').count()).toBe(1)
      expect(await live()).toBe(1)
      // The letters stay within their tile.
      const wide = await page()
        .locator('[data-sluice="file-preview"][data-family]')
        .evaluateAll((elements) =>
          elements.flatMap((tile) => {
            const range = document.createRange()
            range.selectNodeContents(tile)
            const { width } = range.getBoundingClientRect()
            return width > tile.getBoundingClientRect().width - 4 ? [tile.textContent] : []
          }),
        )
      expect(wide).toEqual([])
    })

    test("are given back with their files, and with what was read of them", async () => {
      await start("component=dropzone&endpoint=anything&mode=auto")
      const good = await paint(page(), "image/png", 300, 300)
      await choose(["a.png", "b.png", "c.png"].map((name) => file(name, "image/png", good)))
      for (const name of ["a.png", "b.png", "c.png"]) await look(name)
      expect(await live()).toBe(3)
      for (const name of ["a.png", "b.png", "c.png"]) await rowBecomes(name, "done")
      // What the page cannot show after all is a tile, and not tried for ever.
      await image("b.png").dispatchEvent("error")
      await until(async () => (await tiles()).join() === "image png")
      await page().getByRole("button", { name: "Remove a.png" }).click()
      await page().getByRole("button", { name: "Remove b.png" }).click()
      await until(async () => (await live()) === 1)
      await page().getByRole("button", { name: "Remove c.png" }).click()
      await until(async () => (await live()) === 0)
      expect(await page().evaluate(() => window.objectUrls.made)).toBe(6)
    })

    test("are given back when a file takes the place of another one", async () => {
      await start("component=dropzone&endpoint=avatar&mode=auto")
      await choose([file("old.png", "image/png", await paint(page(), "image/png", 300, 300))])
      await rowBecomes("old.png", "done")
      await look("old.png")
      const before = await image("old.png").getAttribute("src")
      await choose([file("new.png", "image/png", await paint(page(), "image/png", 200, 200))])
      await rowBecomes("new.png", "done")
      await look("new.png")
      await until(async () => (await row("old.png").count()) === 0)
      await until(async () => (await live()) === 1)
      expect(await page().evaluate(() => [...window.objectUrls.live])).toEqual([
        await image("new.png").getAttribute("src"),
      ])
      expect(before).not.toBe(await image("new.png").getAttribute("src"))
    })

    test("are given back when the component leaves the page", async () => {
      await start("component=dropzone&endpoint=anything&links")
      const good = await paint(page(), "image/png", 300, 300)
      await choose(["a.png", "b.png"].map((name) => file(name, "image/png", good)))
      for (const name of ["a.png", "b.png"]) await look(name)
      expect(await live()).toBe(2)
      await page().getByRole("button", { name: "Elsewhere" }).click()
      await page().locator('[data-sluice="container"]').waitFor({ state: "detached" })
      await until(async () => (await live()) === 0)
      // Nor is one made afterwards, of what was being decoded.
      await page().getByRole("button", { name: "Here", exact: true }).click()
      await page().locator('[data-sluice="container"]:not([data-state="loading"])').waitFor()
      const many = Array.from({ length: 8 }, (_, index) => file(`${index}.png`, "image/png", good))
      await choose(many)
      await until(async () => (await live()) > 0)
      await page().getByRole("button", { name: "Elsewhere" }).click()
      await page().locator('[data-sluice="container"]').waitFor({ state: "detached" })
      await until(async () => (await live()) === 0)
      await page().waitForTimeout(500)
      expect(await live()).toBe(0)
    })

    test("of an avatar are given back when it is changed, and when it leaves the page", async () => {
      await start("component=avatar&endpoint=avatar&crop=false&links")
      const shown = page().locator('[data-component="avatar"] [data-sluice="file-preview"] img')
      const becomes = (state: string) => page().locator(`[data-component="avatar"][data-state="${state}"]`).waitFor()
      await choose([file("old.png", "image/png", await paint(page(), "image/png", 300, 300))])
      await becomes("done")
      await shown.waitFor()
      const before = await shown.getAttribute("src")
      await choose([file("new.png", "image/png", await paint(page(), "image/png", 200, 200))])
      await until(async () => (await shown.count()) === 1 && (await shown.getAttribute("src")) !== before)
      await becomes("done")
      await until(async () => (await live()) === 1)
      await page().getByRole("button", { name: "Elsewhere" }).click()
      await page().locator('[data-component="avatar"]').waitFor({ state: "detached" })
      await until(async () => (await live()) === 0)
      expect(await page().evaluate(() => window.objectUrls.made)).toBeGreaterThan(1)
    })

    test("are made of what is near the viewport alone", async () => {
      await page().setViewportSize({ width: 600, height: 300 })
      await start("component=dropzone&endpoint=anything")
      const good = await paint(page(), "image/png", 300, 300)
      const names = Array.from({ length: 20 }, (_, index) => `${index}-of-20.png`)
      await choose(names.map((name) => file(name, "image/png", good)))
      await look("0-of-20.png")
      let seen = -1
      await until(async () => {
        const before = seen
        seen = await live()
        await page().waitForTimeout(300)
        return before === seen
      })
      expect(seen).toBeLessThan(12)
      expect(await image("19-of-20.png").count()).toBe(0)
      await page().locator('[data-sluice="file"]').last().scrollIntoViewIfNeeded()
      expect(await look("19-of-20.png")).toMatchObject({ size: [192, 192] })
    })

    test("are the first frame of a video, without a sound", async () => {
      await start("component=dropzone&endpoint=anything")
      const base64 = await page().evaluate(async () => {
        const canvas = Object.assign(document.createElement("canvas"), { width: 320, height: 160 })
        const context = canvas.getContext("2d")!
        const paint = () => {
          context.fillStyle = "#00f"
          context.fillRect(0, 0, 320, 160)
          context.fillStyle = "#f00"
          context.fillRect(0, 0, 80, 40)
        }
        const record = async (): Promise<Blob> => {
          paint()
          const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: "video/webm;codecs=vp8" })
          const blobs: Array<Blob> = []
          recorder.ondataavailable = ({ data }) => blobs.push(data)
          const stopped = new Promise((resolve) => (recorder.onstop = resolve))
          recorder.start()
          for (let frame = 0; frame < 30; frame++) {
            paint()
            await new Promise((resolve) => setTimeout(resolve, 20))
          }
          recorder.stop()
          await stopped
          return new Blob(blobs)
        }
        /** Whether its beginning is what was painted: a busy machine records for a while what was there before. */
        const isPainted = async (recorded: Blob): Promise<boolean> => {
          const video = Object.assign(document.createElement("video"), { muted: true })
          video.src = URL.createObjectURL(recorded)
          const isThere = await new Promise<boolean>((resolve) => {
            video.onloadeddata = () => resolve(true)
            video.onerror = () => resolve(false)
          })
          if (!isThere) return false
          // Where the components look.
          await new Promise((resolve) => {
            video.onseeked = resolve
            video.currentTime = 0.1
          })
          const seen = Object.assign(document.createElement("canvas"), { width: 320, height: 160 }).getContext("2d")!
          seen.drawImage(video, 0, 0, 320, 160)
          const [red, , blue] = seen.getImageData(20, 10, 1, 1).data
          URL.revokeObjectURL(video.src)
          return red! > 150 && blue! < 100
        }
        let recorded = await record()
        for (let count = 0; count < 20 && !(await isPainted(recorded)); count++) recorded = await record()
        return btoa(String.fromCharCode(...new Uint8Array(await recorded.arrayBuffer())))
      })
      await choose([file("clip.webm", "video/webm", Buffer.from(base64, "base64"))])
      expect(await look("clip.webm")).toEqual({ size: [192, 96], fit: "cover", red: ["upper left"] })
      expect(await live()).toBe(1)
    })

    test("are cards where the page wants a grid, and nothing where it wants none", async () => {
      await start("component=dropzone&endpoint=anything&previews=grid")
      const good = await paint(page(), "image/png", 600, 450)
      await choose(["a.png", "b.png"].map((name) => file(name, "image/png", good)))
      await look("a.png")
      await look("b.png")
      const rows = page().locator('[data-sluice="file"]')
      const [a, b, picture] = await Promise.all([
        rows.first().boundingBox(),
        rows.last().boundingBox(),
        image("a.png").boundingBox(),
      ])
      expect(b!.y).toBe(a!.y)
      expect(b!.x).toBeGreaterThan(a!.x + a!.width)
      expect(picture!.width).toBeGreaterThan(100)
      await open("component=dropzone&endpoint=anything&mode=auto&previews=none")
      await choose([file("a.png", "image/png", good)])
      await rowBecomes("a.png", "done")
      expect(await tiles()).toEqual(["image png"])
      expect(await page().evaluate(() => window.objectUrls.made)).toBe(0)
    })

    test("are made for markup of one's own too", async () => {
      await page().addInitScript(watchPictures)
      await open("component=dropzone")
      await page().goto(page().url().replace("dropzone", "headless"))
      const good = await paint(page(), "image/png", 300, 300)
      await until(() => page().getByRole("button", { name: "Pick" }).isEnabled())
      await choose(["a.png", "b.png"].map((name) => file(name, "image/png", good)))
      await until(async () => (await live()) === 2 && (await page().evaluate(() => window.decoded.sizes.length)) === 2)
    })
  })
}
