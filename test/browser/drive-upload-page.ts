import type { BrowserContext, Locator, Page } from "playwright-core"

/** A page with upload components, and what people do to it. */
export interface DrivenUploadPage {
  readonly page: Page
  /** Errors and warnings of the page's console, and what its scripts threw. */
  readonly complaints: ReadonlyArray<string>
  readonly row: (file: string) => Locator
  readonly rowBecomes: (file: string, state: string) => Promise<void>
  /** Chooses files in the dialog that a button opens; the only one of this name within a part of the page. */
  readonly choose: (
    files: Parameters<Page["setInputFiles"]>[1],
    button?: string | RegExp,
    within?: Page | Locator,
  ) => Promise<void>
  readonly drop: (name: string, text: string) => Promise<void>
  /** Bytes a second, -1 for all there is. */
  readonly setUploadSpeed: (bytesPerSecond: number) => Promise<unknown>
  /** What a file's bar shows, percent. */
  readonly progressOf: (file: string) => Promise<number>
  /** Looks at a file's bar until it is past so many percent, 20 unless given. @returns what it showed */
  readonly watchProgress: (file: string, percent?: number) => Promise<ReadonlyArray<number>>
}

/** Opens a page in a browser that was started with `launchProfile`. */
export const driveUploadPage = async (
  context: BrowserContext,
  url: string,
  waitUntil: "load" | "networkidle" = "load",
): Promise<DrivenUploadPage> => {
  const page = await context.newPage()
  // Its dialog cannot be driven from outside; without it the dropzone uses a file input, as in other browsers.
  await page.addInitScript(() => Reflect.deleteProperty(globalThis, "showOpenFilePicker"))
  const complaints: Array<string> = []
  page.on("pageerror", (error) => complaints.push(String(error)))
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text())
  })
  const network = await context.newCDPSession(page)
  await network.send("Network.enable")
  await page.goto(url, { waitUntil })
  const row = (file: string) => page.locator('[data-sluice="file"]', { hasText: file })
  const progressOf = async (file: string) =>
    Number(await row(file).getByRole("progressbar").getAttribute("aria-valuenow"))
  return {
    page,
    complaints,
    row,
    rowBecomes: (file, state) =>
      page.locator(`[data-sluice="file"][data-state="${state}"]`, { hasText: file }).waitFor(),
    choose: async (files, button = "Choose files", within = page) => {
      const [chooser] = await Promise.all([
        page.waitForEvent("filechooser"),
        within.getByRole("button", { name: button }).click(),
      ])
      await chooser.setFiles(files)
    },
    drop: async (name, text) => {
      const dataTransfer = await page.evaluateHandle(
        ([name, text]) => {
          const data = new DataTransfer()
          data.items.add(new File([text!], name!, { type: "text/plain" }))
          return data
        },
        [name, text],
      )
      await page.dispatchEvent('[data-sluice="label"]', "drop", { dataTransfer })
    },
    setUploadSpeed: (uploadThroughput) =>
      network.send("Network.emulateNetworkConditions", {
        offline: false,
        latency: 0,
        downloadThroughput: -1,
        uploadThroughput,
      }),
    progressOf,
    watchProgress: async (file, percent = 20) => {
      const seen: Array<number> = []
      while ((seen.at(-1) ?? 0) <= percent) seen.push(await progressOf(file))
      return seen
    },
  }
}
