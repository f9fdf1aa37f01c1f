import { createHash, randomBytes } from "node:crypto"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { BrowserContext, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { launchProfile } from "../browser/chromium.ts"
import { type DrivenUploadPage, driveUploadPage } from "../browser/drive-upload-page.ts"
import { pixel } from "../browser/pixel.ts"
import { type RunningPlayground, startPlayground } from "./run-playground.ts"

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")

describe("the page that npm start prints, in Chromium", () => {
  let folder: string
  let playground: RunningPlayground
  let context: BrowserContext
  let page: Page
  let driven: DrivenUploadPage

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "sluice-page-"))
    playground = await startPlayground([])
    const [[, url], launched] = await Promise.all([
      playground.prints(/Open\s+(http:\S+)/),
      launchProfile(join(folder, "profile")),
    ])
    context = launched
    driven = await driveUploadPage(context, url!)
    page = driven.page
  })

  afterAll(async () => {
    await context?.close()
    playground?.interrupt()
    await playground?.ended
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  })

  const stored = (name: string) => page.locator("#stored > li", { hasText: name })
  const transfer = (name: string, text: string) =>
    page.evaluateHandle(
      ([name, text]) => {
        const data = new DataTransfer()
        data.items.add(new File([text!], name!, { type: "text/plain" }))
        return data
      },
      [name, text],
    )
  it("uploads a chosen file: its SHA-256, what onUploadComplete returned, and a link to the stored bytes", async () => {
    const bytes = randomBytes(2_000_000)
    await driven.choose({ name: "chosen.bin", mimeType: "", buffer: bytes })
    await stored("chosen.bin").getByText(sha256(bytes)).waitFor()
    await driven.rowBecomes("chosen.bin", "done")
    expect(await stored("chosen.bin").textContent()).toContain('"stored": "chosen.bin"')
    const answer = await fetch((await stored("chosen.bin").getByRole("link").getAttribute("href"))!)
    expect(sha256(new Uint8Array(await answer.arrayBuffer()))).toBe(sha256(bytes))
    await page.locator("#log", { hasText: "onUploadComplete: chosen.bin" }).waitFor()
    await page.locator("#log", { hasText: "callback from the ingest → 200" }).waitFor()
  })

  it("uploads what is dropped on it, and lists the newest first", async () => {
    await page.dispatchEvent('[data-sluice="label"]', "drop", {
      dataTransfer: await transfer("dropped.txt", "dropped"),
    })
    await stored("dropped.txt")
      .getByText(sha256(Buffer.from("dropped")))
      .waitFor()
    expect(await page.locator("#stored a").allTextContents()).toEqual(["dropped.txt", "chosen.bin"])
  })

  it("uploads what is pasted", async () => {
    const clipboardData = await transfer("pasted.txt", "pasted")
    await page.evaluate((data) => {
      document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }))
    }, clipboardData)
    await stored("pasted.txt")
      .getByText(sha256(Buffer.from("pasted")))
      .waitFor()
  })

  it("stays where it is when a file is dropped beside the dropzone", async () => {
    const dataTransfer = await transfer("astray.txt", "astray")
    const isPrevented = await page.evaluate(
      (data) =>
        ["dragover", "drop"].map(
          (type) =>
            !document
              .querySelector("h1")!
              .dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true })),
        ),
      dataTransfer,
    )
    expect(isPrevented).toEqual([true, true])
  })

  it("shows progress that only grows, pauses, goes on, and cancels", async () => {
    await driven.setUploadSpeed(4_000_000)
    await driven.choose({ name: "slow.bin", mimeType: "", buffer: randomBytes(20_000_000) })
    const seen = await driven.watchProgress("slow.bin")
    expect(seen).toEqual(seen.toSorted((a, b) => a - b))
    expect(Math.max(...seen)).toBeLessThan(100)
    await page.getByRole("button", { name: "Pause slow.bin" }).click()
    await driven.rowBecomes("slow.bin", "paused")
    await page.getByRole("button", { name: "Resume slow.bin" }).click()
    await driven.rowBecomes("slow.bin", "uploading")
    await page.getByRole("button", { name: "Cancel slow.bin" }).click()
    await driven.rowBecomes("slow.bin", "aborted")
    await driven.setUploadSpeed(-1)
    expect(await stored("slow.bin").count()).toBe(0)
  })

  it("goes on where it was after a reload in the middle, when the file is chosen again", async () => {
    const bytes = randomBytes(20_000_000)
    const file = join(folder, "large.bin")
    await writeFile(file, bytes)
    const ranges: Array<string | undefined> = []
    page.on("request", (request) => {
      if (request.method() === "PUT") ranges.push(request.headers()["range"])
    })
    await driven.setUploadSpeed(4_000_000)
    await driven.choose(file)
    await driven.watchProgress("large.bin")
    await page.reload()
    await driven.setUploadSpeed(-1)
    await driven.choose(file, "Choose it again to continue large.bin")
    await stored("large.bin").getByText(sha256(bytes)).waitFor()
    expect(ranges).toEqual(["bytes=0-", expect.stringMatching(/^bytes=\d{6,}-$/)])
    expect(await page.locator('[data-sluice="interrupted"]').count()).toBe(0)
  })

  it("says what the chosen route refuses, and uploads what it takes", async () => {
    await page.getByText("avatar", { exact: true }).click()
    await page.getByText("1 image, 8\u00a0MB at most").waitFor()
    await driven.choose({ name: "page.html", mimeType: "text/html", buffer: Buffer.from("<p>") }, "Choose a file")
    await driven.row("page.html").getByText("Not allowed here. Choose images.").waitFor()
    await driven.choose({ name: "me.png", mimeType: "image/png", buffer: pixel }, "Choose a file")
    await stored("me.png").getByText("Nice picture, you!").waitFor()
    expect(await driven.row("me.png").locator("img").getAttribute("src")).toMatch(/^blob:/)
    expect(driven.complaints).toEqual([])
  })

  it("ends on Ctrl-C, with code 0", async () => {
    playground.interrupt()
    expect(await playground.ended).toMatchObject({ code: 0 })
  })
})
