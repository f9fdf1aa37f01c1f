import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { join } from "node:path"
import { transform as transformByEsbuild } from "esbuild"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bundlePage } from "../bindings/bundle-page.ts"
import { type Site, startSite } from "../bindings/start-site.ts"
import { useWindow } from "../browser/use-window.ts"
import { lighten, version } from "../lighten.ts"
import { chosenFiles } from "../browser/chosen-files.ts"

const require = createRequire(import.meta.url)
const axeSource = require.resolve("axe-core/axe.min.js")
const file = join(import.meta.dirname, "../../src/ui/styles.css")

const esbuilt = async (target: Array<string>): Promise<string> =>
  (await transformByEsbuild(await readFile(file, "utf8"), { loader: "css", minify: true, target })).code

/** What Nuxt's build minifies with, which is no dependency of this package. */
const inNuxt = createRequire(createRequire(require.resolve("nuxt/package.json")).resolve("@nuxt/vite-builder"))
const minify = async () => {
  const [postcss, cssnano] = ["postcss", "cssnano"].map((name) => inNuxt(name) as never) as unknown as [
    typeof import("postcss").default,
    () => import("postcss").AcceptedPlugin,
  ]
  return postcss([cssnano()]).process(await readFile(file, "utf8"), { from: file })
}

/** What bundlers make of the stylesheet. */
const builds: Readonly<Record<string, () => Promise<string>>> = {
  "as it is": () => readFile(file, "utf8"),
  "by Lightning CSS for Vite's browsers": async () => lighten(await readFile(file)),
  "by Lightning CSS for browsers that know oklch() and nothing newer": async () =>
    lighten(await readFile(file), { chrome: version(111), safari: version(15, 4) }),
  "by cssnano, in Nuxt": async () => (await minify()).css,
  "by esbuild for Vite's browsers": () => esbuilt(["chrome111", "edge111", "firefox114", "safari16.4"]),
}

/** How a page comes to be light or dark. */
interface Way {
  readonly system: "light" | "dark"
  readonly css?: string
  /** Of html. */
  readonly attributes?: Readonly<Record<string, string>>
  readonly is: "light" | "dark"
}

const dark = "background: #0a0a0a; color: #ededed;"
const light = "background: #fff; color: #171717;"
const media = "@media (prefers-color-scheme: dark)"

const ways: Readonly<Record<string, Way>> = {
  "a page without any CSS": { system: "light", is: "light" },
  "a page without any CSS, which stays white in a dark system": { system: "dark", is: "light" },
  "create-next-app, light": {
    system: "light",
    css: `body { ${light} } ${media} { body { ${dark} } html { color-scheme: dark } }`,
    is: "light",
  },
  "create-next-app, dark": {
    system: "dark",
    css: `body { ${light} } ${media} { body { ${dark} } html { color-scheme: dark } }`,
    is: "dark",
  },
  "create-next-app with Tailwind, which sets no color-scheme": {
    system: "dark",
    css: `body { ${light} } ${media} { body { ${dark} } }`,
    is: "dark",
  },
  "create-vite, light": { system: "light", css: ":root { color-scheme: light dark; color: #6b6375 }", is: "light" },
  "create-vite, dark": {
    system: "dark",
    css: ":root { color-scheme: light dark; color: #9ca3af; background: #16171d }",
    is: "dark",
  },
  "color-scheme: light dark": { system: "dark", css: ":root { color-scheme: light dark }", is: "dark" },
  "color-scheme: dark": { system: "light", css: ":root { color-scheme: dark }", is: "dark" },
  "color-scheme: dark of a part of the page": {
    system: "light",
    css: "main { color-scheme: dark; background: Canvas }",
    is: "dark",
  },
  "color-scheme: light": { system: "dark", css: ":root { color-scheme: light }", is: "light" },
  ".dark": { system: "light", css: `.dark body { ${dark} }`, attributes: { class: "dark" }, is: "dark" },
  ".dark and nothing but a background": {
    system: "light",
    css: ".dark body { background: #111 }",
    attributes: { class: "dark" },
    is: "dark",
  },
  ".light": {
    system: "dark",
    css: `:root { color-scheme: light dark } .light body { ${light} }`,
    attributes: { class: "light" },
    is: "light",
  },
  "data-theme=dark": {
    system: "light",
    css: `[data-theme=dark] body { ${dark} }`,
    attributes: { "data-theme": "dark" },
    is: "dark",
  },
  "data-theme=light": {
    system: "dark",
    css: `:root { color-scheme: light dark } [data-theme=light] body { ${light} }`,
    attributes: { "data-theme": "light" },
    is: "light",
  },
  "next-themes, dark": {
    system: "light",
    attributes: { class: "dark", style: "color-scheme: dark;" },
    is: "dark",
  },
  "next-themes, light": {
    system: "dark",
    css: `${media} { body { background: #fff } }`,
    attributes: { class: "light", style: "color-scheme: light;" },
    is: "light",
  },
  "an inline color-scheme alone, dark": {
    system: "light",
    attributes: { style: "color-scheme: dark" },
    is: "dark",
  },
  "an inline color-scheme of both": {
    system: "dark",
    attributes: { style: "color-scheme: light dark" },
    is: "dark",
  },
}

const resets: Readonly<Record<string, string>> = {
  "create-next-app": "* { box-sizing: border-box; padding: 0; margin: 0 }",
  // Its preflight, as far as it touches what a component is made of.
  "Tailwind 3": `*, ::before, ::after { box-sizing: border-box; border-width: 0; border-style: solid; border-color: #e5e7eb }
    button { font-family: inherit; font-size: 100%; line-height: inherit; color: inherit; margin: 0; padding: 0 }
    button { -webkit-appearance: button; background-color: transparent; background-image: none }
    ul, p { margin: 0; padding: 0; list-style: none }
    img { display: block; max-width: 100%; height: auto }`,
  "rules for buttons":
    "button { background: #1a1a1a; border: 3px solid red; padding: 1.2em 2em; color: red; border-radius: 0 }",
}

it("gives cssnano nothing to complain of", async () => {
  expect((await minify()).warnings().map(String)).toEqual([])
})

const getWindow = useWindow()
let site: Site

beforeAll(async () => {
  site = await startSite({ script: await bundlePage("react.ts"), styles: await readFile(file, "utf8") })
})
afterAll(() => site.close())

/** Opens a component with files in every state, on a page that has nothing but the stylesheet. */
const open = async (component: "button" | "dropzone"): Promise<Page> => {
  const page = await getWindow().newPage()
  await page.addInitScript(() => Reflect.deleteProperty(globalThis, "showOpenFilePicker"))
  await page.goto(`${site.url}/?component=${component}&endpoint=anything&mode=auto`)
  const png = (name: string, size = 2_000_000) => ({ name, mimeType: "image/png", buffer: Buffer.alloc(size, 1) })
  await page.locator('[data-sluice="container"]:not([data-state="loading"])').waitFor()
  if (component === "dropzone") {
    site.hold("held.png", 700_000)
    site.refuse("broken.png", 403, 99)
    await page.setInputFiles(
      "input[type=file]",
      // More than the buffers on the way take: it stays where it is held.
      await chosenFiles([png("held.png", 30_000_000), png("broken.png"), png("done.png")]),
    )
    for (const state of ["failed", "done", "uploading"])
      await page.locator(`[data-sluice="file"][data-state="${state}"]`).waitFor()
  }
  await page.evaluate(() => {
    document.querySelector('meta[name="color-scheme"]')?.remove()
    for (const own of document.querySelectorAll("head style, head link[rel=stylesheet]")) own.remove()
    document.head.append(Object.assign(document.createElement("style"), { id: "sluice" }))
    document.head.append(Object.assign(document.createElement("style"), { id: "page" }))
  })
  await page.addScriptTag({ path: axeSource })
  return page
}

const dress = (page: Page, id: "sluice" | "page", css: string) =>
  page.evaluate(([id, css]) => void (document.getElementById(id!)!.textContent = css!), [id, css])

/** What axe finds too faint, and of what side the component's text is. */
/** Makes a page one of those that apps have. */
const setUp = async (page: Page, { system, css = "", attributes = {} }: Way) => {
  await page.emulateMedia({ colorScheme: system, reducedMotion: "reduce" })
  // axe takes a page without a background for a white one.
  await dress(page, "page", `body { background: Canvas } ${css}`)
  await page.evaluate((attributes) => {
    for (const name of ["class", "style", "data-theme"]) document.documentElement.removeAttribute(name)
    for (const [name, value] of Object.entries(attributes)) document.documentElement.setAttribute(name, value)
  }, attributes)
}

const inspect = (page: Page) =>
  page.evaluate(async () => {
    await Promise.all(document.getAnimations().map((animation) => animation.finish()))
    const { axe } = globalThis as unknown as { axe: typeof import("axe-core") }
    const { violations, incomplete } = await axe.run('[data-sluice="container"]', { runOnly: ["color-contrast"] })
    const { color } = getComputedStyle(document.querySelector('[data-sluice="container"]')!)
    return {
      is: Number(/oklch\(([\d.]+)/.exec(color)?.[1]) > 0.5 ? "dark" : "light",
      faint: [...violations, ...incomplete].flatMap(({ nodes }) =>
        nodes.map(({ html, any }) => `${html.slice(0, 90)} ${any[0]?.message}`),
      ),
    }
  })

describe.each(["button", "dropzone"] as const)(
  "the stylesheet, whatever a bundler makes of it, gives a %s",
  (component) => {
    it("the side of its page, with enough contrast", async () => {
      const page = await open(component)
      for (const [build, make] of Object.entries(builds)) {
        await dress(page, "sluice", await make())
        const seen: Record<string, unknown> = {}
        for (const [name, way] of Object.entries(ways)) {
          await setUp(page, way)
          seen[name] = await inspect(page)
        }
        expect(seen, build).toEqual(
          Object.fromEntries(Object.entries(ways).map(([name, { is }]) => [name, { is, faint: [] }])),
        )
      }
      await page.close()
    })

    it("the same look under every reset, and another by a class", async () => {
      const page = await open(component)
      await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" })
      const look = async (css: string) => {
        await dress(page, "page", css)
        return page.evaluate(() =>
          [
            // How fast it is comes and goes.
            ...document.querySelectorAll(
              '[data-sluice="container"], [data-sluice="container"] :not([data-sluice="speed"], [data-sluice="time-left"])',
            ),
          ].map((element) => {
            const { padding, margin, borderRadius, backgroundColor, backgroundImage, color, fontSize, ...style } =
              getComputedStyle(element)
            return {
              part: element.getAttribute("data-sluice") ?? element.tagName,
              ...{ padding, margin, borderRadius, backgroundColor, backgroundImage, color, fontSize },
              border: style.borderTopWidth === "0px" ? "none" : style.border,
              display: style.display,
              before: getComputedStyle(element, "::before").backgroundImage,
            }
          }),
        )
      }
      // A class of the page, which stands before the stylesheet.
      await page.evaluate(() => {
        const style = document.createElement("style")
        style.textContent = ".mine { padding: 1px; background: red; color: lime; border-radius: 0 }"
        document.head.prepend(style)
      })
      for (const [build, make] of Object.entries(builds)) {
        await dress(page, "sluice", await make())
        const usual = await look("")
        expect(usual.find(({ part }) => part === "button")).toMatchObject({ padding: "6px 14px", borderRadius: "10px" })
        for (const [name, css] of Object.entries(resets)) expect(await look(css), `${name}, ${build}`).toEqual(usual)
        await page.evaluate(() => (document.querySelector('[data-sluice="button"]')!.className = "mine"))
        expect((await look("")).find(({ part }) => part === "button")).toMatchObject({
          padding: "1px",
          backgroundColor: "rgb(255, 0, 0)",
          color: "rgb(0, 255, 0)",
          borderRadius: "0px",
        })
        await page.evaluate(() => document.querySelector('[data-sluice="button"]')!.removeAttribute("class"))
      }
      await page.close()
    })
  },
)

it("what lies over the page takes the side of the component, and lets nothing through", async () => {
  const page = await getWindow().newPage()
  await page.emulateMedia({ reducedMotion: "reduce" })
  await page.goto(`${site.url}/?component=dropzone&endpoint=anything&mode=manual&rows=reorder,rename&page=Papers`)
  await page.locator('[data-sluice="container"]:not([data-state="loading"])').waitFor()
  const files = ["a.pdf", "b.pdf"].map((name) => ({
    name,
    mimeType: "application/pdf",
    buffer: Buffer.alloc(10),
  }))
  await page.setInputFiles("input[type=file]", await chosenFiles(files))
  await page.locator('[data-action="rename"]').first().click()
  await page.locator('[data-sluice="name-input"]').waitFor()
  // As dragging does; the overlay is drawn anew for each page, as for each drag.
  await page.evaluate(() => document.querySelectorAll('[data-sluice="file"]')[1]!.setAttribute("data-dragged", ""))
  const drag = (type: "dragenter" | "dragleave") =>
    page.evaluate((type) => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File(["x"], "c.pdf", { type: "application/pdf" }))
      document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }))
    }, type)
  await page.evaluate(() => {
    document.querySelector('meta[name="color-scheme"]')?.remove()
    document.head.append(Object.assign(document.createElement("style"), { id: "page" }))
  })
  for (const [name, way] of Object.entries(ways)) {
    await setUp(page, way)
    await expect
      .poll(async () => {
        await drag("dragenter")
        return page.locator('[data-sluice="page-drop-zone"]').count()
      })
      .toBe(1)
    const seen = await page.evaluate(() =>
      ['[data-sluice="name-input"]', "[data-dragged]", '[data-sluice="page-drop-zone"]'].map((selector) => {
        const { color, backgroundColor, opacity } = getComputedStyle(document.querySelector(selector)!)
        const context = document.createElement("canvas").getContext("2d")!
        const toLight = (css: string) => {
          context.clearRect(0, 0, 1, 1)
          context.fillStyle = css
          context.fillRect(0, 0, 1, 1)
          const [red, green, blue, alpha] = context.getImageData(0, 0, 1, 1).data
          return { light: (red! + green! + blue!) / 765, isSolid: alpha === 255 }
        }
        const [ink, ground] = [toLight(color), toLight(backgroundColor)]
        return {
          side:
            ground.light < 0.2 && ink.light > 0.7
              ? "dark"
              : ground.light > 0.9 && ink.light < 0.3
                ? "light"
                : `${color} on ${backgroundColor}`,
          isSolid: ground.isSolid && opacity === "1",
        }
      }),
    )
    expect(seen, name).toEqual(Array.from({ length: 3 }, () => ({ side: way.is, isSolid: true })))
    await drag("dragleave")
    await page.locator('[data-sluice="page-drop"]').waitFor({ state: "detached" })
  }
  await page.close()
})

it("gives the lines of a tray what those of a dropzone have: a gap between buttons, a dot between figures", async () => {
  const page = await getWindow().newPage()
  await page.setViewportSize({ width: 390, height: 700 })
  await page.goto(`${site.url}/?component=button`)
  const seen = await page.evaluate(() => {
    document.querySelector("#root")!.innerHTML = `<div data-sluice="container" data-component="tray">
      <section data-sluice="tray"><div data-sluice="tray-body">
        <div data-sluice="interrupted-box"><div data-sluice="actions"><button>Continue all</button><button>Discard all</button></div></div>
        <div data-sluice="summary"><p data-sluice="summary-text"><span>1.3 of 3.7 MB</span><span data-sluice="speed">282 KB/s</span></p></div>
      </div></section></div>`
    const [first, second] = [...document.querySelectorAll("button")]
      .slice(-2)
      .map((each) => each.getBoundingClientRect())
    const { content } = getComputedStyle(document.querySelector('[data-sluice="speed"]')!, "::before")
    return { gap: second!.left - first!.right, content }
  })
  expect(seen.gap).toBeGreaterThanOrEqual(8)
  expect(seen.content).toContain("·")
  await page.close()
})

it("keeps the line of all files in sight while some are on their way or have failed, and lets it scroll away when all are done", async () => {
  const page = await getWindow().newPage()
  await page.setViewportSize({ width: 390, height: 300 })
  await page.goto(`${site.url}/?component=button`)
  const seen = await page.evaluate(() => {
    const isSeen = (state: string): boolean => {
      document.querySelector("#root")!.innerHTML = `<div data-sluice="container" data-component="dropzone">
        <div data-sluice="files" style="display: grid"><div data-sluice="summary" data-state="${state}"><p data-sluice="summary-text">1 uploaded</p></div>
        <ul style="block-size: 3000px"></ul></div></div>`
      const line = document.querySelector('[data-sluice="summary"]')!
      scrollTo(0, line.getBoundingClientRect().top + scrollY + 100)
      return line.getBoundingClientRect().top >= 0
    }
    return Object.fromEntries(["uploading", "paused", "failed", "done"].map((state) => [state, isSeen(state)]))
  })
  expect(seen).toEqual({ uploading: true, paused: true, failed: true, done: false })
  await page.close()
})

it("keeps the texts of rows and cards in their places on a phone: within the padding, and a reason below its name", async () => {
  const page = await getWindow().newPage()
  await page.setViewportSize({ width: 390, height: 700 })
  await page.goto(`${site.url}/?component=button`)
  const seen = await page.evaluate(() => {
    const row = (state: string, text: string, buttons: number) => `<li data-sluice="file" data-state="${state}">
      <span data-sluice="file-preview"></span><span data-sluice="file-name"><bdi><span>a.png</span></bdi></span>
      <span data-sluice="file-state">${text}</span>
      <span data-sluice="file-actions">${`<button data-sluice="file-button" data-action="cancel"></button>`.repeat(buttons)}</span></li>`
    const list = (previews: string, rows: string) =>
      `<div data-sluice="container" data-component="dropzone" data-previews="${previews}"><ul data-sluice="file-list">${rows}</ul></div>`
    document.querySelector("#root")!.innerHTML =
      list("grid", row("uploading", "480 KB of 1,007.7 MB, 96 %", 2)) +
      list("thumbnail", row("done", "Uploaded, 1 KB", 1) + row("failed", "Not allowed here. Choose images.", 1))
    const [card, done, failed] = [...document.querySelectorAll("li")].map((item) => {
      const boxOf = (part: string) => {
        const range = document.createRange()
        range.selectNodeContents(item.querySelector(`[data-sluice="${part}"]`)!)
        return range.getBoundingClientRect()
      }
      const [name, state] = [boxOf("file-name"), boxOf("file-state")]
      const { right } = item.getBoundingClientRect()
      return {
        room: right - Number.parseFloat(getComputedStyle(item).paddingRight) - state.right,
        gap: state.top - name.bottom,
      }
    })
    return { room: card!.room, gaps: failed!.gap - done!.gap }
  })
  expect(seen.room).toBeGreaterThanOrEqual(0)
  expect(Math.abs(seen.gaps)).toBeLessThanOrEqual(3)
  await page.close()
})

it.each(["ltr", "rtl"])(
  "shows a dot between figures on one line, and none where a line begins or ends (%s)",
  async (dir) => {
    const page = await getWindow().newPage()
    await page.goto(`${site.url}/?component=button`)
    const look = (width: number) =>
      page.evaluate(
        ([width, dir]) => {
          document.documentElement.dir = dir
          document.querySelector("#root")!.innerHTML = `<div data-sluice="container" data-component="tray">
          <section data-sluice="tray"><div data-sluice="tray-header"><span data-sluice="tray-title" style="flex: none; inline-size: ${width}px">
            <span>3 files are uploading</span><span data-sluice="time-left">2 min left</span></span></div></section></div>`
          const title = document.querySelector('[data-sluice="tray-title"]')!
          const [first, second] = [...title.children].map((each) => each.getBoundingClientRect())
          // What the clip leaves, and the room of the dot, which is the padding of the second figure.
          const clip = getComputedStyle(title)
            .clipPath.match(/[\d.]+/g)!
            .map(Number)
          const box = title.getBoundingClientRect()
          const pad = Number.parseFloat(getComputedStyle(title.children[1]!).paddingInlineStart)
          const isSeen = dir === "ltr" ? second!.left >= box.left + clip.at(-1)! : second!.right <= box.right - clip[1]!
          return {
            isSameLine: first!.top === second!.top,
            isSeen,
            isWholeRoom: pad === (dir === "ltr" ? clip.at(-1) : clip[1]),
          }
        },
        [width, dir] as const,
      )
    expect(await look(400)).toEqual({ isSameLine: true, isSeen: true, isWholeRoom: true })
    expect(await look(180)).toEqual({ isSameLine: false, isSeen: false, isWholeRoom: true })
    await page.close()
  },
)
