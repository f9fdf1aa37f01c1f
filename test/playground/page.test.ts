import { createHash, randomBytes } from "node:crypto"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { launchChromium } from "../browser/chromium.ts"
import { type RunningPlayground, startPlayground } from "./run-playground.ts"

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")

describe("the page that npm start prints, in Chromium", () => {
  let playground: RunningPlayground
  let browser: Browser
  let page: Page
  const complaints: Array<string> = []

  beforeAll(async () => {
    playground = await startPlayground([])
    const [[, url], launched] = await Promise.all([playground.prints(/Open\s+(http:\S+)/), launchChromium()])
    browser = launched
    page = await browser.newPage()
    page.on("pageerror", (error) => complaints.push(String(error)))
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text())
    })
    await page.goto(url!)
  })

  afterAll(async () => {
    await browser?.close()
    playground?.interrupt()
    await playground?.ended
  })

  const row = (name: string) => page.locator(".file", { hasText: name })

  it("uploads a chosen file: its SHA-256, what onUploadComplete returned, and a link to the stored bytes", async () => {
    const bytes = randomBytes(2_000_000)
    await page.setInputFiles("#input", { name: "chosen.bin", mimeType: "", buffer: bytes })
    const facts = row("chosen.bin")
    await facts.getByText(sha256(bytes)).waitFor()
    expect(await facts.textContent()).toContain('"stored": "chosen.bin"')
    const stored = await fetch((await facts.locator("a").getAttribute("href"))!)
    expect(sha256(new Uint8Array(await stored.arrayBuffer()))).toBe(sha256(bytes))
    await page.locator("#log", { hasText: "onUploadComplete: chosen.bin" }).waitFor()
    await page.locator("#log", { hasText: "callback from the ingest → 200" }).waitFor()
  })

  it("uploads what is dropped on it", async () => {
    const transfer = await page.evaluateHandle(() => {
      const data = new DataTransfer()
      data.items.add(new File(["dropped"], "dropped.txt", { type: "text/plain" }))
      return data
    })
    await page.dispatchEvent("#drop", "drop", { dataTransfer: transfer })
    await row("dropped.txt")
      .getByText(sha256(Buffer.from("dropped")))
      .waitFor()
  })

  it("shows progress that only grows, and cancels", async () => {
    const network = await page.context().newCDPSession(page)
    await network.send("Network.enable")
    const conditions = { offline: false, latency: 0, downloadThroughput: -1 }
    await network.send("Network.emulateNetworkConditions", { ...conditions, uploadThroughput: 4_000_000 })
    await page.setInputFiles("#input", { name: "slow.bin", mimeType: "", buffer: randomBytes(20_000_000) })
    const seen: Array<number> = []
    const bar = row("slow.bin").locator("progress")
    while ((seen.at(-1) ?? 0) < 20) seen.push(await bar.evaluate((element) => (element as HTMLProgressElement).value))
    expect(seen).toEqual(seen.toSorted((a, b) => a - b))
    expect(Math.max(...seen)).toBeLessThan(100)
    await page.click("#cancel")
    await page.locator(".file.is-failed", { hasText: "slow.bin" }).waitFor()
    await network.send("Network.emulateNetworkConditions", { ...conditions, uploadThroughput: -1 })
  })

  it("says what the route refuses, and why", async () => {
    await page.getByText("avatar", { exact: true }).click()
    await page.setInputFiles("#input", { name: "page.html", mimeType: "text/html", buffer: Buffer.from("<p>") })
    await row("page.html")
      .getByText(/takes image/)
      .waitFor()
    // The browser itself notes the refusal's status on the console.
    expect(complaints.filter((complaint) => !complaint.includes("415"))).toEqual([])
  })

  it("ends on Ctrl-C, with code 0", async () => {
    playground.interrupt()
    expect(await playground.ended).toMatchObject({ code: 0 })
  })
})
