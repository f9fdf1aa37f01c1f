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

const download = async (url: string | null) => {
  const answer = await fetch(url!)
  return new Uint8Array(await answer.arrayBuffer())
}

/** The suite of every framework's application: starts it with these words, and uses its page as people do. */
export const describeApplication = (title: string, words: ReadonlyArray<string>): void => {
  describe(`npm start -- ${words.join(" ")}, in Chromium`, () => {
    let folder: string
    let playground: RunningPlayground
    let context: BrowserContext
    let page: Page
    let driven: DrivenUploadPage
    let url: string

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "sluice-application-"))
      playground = await startPlayground(words)
      const [[, printed], launched] = await Promise.all([
        playground.prints(/Open\s+(http:\S+)/),
        launchProfile(join(folder, "profile")),
      ])
      url = printed!
      context = launched
      driven = await driveUploadPage(context, url, "networkidle")
      page = driven.page
    }, 240_000)

    afterAll(async () => {
      await context?.close()
      playground?.interrupt()
      await playground?.ended
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    })

    type Card = "Avatar" | "Large files" | "Private documents"
    const card = (name: Card) => page.getByRole("region", { name })
    const stored = (name: Card, file: string) => card(name).locator(".stored > li", { hasText: file })
    const avatarUrl = () => card("Avatar").getByRole("img", { name: "Your avatar" }).getAttribute("src")

    const choose = (name: Card, files: Parameters<Page["setInputFiles"]>[1], button = /^Choose (a file|files)$/) =>
      driven.choose(files, button, card(name))

    it("is a page of that framework, that says who is signed in", async () => {
      expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe(`Sluice on ${title}`)
      expect(await page.title()).toBe(`Sluice on ${title}`)
      await page.getByText(/^Signed in as guest [0-9a-f]{6}$/).waitFor()
      expect(await context.cookies()).toMatchObject([{ httpOnly: true, sameSite: "Lax" }])
    })

    it("shows an avatar from where it is stored", async () => {
      await card("Avatar").getByRole("img", { name: "No picture yet" }).waitFor()
      await choose("Avatar", { name: "me.png", mimeType: "image/png", buffer: pixel })
      const image = card("Avatar").getByRole("img", { name: "Your avatar" })
      await image.waitFor()
      expect(
        await image.evaluate((element: HTMLImageElement) => element.decode().then(() => element.naturalWidth)),
      ).toBe(1)
      expect(sha256(await download(await avatarUrl()))).toBe(sha256(pixel))
    })

    it("says why it does not take an avatar, and keeps the one there is", async () => {
      const before = await avatarUrl()
      await choose("Avatar", { name: "huge.png", mimeType: "image/png", buffer: Buffer.alloc(9 * 1024 * 1024) })
      await card("Avatar")
        .getByText("huge.png: 9\u00a0MB is too large, at most 8\u00a0MB is allowed.", { exact: true })
        .waitFor()
      expect(await avatarUrl()).toBe(before)
    })

    it("uploads several files, of which one is paused and goes on", async () => {
      const bytes = randomBytes(8_000_000)
      await driven.setUploadSpeed(4_000_000)
      await choose("Large files", [
        { name: "first.bin", mimeType: "", buffer: randomBytes(8_000_000) },
        { name: "second.bin", mimeType: "", buffer: bytes },
      ])
      await driven.watchProgress("second.bin", 10)
      await page.getByRole("button", { name: "Pause second.bin" }).click()
      await driven.rowBecomes("second.bin", "paused")
      const paused = await driven.progressOf("second.bin")
      await driven.setUploadSpeed(-1)
      await driven.rowBecomes("first.bin", "done")
      await driven.row("second.bin").getByText(`Paused at ${paused} %`).waitFor()
      await page.getByRole("button", { name: "Resume second.bin" }).click()
      await stored("Large files", "second.bin").waitFor()
      await stored("Large files", "first.bin").waitFor()
      const link = stored("Large files", "second.bin").getByRole("link")
      expect(sha256(await download(await link.getAttribute("href")))).toBe(sha256(bytes))
    })

    it("goes on where it was after a reload in the middle, when the file is chosen again", async () => {
      const bytes = randomBytes(20_000_000)
      const file = join(folder, "reloaded.bin")
      await writeFile(file, bytes)
      const ranges: Array<string | undefined> = []
      page.on("request", (request) => {
        if (request.method() === "PUT") ranges.push(request.headers()["range"])
      })
      await driven.setUploadSpeed(4_000_000)
      await choose("Large files", file)
      await driven.watchProgress("reloaded.bin", 20)
      await page.reload()
      await driven.setUploadSpeed(-1)
      await choose("Large files", file, /^Choose it again to continue reloaded.bin$/)
      const link = stored("Large files", "reloaded.bin").getByRole("link")
      await link.waitFor()
      expect(sha256(await download(await link.getAttribute("href")))).toBe(sha256(bytes))
      expect(ranges).toEqual(["bytes=0-", expect.stringMatching(/^bytes=\d{6,}-$/)])
    })

    it("opens a private document by a link that is signed for its owner, for a minute, and by no other", async () => {
      await choose("Private documents", { name: "secret.txt", mimeType: "text/plain", buffer: Buffer.from("for me") })
      const entry = stored("Private documents", "secret.txt")
      const plain = await entry.getByRole("link", { name: "Plain URL" }).getAttribute("href")
      expect((await fetch(plain!)).status).toBe(403)

      const open = entry.getByRole("link", { name: "Open" })
      const [opened] = await Promise.all([context.waitForEvent("page"), open.click()])
      await opened.getByText("for me").waitFor()
      const signed = new URL(opened.url())
      expect(signed.origin + signed.pathname).toBe(plain)
      const left = Number(signed.searchParams.get("expires")) - Date.now()
      expect(left).toBeLessThanOrEqual(60_000)
      await opened.close()

      const address = new URL((await open.getAttribute("href"))!, url)
      expect((await fetch(address)).status).toBe(404)
      const [cookie] = await context.cookies()
      const asStranger = { headers: { cookie: `${cookie!.name}=${crypto.randomUUID()}` } }
      expect((await fetch(address, asStranger)).status).toBe(404)
    })

    it("is refused who has not opened the page", async () => {
      const answer = await fetch(`${url}/api/sluice?actionType=upload&slug=avatar`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ files: [{ name: "me.png", size: 10, type: "image/png" }] }),
      })
      expect(answer.ok).toBe(false)
      expect(await answer.text()).toContain("Open the page first.")
    })

    it("still shows all of it after a reload, to its owner alone", async () => {
      const before = await avatarUrl()
      await page.reload({ waitUntil: "networkidle" })
      expect(await avatarUrl()).toBe(before)
      expect(await card("Large files").locator(".stored .name").allTextContents()).toEqual([
        "reloaded.bin",
        ...(["first.bin", "second.bin"].map(() => expect.stringMatching(/^(first|second)\.bin$/)) as Array<string>),
      ])
      expect(await card("Private documents").locator(".stored .name").allTextContents()).toEqual(["secret.txt"])
      const asSomebodyElse = await (await fetch(url)).text()
      expect(asSomebodyElse).not.toMatch(/secret\.txt|first\.bin/)
      expect(driven.complaints).toEqual([])
    })

    it("ends on Ctrl-C, with code 0 and everything it has started", async () => {
      if (process.platform === "linux") expect((await playground.processes()).length).toBeGreaterThanOrEqual(3)
      playground.interrupt()
      expect(await playground.ended).toMatchObject({ code: 0 })
      await expect(fetch(url)).rejects.toThrow("fetch failed")
      // The system takes a moment to clear away what was killed.
      await expect.poll(() => playground.processes(), { timeout: 5000 }).toEqual([])
    })
  })
}
