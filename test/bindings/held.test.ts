import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { BrowserContext, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { SluiceApi } from "../../src/api.ts"
import { launchProfile } from "../browser/chromium.ts"
import { pixel } from "../browser/pixel.ts"
import { bundlePage } from "./bundle-page.ts"
import { type Site, startSite } from "./start-site.ts"

const png = (name: string) => ({ name, mimeType: "image/png", buffer: pixel })

/** ms. Shorter than verdicts take in these tests, so that the wait for one runs out. */
const short = 1500

describe("a page whose files are held until somebody has looked at them", () => {
  let profile: string
  let context: BrowserContext
  let page: Page
  let script: string
  let styles: string
  let site: Site
  let api: SluiceApi

  beforeAll(async () => {
    profile = await mkdtemp(join(tmpdir(), "sluice-profile-"))
    ;[context, script, styles] = await Promise.all([
      launchProfile(profile),
      bundlePage("react.ts"),
      readFile(join(import.meta.dirname, "../../src/ui/styles.css"), "utf8"),
    ])
  })
  afterAll(async () => {
    await context?.close()
    await rm(profile, { recursive: true, force: true, maxRetries: 5 })
  })
  const start = async (callbackWait?: number) => {
    site = await startSite({ script, styles, ...(callbackWait !== undefined && { callbackWait }) })
    api = new SluiceApi({ token: site.token })
  }
  beforeEach(async () => {
    page = await context.newPage()
    await page.addInitScript(() => Reflect.deleteProperty(globalThis, "showOpenFilePicker"))
  })
  afterEach(async () => {
    await page.close()
    await site.close()
  })

  const open = async (query: string) => {
    await page.goto(`${site.url}/?${query}`)
    await page.locator('[data-sluice="container"]:not([data-state="loading"])').last().waitFor()
    await page.evaluate(() => {
      window.announced = []
      const look = () => {
        const text = document.querySelector('[role="status"]')!.textContent.trim()
        if (text !== "" && window.announced.at(-1) !== text) window.announced.push(text)
      }
      new MutationObserver(look).observe(document.body, { childList: true, characterData: true, subtree: true })
    })
  }
  const choose = (...names: ReadonlyArray<string>) =>
    page.locator("input[type=file]").first().setInputFiles(names.map(png))
  const row = (file: string) => page.locator('[data-sluice="file"]', { hasText: file })
  const stateOf = (file: string) => row(file).locator('[data-sluice="file-state"]')
  const buttonsOf = (file: string) =>
    row(file)
      .getByRole("button")
      .evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")))
  const says = async (text: string) =>
    await expect.poll(() => page.evaluate(() => window.announced), { timeout: 20_000 }).toContain(text)
  const heldKey = async () => {
    await expect.poll(async () => (await api.listFiles({ status: "Held" })).files.length).toBe(1)
    return (await api.listFiles({ status: "Held" })).files[0]!.key
  }
  const told = (name: string): Promise<Array<any>> =>
    page.evaluate((name) => window.told.filter((event) => event.name === name).map(({ detail }) => detail), name)
  const isChecked = (file: string) =>
    row(file).and(page.locator('[data-state="processing"][data-held]')).waitFor({ timeout: 10_000 })

  test("says that a file is being checked, and what becomes of it when it is released", async () => {
    await start()
    await open("endpoint=checked&mode=auto")
    await choose("a.png")
    await isChecked("a.png")
    expect(await stateOf("a.png").textContent()).toBe("Being checked…")
    expect(await page.locator('[data-sluice="summary-text"]').textContent()).toBe("Being checked…")
    expect(await row("a.png").getByRole("progressbar").getAttribute("aria-valuetext")).toBe("Being checked…")
    expect(await buttonsOf("a.png")).toEqual(["Cancel a.png"])
    await says("Being checked…")
    await api.releaseFiles(await heldKey())
    await row("a.png").and(page.locator('[data-state="done"]:not([data-held])')).waitFor()
    expect(await stateOf("a.png").textContent()).toMatch(/^Uploaded, \d+.B$/)
    await says("1 file uploaded")
    const [[result]] = await told("complete")
    expect(result.serverData).toEqual({ stored: "a.png" })
  })

  test.each([
    ["with a reason", "It shows somebody else.", "Rejected: It shows somebody else."],
    ["without one", undefined, "The file was rejected."],
  ])("reads as a refusal where it is rejected %s, and offers no other try", async (_, reason, text) => {
    await start()
    await open("endpoint=checked&mode=auto")
    await choose("a.png")
    await isChecked("a.png")
    await api.rejectFiles(await heldKey(), { ...(reason !== undefined && { reason }) })
    await row("a.png").and(page.locator('[data-state="failed"]:not([data-held])')).waitFor()
    expect(await stateOf("a.png").textContent()).toBe(text)
    expect(await buttonsOf("a.png")).toEqual(["Remove a.png"])
    await says(`a.png: ${text}`)
    expect(await told("error")).toEqual([["REJECTED", ["a.png"]]])
    await choose("b.png")
    await isChecked("b.png")
    await api.releaseFiles(await heldKey())
    await row("b.png").and(page.locator('[data-state="done"]')).waitFor()
  })

  test("says the same while the wait for the verdict runs out again and again, and sends no byte twice", async () => {
    await start(short)
    await open("endpoint=checked&mode=auto")
    await choose("a.png")
    await isChecked("a.png")
    await page.evaluate(() => {
      // Not among what is announced: the page itself fills that.
      const states = ((globalThis as { states?: Array<string> }).states = [] as Array<string>)
      const look = () => {
        const state = document.querySelector('[data-sluice="file-state"]')?.textContent
        if (state && states.at(-1) !== state) states.push(state)
      }
      look()
      new MutationObserver(look).observe(document.body, { childList: true, characterData: true, subtree: true })
    })
    await expect.poll(() => site.puts.length, { timeout: 20_000 }).toBeGreaterThan(3)
    expect(await stateOf("a.png").textContent()).toBe("Being checked…")
    await api.releaseFiles(await heldKey())
    await row("a.png").and(page.locator('[data-state="done"]')).waitFor()
    const said = new Set(await page.evaluate(() => (globalThis as { states?: Array<string> }).states))
    expect(said).toEqual(new Set(["Being checked…", await stateOf("a.png").textContent()]))
    expect(new Set(site.puts.slice(1).map(({ range }) => range))).toEqual(new Set([`bytes=${pixel.length}-`]))
  })

  test("goes on waiting after a reload", async () => {
    await start()
    // On the disk, where it is the same file when it is chosen again.
    const path = join(profile, "a.png")
    await writeFile(path, pixel)
    const interrupted = () => page.getByRole("list", { name: "Interrupted uploads" })
    const choose = () => page.locator("input[type=file]").first().setInputFiles(path)
    await open("endpoint=checked&mode=auto&resume")
    await choose()
    await isChecked("a.png")
    await open("endpoint=checked&mode=auto&resume")
    await page
      .getByText("Interrupted uploads")
      .or(page.getByRole("list", { name: "Interrupted uploads" }))
      .waitFor()
    await choose()
    await isChecked("a.png")
    expect(await stateOf("a.png").textContent()).toBe("Being checked…")
    await api.rejectFiles(await heldKey(), { reason: "No." })
    await expect.poll(() => stateOf("a.png").textContent()).toBe("Rejected: No.")
    await open("endpoint=checked&mode=auto&resume")
    expect(await interrupted().count()).toBe(0)
  })

  test("is done at once where the route does not await the verdict, and says that it is being checked", async () => {
    await start()
    await open("endpoint=moderated&mode=auto&form&name=photos")
    await choose("a.png")
    await row("a.png").and(page.locator('[data-state="done"][data-held]')).waitFor()
    expect(await stateOf("a.png").textContent()).toMatch(/^Uploaded, \d+.B · Being checked…$/)
    await says("1 file uploaded")
    await page.getByRole("button", { name: "Save" }).click()
    await expect
      .poll(() => told("submit"))
      .toEqual([
        [
          ["photos", await heldKey()],
          ["by", "Save"],
        ],
      ])
  })

  test("keeps a form as long as it is being checked, and says why", async () => {
    await start()
    await open("endpoint=checked&mode=auto&form&name=photos")
    await choose("a.png")
    await isChecked("a.png")
    await page.getByRole("button", { name: "Save" }).click()
    const message = () =>
      page.evaluate(
        () =>
          [...document.querySelector("form")!.elements]
            .map((control) => (control as HTMLInputElement).validationMessage)
            .find(Boolean) ?? "",
      )
    await expect.poll(message).toBe("Wait until all files are checked, or cancel them.")
    expect(await told("submit")).toEqual([])
    await api.rejectFiles(await heldKey(), { reason: "No." })
    await expect.poll(message).toBe("a.png was not uploaded. Remove it.")
    await row("a.png").getByRole("button", { name: "Remove" }).click()
    await expect.poll(message).toBe("")
  })

  test("sends a form that uploads by itself when its file is released", async () => {
    await start()
    await open("endpoint=checked&form&name=photos&submit")
    await choose("a.png")
    await page.getByRole("button", { name: "Save" }).click()
    await isChecked("a.png")
    expect(await told("submit")).toEqual([])
    const key = await heldKey()
    await api.releaseFiles(key)
    await expect
      .poll(() => told("submit"))
      .toEqual([
        [
          ["photos", key],
          ["by", "Save"],
        ],
      ])
  })

  test("is said by a button and by an avatar", async () => {
    await start()
    await open("component=button&endpoint=checked")
    await choose("a.png")
    await page.locator('[data-sluice="button"]', { hasText: "Being checked…" }).waitFor()
    await api.rejectFiles(await heldKey(), { reason: "No." })
    await page.getByText("a.png: Rejected: No.").waitFor()
    await open(`component=avatar&endpoint=checked&crop=false`)
    await choose("b.png")
    await page.getByText("Being checked…").first().waitFor()
    await api.releaseFiles(await heldKey())
    await page.locator('[data-sluice="container"][data-state="done"]').waitFor()
  })
})
