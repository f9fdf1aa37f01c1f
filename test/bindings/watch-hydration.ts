import { expect } from "vitest"
import { names } from "../../src/protocol.ts"
import { extractRouteConfig } from "../../src/server.ts"
import { launchChromium } from "../browser/chromium.ts"
import { picture } from "./apps/picture.ts"
import { router } from "./apps/router.ts"
import { startSite } from "./start-site.ts"

/** What happened in a browser to a page that came from a server. */
interface Hydration {
  /** Everything the page said before, while and after it was hydrated, if that changed. */
  readonly texts: ReadonlyArray<string>
  /** Elements that were added or removed. */
  readonly changedElements: ReadonlyArray<string>
  /** Warnings and errors. */
  readonly complaints: ReadonlyArray<string>
  /** What was asked of the route handler; nothing, where its answer is known. */
  readonly requests: ReadonlyArray<string>
  /** The name that the dropzone shows of a file chosen through its button. */
  readonly chosen: string | null
}

/**
 * Hydrates a page whose routes' configuration is seeded.
 *
 * @param body what the server has rendered; three components, the second a dropzone
 */
const watchHydration = async (body: string, script: string): Promise<Hydration> => {
  const prelude = `
    globalThis.routes = ${JSON.stringify(extractRouteConfig(router))}
    const root = document.getElementById("root")
    globalThis.hydration = { texts: [root.textContent], changedElements: [] }
    new MutationObserver((records) => {
      const { texts, changedElements } = globalThis.hydration
      if (texts.at(-1) !== root.textContent) texts.push(root.textContent)
      for (const { addedNodes, removedNodes } of records) {
        for (const node of [...addedNodes, ...removedNodes]) if (node.outerHTML) changedElements.push(node.outerHTML)
      }
    }).observe(root, { subtree: true, childList: true, characterData: true })
  `
  const site = await startSite({ script: `${prelude};${script}`, body })
  const browser = await launchChromium()
  try {
    const page = await browser.newPage()
    const complaints: Array<string> = []
    page.on("pageerror", (error) => complaints.push(String(error)))
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) complaints.push(message.text())
    })
    const requests: Array<string> = []
    page.on("request", (request) => {
      if (new URL(request.url()).pathname === names.adapterPath) requests.push(request.method())
    })
    await page.goto(site.url, { waitUntil: "networkidle" })
    const hydration = await page.evaluate(
      () => (globalThis as unknown as { hydration: Pick<Hydration, "texts" | "changedElements"> }).hydration,
    )
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser", { timeout: 5000 }).catch(() => undefined),
      page.locator('[data-component="dropzone"] [data-sluice="button"]').click(),
    ])
    await chooser?.setFiles({ name: "a.png", mimeType: "image/png", buffer: Buffer.alloc(10) })
    const chosen = await page
      .locator('[data-sluice="file-name"]')
      .textContent({ timeout: 1000 })
      .catch(() => null) // the complaints say why
    return { ...hydration, complaints, requests, chosen }
  } finally {
    await browser.close()
    await site.close()
  }
}

/**
 * Expects that a page's HTML is complete (a button for `avatar`, a dropzone for `photos` with `<b>0 files</b>` as its
 * label, an avatar with its picture), and that it comes to life without a change.
 *
 * @param isExpected what a framework always says
 */
export const expectSeamless = async (
  html: string,
  script: string,
  isExpected: (complaint: string) => boolean = () => false,
): Promise<void> => {
  expect(html).toContain("Choose a file")
  expect(html).toContain("1 image, 4\u00a0MB at most")
  expect(html).toContain("Up to 3 images, 4\u00a0MB each at most")
  expect(html).toMatch(/<b[^>]*>0 files<\/b>/)
  expect(html).toContain(`src="${picture.previewUrl}"`)
  expect(html).toContain("Change picture")
  const hydration = await watchHydration(html, script)
  expect(hydration.complaints.filter((line) => !isExpected(line))).toEqual([])
  expect(hydration.texts.length).toBe(1)
  expect(hydration.changedElements).toEqual([])
  expect(hydration.requests).toEqual([])
  expect(hydration.chosen).toBe("a.png")
}
