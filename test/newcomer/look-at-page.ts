import { createHash } from "node:crypto"
import { join } from "node:path"
import type { Browser, Locator, Page } from "playwright-core"
import { type Side, take, ways } from "../package/ways.ts"
import { drawPicture } from "./draw-picture.ts"
import type { Application } from "./application.ts"
import type { Running } from "./shell.ts"

/** What a page showed to somebody who looks for faults, and how it looked. */
export interface Look {
  readonly faults: ReadonlyArray<string>
  readonly screenshots: ReadonlyArray<string>
  /** From opening the page to the first file that has arrived. */
  readonly toFirstUpload: number
}

/**
 * What is wrong with how a component looks, whoever styled it: compared with what a browser gives without any style,
 * and with the side that it has to be on, where one is given.
 */
const judgeStyles = (root: Element, side: Side | undefined): ReadonlyArray<string> => {
  type Colour = readonly [red: number, green: number, blue: number, alpha: number]
  const canvas = new OffscreenCanvas(1, 1)
  const context = canvas.getContext("2d", { willReadFrequently: true })!
  const toColour = (css: string): Colour => {
    context.clearRect(0, 0, 1, 1)
    context.fillStyle = css
    context.fillRect(0, 0, 1, 1)
    const [red = 0, green = 0, blue = 0, alpha = 0] = context.getImageData(0, 0, 1, 1).data
    return [red, green, blue, alpha / 255]
  }
  const over = (top: Colour, below: Colour): Colour => {
    const mix = (index: 0 | 1 | 2) => top[index] * top[3] + below[index] * (1 - top[3])
    return [mix(0), mix(1), mix(2), 1]
  }
  const probe = document.createElement("div")
  probe.style.background = "Canvas"
  document.documentElement.append(probe)
  const page = toColour(getComputedStyle(probe).backgroundColor)
  probe.remove()
  const parentOf = (element: Element): Element | null =>
    element.assignedSlot ?? element.parentElement ?? (element.getRootNode() as Partial<ShadowRoot>).host ?? null
  const behind = (element: Element | null): Colour => {
    if (element === null) return page
    const own = toColour(getComputedStyle(element).backgroundColor)
    return own[3] === 1 ? own : over(own, behind(parentOf(element)))
  }
  const luminance = ([red, green, blue]: Colour) => {
    const [r, g, b] = [red, green, blue].map((value) => {
      const part = value / 255
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!
  }
  const contrast = (one: Colour, other: Colour) => {
    const [a, b] = [luminance(one), luminance(other)]
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
  }
  const isSeen = (element: Element) => {
    const { width, height } = element.getBoundingClientRect()
    return width > 2 && height > 2 && element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
  }

  const faults: Array<string> = []
  const own = luminance(toColour(getComputedStyle(root).color)) > 0.4 ? "dark" : "light"
  if (side !== undefined && own !== side) faults.push(`it is ${own} on a ${side} page`)
  const seen = [...root.querySelectorAll("*")].filter(isSeen)
  const button = seen.find((element) => element.localName === "button" || element.role === "button")
  if (button === undefined) return ["there is no button in the component"]
  const style = getComputedStyle(button)
  const frame = document.createElement("iframe")
  frame.style.cssText = `color-scheme: ${style.colorScheme}`
  document.body.append(frame)
  const bare = frame.contentDocument!.createElement("button")
  frame.contentDocument!.body.append(bare)
  const bareStyle = frame.contentWindow!.getComputedStyle(bare)
  const [ownRadius, bareRadius] = [style.borderTopLeftRadius, bareStyle.borderTopLeftRadius]
  const bareBackground = bareStyle.backgroundColor
  frame.remove()

  if (style.backgroundColor === bareBackground) faults.push(`its button has a browser's own grey (${bareBackground})`)
  const hasEdge = parseFloat(style.borderTopWidth) > 0 && toColour(style.borderTopColor)[3] > 0
  if (toColour(style.backgroundColor)[3] === 0 && !hasEdge) faults.push("its button has neither background nor border")
  if (ownRadius === bareRadius || parseFloat(ownRadius) === 0) faults.push(`its button's corners are ${ownRadius}`)
  const box = button.getBoundingClientRect()
  const range = document.createRange()
  range.selectNodeContents(button)
  const words = range.getBoundingClientRect()
  if (words.left - box.left < 6 || words.top - box.top < 3) {
    faults.push(
      `its button gives its words no room (${Math.round(words.left - box.left)} px beside, ${Math.round(words.top - box.top)} px above)`,
    )
  }
  for (const element of seen) {
    const text = [...element.childNodes]
      .filter((node) => node.nodeType === Node.TEXT_NODE)
      .map((node) => node.textContent)
    const said = text.join("").trim()
    if (said === "" || element.closest("[disabled], [aria-disabled=true]") !== null) continue
    const background = behind(element)
    const ratio = contrast(over(toColour(getComputedStyle(element).color), background), background)
    if (ratio < 4.5) faults.push(`“${said}” can hardly be read (contrast ${ratio.toFixed(1)})`)
  }
  if (root.getAttribute("data-component") === "dropzone") {
    const area = [root, ...seen].find((element) => {
      const { borderTopStyle, borderTopWidth, borderTopColor } = getComputedStyle(element)
      return (
        element !== button &&
        element.localName !== "button" &&
        borderTopStyle !== "none" &&
        parseFloat(borderTopWidth) > 0 &&
        contrast(over(toColour(borderTopColor), behind(element)), behind(element)) > 1.1
      )
    })
    if (area === undefined) faults.push("its area has no border that can be seen")
  }
  return faults
}

const components = '[data-sluice="container"]'

const judgeComponents = async (page: Page, scheme: string, side?: Side): Promise<ReadonlyArray<string>> => {
  // Colours on their way to others are judged where they arrive.
  await page.evaluate(() => {
    for (const animation of document.getAnimations()) {
      if (Number.isFinite(animation.effect?.getComputedTiming().endTime)) animation.finish()
    }
  })
  const found = await page.locator(components).all()
  if (found.length === 0) return [`${scheme}: there is no component on the page`]
  const faults = await Promise.all(
    found.map(async (component) => {
      const name = (await component.getAttribute("data-component")) ?? "component"
      return (await component.evaluate(judgeStyles, side)).map((fault) => `${scheme}, ${name}: ${fault}`)
    }),
  )
  return faults.flat()
}

/**
 * Gives a component a file as a person does, and waits until it has arrived, 30 s at most. A dropzone shows what was
 * chosen first, and is told to upload.
 *
 * Fails: with what the component says where that is no success.
 */
const upload = async (component: Locator, file: { name: string; mimeType: string; buffer: Buffer }): Promise<void> => {
  const page = component.page()
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), component.getByRole("button").first().click()])
  await chooser.setFiles(file)
  const state = () => component.getAttribute("data-state")
  for (const until = Date.now() + 30_000; Date.now() < until; await page.waitForTimeout(50)) {
    if ((await state()) === "picked") await component.getByRole("button", { name: /^Upload/ }).click()
    if ((await state()) === "done") return
    if ((await state()) === "failed") break
  }
  throw new Error(`The component is ${await state()} and says: ${await component.innerText()}`)
}

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")

/**
 * Opens a page as a newcomer does: gives each component a file, sees it arrive, finds the line of `onUploadComplete` in
 * the app's log and the same bytes at the URL that it names, and looks at the page, light and dark by each of the ways.
 *
 * @param folder where screenshots go: `<name>-light.png` and `<name>-dark.png` by the system, `<name>-class-dark.png`
 * @returns what is off; what cannot go on at all is thrown
 */
export const lookAtPage = async (
  browser: Browser,
  {
    origin,
    app,
    folder,
    hasOwnTheme,
    ownComplaint,
    toolbar,
    name,
  }: Pick<Application, "ownComplaint" | "toolbar"> & {
    origin: string
    app: Running
    folder: string
    hasOwnTheme: boolean
    name: string
  },
): Promise<Look> => {
  const faults: Array<string> = []
  const screenshots: Array<string> = []
  const complain = (text: string) => {
    if (ownComplaint?.test(text) !== true) faults.push(text)
  }
  const opened = performance.now()
  let toFirstUpload = 0
  const shoot = async (page: Page, side: string) => {
    const path = join(folder, `${name}-${side}.png`)
    await page.screenshot({ path, animations: "disabled" })
    screenshots.push(path)
  }
  for (const colorScheme of ["light", "dark"] as const) {
    const context = await browser.newContext({ colorScheme, viewport: { width: 600, height: 420 } })
    try {
      const page = await context.newPage()
      page.on("pageerror", (error) => complain(`${colorScheme}: the page threw ${String(error)}`))
      page.on("console", (message) => {
        if (!["error", "warning"].includes(message.type())) return
        complain(`${colorScheme}: the console says “${message.text()}” (${message.location().url})`)
      })
      await page.goto(origin, { waitUntil: "networkidle" })
      await page.locator(components).first().waitFor()
      if (toolbar !== undefined) await page.addStyleTag({ content: `${toolbar} { display: none }` })
      faults.push(...(await judgeComponents(page, `${colorScheme}, before`)))
      for (const [index, component] of (await page.locator(components).all()).entries()) {
        const buffer = drawPicture((colorScheme === "light" ? 40 : 90) + 20 * index)
        const fileName = `${name}-${colorScheme}-${index + 1}.png`
        await upload(component, { name: fileName, mimeType: "image/png", buffer })
        if (toFirstUpload === 0) toFirstUpload = performance.now() - opened
        const [, url] = await app.prints(new RegExp(`${fileName.replaceAll(".", "\\.")} is stored at (\\S+)`), 15_000)
        const stored = await fetch(url!)
        const bytes = new Uint8Array(await stored.arrayBuffer())
        if (!stored.ok || sha256(bytes) !== sha256(buffer)) {
          faults.push(`${colorScheme}: ${url} answers ${stored.status} and not the bytes that were sent`)
        }
      }
      faults.push(...(await judgeComponents(page, `${colorScheme}, after`)))
      await shoot(page, colorScheme)
      if (colorScheme === "dark" || hasOwnTheme) continue
      for (const [title, way] of Object.entries(ways)) {
        await page.emulateMedia({ colorScheme: way.system })
        await page.evaluate(take, way)
        faults.push(...(await judgeComponents(page, title, way.is)))
        if (title === "class dark") await shoot(page, "class-dark")
      }
    } finally {
      await context.close()
    }
  }
  return { faults: [...new Set(faults)], screenshots, toFirstUpload }
}
