import { createRequire } from "node:module"
import type { Page } from "playwright-core"
import { describe, expect, test } from "vitest"
import type { Site } from "../bindings/start-site.ts"
import { chosenFiles } from "../browser/chosen-files.ts"

interface Bench {
  readonly page: () => Page
  readonly site: () => Site
  readonly open: (query: string) => Promise<void>
  readonly until: (condition: () => boolean | Promise<boolean>) => Promise<void>
}

interface Pixels {
  readonly type: string
  readonly width: number
  readonly height: number
  /** Red, green, blue and alpha in the middle of each quarter: left upper, right upper, left lower, right lower. */
  readonly quarters: ReadonlyArray<ReadonlyArray<number>>
}

const axeSource = createRequire(import.meta.url).resolve("axe-core/axe.min.js")

/** Colours of the quarters of every picture here. */
const colours = {
  red: [220, 30, 30, 255],
  green: [30, 160, 60, 255],
  blue: [30, 60, 220, 255],
  white: [250, 250, 250, 255],
}
const { red, green, blue, white } = colours

/** A picture that the app had before. */
const stored =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="

/** Says of a JPEG how the camera was held: 6 is turned by 90°, so that what is its left side is shown on top. */
const turn = (jpeg: Buffer, orientation: number): Buffer => {
  const exif = Buffer.from(
    // "Exif", the order of bytes, one entry: the orientation.
    "4578696600004d4d002a00000008000101120003000000010000000000000000",
    "hex",
  )
  exif.writeUInt16BE(orientation, exif.length - 8)
  const size = Buffer.alloc(2)
  size.writeUInt16BE(exif.length + 2)
  return Buffer.concat([jpeg.subarray(0, 2), Buffer.from([0xff, 0xe1]), size, exif, jpeg.subarray(2)])
}

/** The avatar, and the crop of its picture. */
export const describeAvatar = ({ page: getPage, site: getSite, open, until }: Bench): void => {
  const part = (name: string) => getPage().locator(`[data-sluice="${name}"]`)
  const main = () => part("button")
  const stage = () => part("crop-stage")
  const dialog = () => getPage().getByRole("dialog")
  const image = () => main().locator("img")
  const shown = async () => ((await image().count()) === 0 ? undefined : await image().getAttribute("src"))
  const becomes = (state: string) => getPage().locator(`[data-component="avatar"][data-state="${state}"]`).waitFor()
  const use = () => getPage().getByRole("button", { name: "Use picture" }).click()
  const told = (name: string): Promise<Array<any>> =>
    getPage().evaluate((name) => window.told.filter((event) => event.name === name).map(({ detail }) => detail), name)
  const isFocused = (selector: string) =>
    getPage().evaluate((selector) => document.activeElement?.matches(selector) === true, selector)

  /** Draws a picture of four quarters, each of one colour; what is transparent is not drawn. */
  const draw = async (width: number, height: number, type: string, isTransparent = false): Promise<Buffer> => {
    const base64 = await getPage().evaluate(
      ({ width, height, type, fills }) => {
        const canvas = Object.assign(document.createElement("canvas"), { width, height })
        const context = canvas.getContext("2d")!
        fills.forEach((fill, index) => {
          context.fillStyle = fill
          context.fillRect((index % 2) * (width / 2), Math.floor(index / 2) * (height / 2), width / 2, height / 2)
        })
        return canvas.toDataURL(type, 1).split(",")[1]!
      },
      {
        width,
        height,
        type,
        fills: [red, green, blue, white].map(([r, g, b], index) =>
          isTransparent && index === 3 ? "transparent" : `rgb(${r}, ${g}, ${b})`,
        ),
      },
    )
    return Buffer.from(base64, "base64")
  }
  const choose = async (name: string, buffer: Buffer, mimeType = `image/${name.split(".").at(-1)!}`) => {
    const given = await chosenFiles([{ name, mimeType, buffer }])
    const [chooser] = await Promise.all([getPage().waitForEvent("filechooser"), main().click()])
    await chooser.setFiles(given)
  }
  const chooseToCrop = async (...args: Parameters<typeof choose>) => {
    await choose(...args)
    await stage().waitFor()
  }
  /** What the ingest has stored last, as a browser decodes it. */
  const readStored = async (): Promise<Pixels> => {
    const { ingestUrl, puts } = getSite()
    const response = await fetch(`${ingestUrl}/f/${puts.at(-1)!.key}`)
    const base64 = Buffer.from(await response.arrayBuffer()).toString("base64")
    const type = response.headers.get("content-type")!
    return await getPage().evaluate(
      async ({ base64, type }) => {
        const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
        const bitmap = await createImageBitmap(new Blob([bytes], { type }))
        const { width, height } = bitmap
        const context = new OffscreenCanvas(width, height).getContext("2d")!
        context.drawImage(bitmap, 0, 0)
        const at = (x: number, y: number) => [
          ...context.getImageData(Math.floor(width * x), Math.floor(height * y), 1, 1).data,
        ]
        return { type, width, height, quarters: [at(0.25, 0.25), at(0.75, 0.25), at(0.25, 0.75), at(0.75, 0.75)] }
      },
      { base64, type },
    )
  }
  const expectQuarters = ({ quarters }: Pixels, wanted: ReadonlyArray<ReadonlyArray<number>>) => {
    const distance = Math.max(
      ...quarters.flatMap((pixel, at) => pixel.map((value, i) => Math.abs(value - wanted[at]![i]!))),
    )
    expect(distance, JSON.stringify(quarters)).toBeLessThan(16)
  }
  const drop = (name: string, type: string, buffer: Buffer) =>
    getPage().evaluate(
      ({ name, type, base64 }) => {
        const data = new DataTransfer()
        data.items.add(new File([Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))], name, { type }))
        const options = { dataTransfer: data, bubbles: true, cancelable: true }
        document.querySelector('[data-sluice="container"]')!.dispatchEvent(new DragEvent("drop", options))
      },
      { name, type, base64: buffer.toString("base64") },
    )

  describe("an avatar", () => {
    test("is cropped by keys alone: one quarter of the picture is what the ingest stores", async () => {
      const page = getPage()
      await open("component=avatar&endpoint=avatar")
      await page.getByRole("button", { name: "Choose a picture", exact: true }).waitFor()
      await chooseToCrop("me.jpeg", await draw(1200, 800, "image/jpeg"))
      await until(() => isFocused('[data-sluice="crop-stage"]'))
      for (let count = 0; count < 8; count++) await page.keyboard.press("+")
      // The picture goes where the arrow points: right and down shows its left upper quarter.
      for (let count = 0; count < 30; count++) await page.keyboard.press("ArrowRight")
      for (let count = 0; count < 6; count++) await page.keyboard.press("Shift+ArrowDown")
      await until(async () => (await dialog().getByRole("status").textContent()) === "0 % across, 0 % down")
      await page.keyboard.press("Enter")
      await becomes("done")
      const pixels = await readStored()
      expect(pixels).toMatchObject({ type: "image/webp", width: 373, height: 373 })
      expectQuarters(pixels, [red, red, red, red])
      expect(getSite().puts.at(-1)!.file).toBe("me.webp")
      expect(await isFocused('[data-sluice="button"]')).toBe(true)
      await page.getByRole("button", { name: "Change picture", exact: true }).waitFor()
    })

    test("is cropped by a pointer alone: by wheel and drag, and by a tap on what is to be in the middle", async () => {
      const page = getPage()
      for (const way of ["drag", "tap"]) {
        await open("component=avatar&endpoint=avatar")
        await chooseToCrop("me.png", await draw(1000, 1000, "image/png"))
        const { x, y, width, height } = (await stage().boundingBox())!
        await page.mouse.move(x + width / 2, y + height / 2)
        await page.mouse.wheel(0, -400)
        await until(async () => Number(await part("crop-slider").inputValue()) > 30)
        if (way === "drag") {
          await page.mouse.down()
          await page.mouse.move(x + width / 4, y + height * 0.7, { steps: 5 })
          await page.mouse.move(x + 4, y + height - 4, { steps: 5 })
          await page.mouse.up()
          // Once more: the first way was as long as the stage is wide, from its middle.
          await page.mouse.move(x + width - 8, y + 8)
          await page.mouse.down()
          await page.mouse.move(x + 8, y + height - 8, { steps: 5 })
          await page.mouse.up()
        } else for (let count = 0; count < 3; count++) await page.mouse.click(x + width - 12, y + 12)
        await use()
        await becomes("done")
        // Dragged to the left and down: the right upper quarter is seen.
        expectQuarters(await readStored(), [green, green, green, green])
      }
    })

    test("two fingers make the picture larger, and a slider says how large it is", async () => {
      const page = getPage()
      await open("component=avatar&endpoint=avatar")
      await chooseToCrop("me.png", await draw(1000, 1000, "image/png"))
      const slider = page.getByRole("slider", { name: "Zoom" })
      expect(await slider.getAttribute("aria-valuetext")).toBe("100 %")
      const { x, y, width, height } = (await stage().boundingBox())!
      const devtools = await page.context().newCDPSession(page)
      await devtools.send("Emulation.setTouchEmulationEnabled", { enabled: true, maxTouchPoints: 2 })
      const touch = (type: "touchStart" | "touchMove" | "touchEnd", apart: number) =>
        devtools.send("Input.dispatchTouchEvent", {
          type,
          touchPoints:
            type === "touchEnd"
              ? []
              : [-1, 1].map((side, id) => ({ x: x + width / 2 + side * apart, y: y + height / 2, id })),
        })
      await touch("touchStart", 30)
      for (const apart of [40, 50, 60]) await touch("touchMove", apart)
      await touch("touchEnd", 0)
      await until(async () => (await slider.getAttribute("aria-valuetext")) === "200 %")
      await slider.focus()
      await page.keyboard.press("End")
      expect(await slider.getAttribute("aria-valuetext")).toBe("391 %")
      await page.keyboard.press("Home")
      expect(await slider.getAttribute("aria-valuetext")).toBe("100 %")
      await page.getByRole("button", { name: "Zoom in" }).click()
      expect(await slider.getAttribute("aria-valuetext")).toBe("120 %")
      await page.getByRole("button", { name: "Zoom out" }).click()
      await use()
      await becomes("done")
      expectQuarters(await readStored(), [red, green, blue, white])
    })

    test("a photo turns up as the camera was held, and loses where it was taken", async () => {
      await open("component=avatar&endpoint=avatar")
      const photo = turn(await draw(800, 800, "image/jpeg"), 6)
      await chooseToCrop("photo.jpeg", photo)
      await use()
      await becomes("done")
      expectQuarters(await readStored(), [blue, red, white, green])
      const { ingestUrl, puts } = getSite()
      const bytes = Buffer.from(await (await fetch(`${ingestUrl}/f/${puts.at(-1)!.key}`)).arrayBuffer())
      expect(photo.includes("Exif")).toBe(true)
      expect(bytes.includes("Exif") || bytes.includes("EXIF")).toBe(false)
      // Also where it is larger than what is kept of it: it is not distorted then.
      await chooseToCrop("wide.jpeg", turn(await draw(6000, 3000, "image/jpeg"), 6))
      await use()
      await until(() => getSite().puts.at(-1)!.file === "wide.webp")
      await becomes("done")
      const wide = await readStored()
      expect(wide).toMatchObject({ width: 512, height: 512 })
      expectQuarters(wide, [blue, red, white, green])
    }, 30_000)

    test("what is transparent stays so, also as PNG; as JPEG it is white", async () => {
      for (const [type, last] of [
        ["image/webp", [0, 0, 0, 0]],
        ["image/png", [0, 0, 0, 0]],
        ["image/jpeg", [255, 255, 255, 255]],
      ] as const) {
        await open(`component=avatar&endpoint=avatar&crop=${encodeURIComponent(JSON.stringify({ type, size: 100 }))}`)
        await chooseToCrop("logo.png", await draw(400, 400, "image/png", true))
        await use()
        await becomes("done")
        const pixels = await readStored()
        expect(pixels).toMatchObject({ type, width: 100, height: 100 })
        expectQuarters(pixels, [red, green, blue, last])
      }
    })

    test("the limits of the route are for the crop: its size, and the types the route takes", async () => {
      // The crop of a picture of more than 4 MB is small; where the route takes PNG alone, it is one.
      await open("component=avatar&endpoint=avatar")
      const noise = Buffer.concat([await draw(600, 600, "image/jpeg"), Buffer.alloc(5_000_000, 7)])
      await chooseToCrop("large.jpeg", noise)
      await use()
      await becomes("done")
      await open("component=avatar&endpoint=icon")
      await chooseToCrop("me.jpeg", await draw(600, 600, "image/jpeg"))
      await use()
      await becomes("done")
      expect((await readStored()).type).toBe("image/png")
      expect(getSite().puts.at(-1)!.file).toBe("me.png")
      // Uncropped it is too large.
      await open("component=avatar&endpoint=avatar&crop=false")
      await choose("large.jpeg", noise)
      await becomes("failed")
      expect(await part("error").textContent()).toContain("is too large")
      await choose("small.jpeg", await draw(300, 200, "image/jpeg"))
      await becomes("done")
      expect(await readStored()).toMatchObject({ type: "image/jpeg", width: 300, height: 200 })
      expect(await dialog().count()).toBe(0)
    }, 30_000)

    test("Escape and Cancel leave everything as it was, and the focus comes back", async () => {
      const page = getPage()
      await open(`component=avatar&endpoint=avatar&picture=${encodeURIComponent(stored)}`)
      for (const leave of [
        () => page.keyboard.press("Escape"),
        () => page.getByRole("button", { name: "Cancel" }).click(),
      ]) {
        await chooseToCrop("me.png", await draw(300, 300, "image/png"))
        expect(await page.evaluate(() => document.querySelector("dialog")!.matches(":modal"))).toBe(true)
        await leave()
        await until(async () => (await page.locator("dialog").count()) === 0)
        await until(() => isFocused('[data-sluice="button"]'))
      }
      expect(await shown()).toBe(stored)
      expect(getSite().puts).toEqual([])
      // Dropped, with the focus nowhere: it goes to the avatar.
      await page.evaluate(() => (document.activeElement as HTMLElement).blur())
      await drop("me.png", "image/png", await draw(300, 300, "image/png"))
      await stage().waitFor()
      await page.keyboard.press("Escape")
      await until(() => isFocused('[data-sluice="button"]'))
    })

    test("the new picture is seen at once; the old one comes back where the upload fails, until it succeeds", async () => {
      const [page, site] = [getPage(), getSite()]
      await open(`component=avatar&endpoint=avatar&picture=${encodeURIComponent(stored)}`)
      expect(await shown()).toBe(stored)
      site.refuse("me.webp", 500, 99)
      const release = site.hold("good.webp", 10)
      await chooseToCrop("me.png", await draw(600, 600, "image/png"))
      await use()
      await becomes("failed")
      expect(await shown()).toBe(stored)
      expect(await part("error").textContent()).toBe(
        "me.webp: Something went wrong on the server. Try again in a moment.",
      )
      site.refuse("me.webp", 500, 0)
      const again = site.hold("me.webp", 10)
      await page.getByRole("button", { name: "Try again" }).click()
      await until(async () => (await shown())?.startsWith("blob:") === true)
      await becomes("uploading")
      expect(await page.getByRole("progressbar").count()).toBe(1)
      // Its name stays the same all the while.
      await page.getByRole("button", { name: "Change picture", exact: true }).waitFor()
      again()
      await becomes("done")
      expect((await shown())!.startsWith("blob:")).toBe(true)
      // Cancelled: the one before is there again.
      const before = await shown()
      await chooseToCrop("good.png", await draw(600, 600, "image/png"))
      await use()
      await until(async () => (await shown()) !== before)
      await page.getByRole("button", { name: "Cancel" }).click()
      await until(async () => (await shown()) === before)
      release()
    })

    test("a file that is no picture is refused in words, and not uploaded", async () => {
      await open(`component=avatar&endpoint=avatar&picture=${encodeURIComponent(stored)}`)
      await drop("notes.txt", "text/plain", Buffer.from("hello"))
      await becomes("failed")
      expect(await part("error").textContent()).toBe("notes.txt: Not allowed here. Choose images.")
      await getPage().getByRole("button", { name: "Clear notes.txt" }).click()
      await becomes("done")
      // Nor where the route would take it.
      await open("component=avatar&endpoint=anything")
      for (const [name, type] of [
        ["notes.txt", "text/plain"],
        ["broken.png", "image/png"],
      ] as const) {
        await drop(name, type, Buffer.from("hello"))
        const says = `${name}: This cannot be shown as a picture here. Choose another one, a JPEG or a PNG.`
        await until(async () => (await part("error").textContent()) === says)
        const announced = () => getPage().evaluate(() => window.announced)
        await until(async () => (await announced()).includes(`1 file refused. ${says}`))
      }
      expect(getSite().puts).toEqual([])
    })

    test("is a field: it can be removed, a reset brings it back, and Enter in the crop does not send the form", async () => {
      const page = getPage()
      await open(`component=avatar&endpoint=avatar&form&name=avatar&picture=${encodeURIComponent(stored)}`)
      const entries = () => page.evaluate(() => new FormData(document.querySelector("form")!).getAll("avatar"))
      expect(await entries()).toEqual(["stored-1"])
      await page.getByRole("button", { name: "Remove picture" }).press("Enter")
      await until(async () => (await entries()).length === 0)
      await until(() => isFocused('[data-sluice="button"]'))
      expect(await shown()).toBe(undefined)
      await page.getByRole("button", { name: "Reset" }).click()
      await until(async () => (await entries())[0] === "stored-1")
      expect(await shown()).toBe(stored)
      await chooseToCrop("me.png", await draw(600, 600, "image/png"))
      await page.getByRole("slider").press("Enter")
      await until(async () => (await entries())[0] !== "stored-1")
      expect(await entries()).toHaveLength(1)
      expect(await told("submit")).toEqual([])
      expect(await told("change")).not.toEqual([])
    })

    for (const scheme of ["light", "dark"] as const) {
      test(`axe finds nothing, in ${scheme}, and a phone has room for it`, async () => {
        const page = getPage()
        await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" })
        await page.setViewportSize({ width: 320, height: 568 })
        const devtools = await page.context().newCDPSession(page)
        await devtools.send("Emulation.setTouchEmulationEnabled", { enabled: true })
        await devtools.send("Emulation.setEmulatedMedia", {
          features: [
            { name: "pointer", value: "coarse" },
            { name: "prefers-color-scheme", value: scheme },
          ],
        })
        const check = async (what: string, within: string) => {
          await page.addScriptTag({ path: axeSource })
          const violations = await page.evaluate(async (within) => {
            const { violations } = await (globalThis as unknown as { axe: typeof import("axe-core") }).axe.run(within)
            return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)
          }, within)
          expect(violations, what).toEqual([])
          expect(await page.evaluate(() => document.documentElement.scrollWidth), what).toBe(320)
          for (const button of await page.locator(within).getByRole("button").all()) {
            const box = (await button.boundingBox())!
            expect(Math.min(box.width, box.height), `${what}: ${await button.textContent()}`).toBeGreaterThanOrEqual(44)
          }
        }
        await open("component=avatar&endpoint=avatar")
        await check("idle", '[data-sluice="container"]')
        await choose("me.png", await draw(600, 600, "image/png"))
        await stage().waitFor()
        await check("crop", "dialog")
        // Its bar is as dark as the page: browsers take a light one where the accent is too dark for another.
        const accent = await page.locator('[data-sluice="crop-slider"]').evaluate((slider) => {
          const canvas = new OffscreenCanvas(1, 1).getContext("2d")!
          canvas.fillStyle = getComputedStyle(slider).accentColor
          canvas.fillRect(0, 0, 1, 1)
          return canvas.getImageData(0, 0, 1, 1).data[1]!
        })
        expect(accent > 160).toBe(scheme === "dark")
        // All of it is on the screen.
        const box = (await dialog().boundingBox())!
        expect(box.y).toBeGreaterThanOrEqual(0)
        expect(box.y + box.height).toBeLessThanOrEqual(568)
        const hidden = () => dialog().evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)
        expect(await hidden()).toBe(0)
        // Nor does anything run out of it where the phone is held sideways, and the picture stays the larger part.
        for (const [width, height] of [
          [568, 256],
          [844, 340],
        ] as const) {
          await page.setViewportSize({ width, height })
          expect(await hidden(), `${width} × ${height}`).toBe(0)
          const side = (await stage().boundingBox())!.height
          expect(side, `${width} × ${height}`).toBeGreaterThan(height * 0.75)
        }
        await page.setViewportSize({ width: 320, height: 568 })
        getSite().refuse("me.webp", 500, 99)
        await use()
        await becomes("failed")
        await check("failed", '[data-sluice="container"]')
      })
    }
  })
}
