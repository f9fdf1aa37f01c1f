import { readFile, rm, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { lacksFirefox, startFirefox } from "../browser/others/firefox.ts"
import { type OtherBrowser, type Tab, tabKey } from "../browser/others/tab.ts"
import { lacksWebKit, startWebKit } from "../browser/others/webkit.ts"
import { makePng } from "../browser/make-png.ts"
import { makeFolder } from "../make-folder.ts"
import { lacking } from "../skip-lacking.ts"
import { bundlePage } from "./bundle-page.ts"
import { type Site, startSite } from "./start-site.ts"

/* What is asked of every browser, in the two engines that the other tests do not run in. */

for (const [name, lacks, start] of [
  ["WebKit", lacksWebKit, startWebKit],
  ["Firefox", lacksFirefox, startFirefox],
] as const) {
  describe(`the components in ${name}`, { timeout: 60_000 }, () => {
    const lack = lacks()
    let browser: OtherBrowser | undefined
    let tab: Tab
    let script: string
    let styles: string
    let site: Site
    let folder: string

    beforeAll(async () => {
      if (lack !== undefined) return
      ;[browser, script, styles] = await Promise.all([
        start(),
        bundlePage("element.ts"),
        readFile(join(import.meta.dirname, "../../src/ui/styles.css"), "utf8"),
      ])
      tab = browser.tab
    })
    afterAll(() => browser?.close())
    beforeEach(async (context) => {
      if (lack !== undefined) context.skip(lacking + lack)
      site = await startSite({ script, styles })
      folder = await makeFolder()
    })
    afterEach(async () => {
      if (lack !== undefined) return
      await tab.goto("about:blank")
      await site.close()
    })

    const open = async (query: string) => {
      await tab.goto(`${site.url}/?${query}`)
      await tab.evaluate(() => {
        const complaints: Array<string> = []
        Object.assign(window, { complaints })
        addEventListener("error", ({ message }) => complaints.push(message))
        addEventListener("unhandledrejection", ({ reason }) => complaints.push(String(reason)))
      })
      await until(() => !!document.querySelector('[data-sluice="container"]:not([data-state="loading"])'))
    }
    const until = async (condition: (...args: ReadonlyArray<any>) => boolean, ...args: ReadonlyArray<unknown>) =>
      await expect.poll(() => tab.evaluate(condition, ...args), { timeout: 20_000, interval: 50 }).toBe(true)
    const rowsAre = async (...states: ReadonlyArray<string>) =>
      await expect
        .poll(
          () =>
            tab.evaluate(() =>
              [...document.querySelectorAll<HTMLElement>('[data-sluice="file"]')].map((row) => row.dataset["state"]),
            ),
          { timeout: 20_000, interval: 50 },
        )
        .toEqual(states)
    const hasSent = (least: number) =>
      until(
        (least) =>
          Number(/(\d+) %/.exec(document.querySelector('[data-sluice="file-state"]')!.textContent)?.[1]) >= least,
        least,
      )
    const complaints = () => tab.evaluate(() => (window as unknown as { complaints: Array<string> }).complaints)
    const write = async (file: string, content: Uint8Array) => {
      const path = join(folder, file)
      await writeFile(path, content)
      await utimes(path, 1_700_000_000, 1_700_000_000)
      return path
    }
    const input = "input[type=file]"
    /** More than the buffers on the way take, so that an upload can be met in the middle. */
    const large = Buffer.alloc(30_000_000, 7)

    test("upload small and large files, and tell the page", async () => {
      await open("component=dropzone&endpoint=anything&mode=auto")
      await tab.setFiles(input, [await write("small.txt", Buffer.from("hello")), await write("large.bin", large)])
      await rowsAre("done", "done")
      const told = await tab.evaluate(() => window.told.map(({ name }) => name))
      expect(told.filter((name) => name === "complete")).toHaveLength(1)
      expect(await complaints()).toEqual([])
    })

    test("pause, and resume where they were", async () => {
      const release = site.hold("large.bin", 1_000_000)
      await open("component=dropzone&endpoint=anything&mode=auto")
      await tab.setFiles(input, [await write("large.bin", large)])
      await hasSent(1)
      await tab.click('[data-action="pause"]')
      await rowsAre("paused")
      release()
      await expect.poll(() => site.inFlight()).toBe(0)
      await tab.click('[data-action="resume"]')
      await rowsAre("done")
      expect(site.puts.map(({ range }) => range)).toEqual(["bytes=0-", expect.stringMatching(/^bytes=[1-9]/)])
    })

    test("wait for a server that cannot now", async () => {
      site.refuse("a.txt", 503, 2)
      await open("component=dropzone&endpoint=anything&mode=auto")
      await tab.setFiles(input, [await write("a.txt", Buffer.from("hello"))])
      await rowsAre("done")
      expect(site.puts).toHaveLength(3)
    })

    test("offer after a reload what it has interrupted, and resume it with the file that is chosen again", async () => {
      const path = await write("large.bin", large)
      const release = site.hold("large.bin", 1_000_000)
      await open("component=dropzone&endpoint=anything&mode=auto&resume")
      await tab.setFiles(input, [path])
      await hasSent(1)
      await open("component=dropzone&endpoint=anything&mode=auto&resume")
      release()
      await until(() => document.querySelector('[data-sluice="interrupted-file"]') !== null)
      await expect.poll(() => site.inFlight()).toBe(0)
      await tab.setFiles(input, [path])
      await rowsAre("done")
      expect(site.puts.map(({ range }) => range)).toEqual(["bytes=0-", expect.stringMatching(/^bytes=[1-9]/)])
      expect(new Set(site.puts.map(({ key }) => key)).size).toBe(1)
    })

    // Sent as it is, such a file would keep these two waiting for ever. Firefox takes one of the same size for the same file.
    test.each([
      ["was cut", (path: string) => writeFile(path, Buffer.alloc(1_000_000, 2))],
      ["was removed", (path: string) => rm(path)],
    ] as const)("say of a file that %s since it was chosen that it has to be chosen again", async (_, change) => {
      const path = await write("a.pdf", Buffer.alloc(3_000_000, 1))
      await open("component=dropzone&endpoint=anything&mode=manual")
      await tab.setFiles(input, [path])
      await rowsAre("picked")
      await change(path)
      await tab.click('[data-sluice="upload-button"]')
      await rowsAre("failed")
      const said = await tab.evaluate(() => document.querySelector('[data-sluice="file-state"]')!.textContent)
      expect(said).toMatch(/changed|moved|removed/i)
      expect(said).toMatch(/choose it again/i)
    })

    test("show small pictures of images", async () => {
      await open("component=dropzone&endpoint=anything&mode=manual&previews=grid")
      await tab.setFiles(input, [await write("wide.png", makePng(600, 400))])
      await until(() => document.querySelector<HTMLImageElement>('[data-sluice="file-preview"] img')?.complete === true)
      const size = await tab.evaluate(() => {
        const { naturalWidth, naturalHeight } = document.querySelector<HTMLImageElement>(
          '[data-sluice="file-preview"] img',
        )!
        return [naturalWidth, naturalHeight]
      })
      expect(size).toEqual([192, 128])
    })

    test("take what is dropped", async () => {
      await open("component=dropzone&endpoint=anything&mode=auto")
      await tab.evaluate(() => {
        const dataTransfer = new DataTransfer()
        dataTransfer.items.add(new File(["hello"], "dropped.txt", { type: "text/plain" }))
        const area = document.querySelector('[data-sluice="area"]')!
        for (const type of ["dragenter", "dragover", "drop"]) {
          area.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true, composed: true }))
        }
      })
      await rowsAre("done")
      expect(site.puts.map(({ file }) => file)).toEqual(["dropped.txt"])
    })

    test("give a form the keys, and keep it until they are there", async () => {
      await open("component=dropzone&endpoint=anything&form&name=photos&required&mode=auto")
      await tab.click("button[type=submit]")
      expect(await tab.evaluate(() => window.told.filter(({ name }) => name === "submit").length)).toBe(0)
      await tab.setFiles(input, [await write("a.txt", Buffer.from("hello"))])
      await rowsAre("done")
      await tab.click("button[type=submit]")
      await until(() => window.told.some(({ name }) => name === "submit"))
      const sent = await tab.evaluate(() => window.told.find(({ name }) => name === "submit")!.detail)
      expect(JSON.stringify(sent)).toContain(site.puts[0]!.key)
    })

    test("are one stop of the Tab key, however long the list is", async () => {
      await open("component=dropzone&endpoint=anything&mode=manual")
      const paths = await Promise.all(Array.from({ length: 60 }, (_, index) => write(`${index}.txt`, Buffer.from("x"))))
      await tab.setFiles(input, paths)
      await until(() => document.querySelectorAll('[data-sluice="file"]').length === 60)
      await until(() => document.querySelector('[data-sluice="file-button"][tabindex="0"]') !== null)
      await tab.evaluate(() => document.querySelector<HTMLElement>('[data-sluice="button"]')!.focus())
      const seen: Array<string> = []
      for (let count = 0; count < 2; count++) {
        await tab.press(tabKey)
        seen.push(
          await tab.evaluate(
            () => document.activeElement!.getAttribute("aria-label") ?? document.activeElement!.textContent,
          ),
        )
      }
      expect(seen).toEqual([expect.stringMatching(/^Remove \d+\.txt$/), "Upload 60 files"])
    })
  })
}
