import { createServer } from "node:http"
import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { toNodeListener } from "../../adapters/node.ts"
import { createIngest, createMemoryBlobStore, createMemoryCatalog } from "../../src/ingest.ts"
import { encodeToken } from "../../src/protocol.ts"
import type { Page } from "playwright-core"
import { findFreePort, listen } from "../adapters/apps/listen.ts"
import { runProgram, startProgram } from "../adapters/apps/start-process.ts"
import { launchChromium } from "../browser/chromium.ts"
import { pixel } from "../browser/pixel.ts"
import type { Consumer } from "./consumer.ts"

/** Writes an app's files into a project. */
export const writeFiles = async ({ folder }: Consumer, files: Readonly<Record<string, string>>): Promise<void> => {
  for (const [name, text] of Object.entries(files)) {
    const file = join(folder, name)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
}

/** How an app is built and started: arguments of Node. */
export interface AppCommands {
  readonly build?: ReadonlyArray<string> | undefined
  readonly start: (port: string) => ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>> | undefined
}

/** What a test does in the app's page. `upload` chooses `a.png`. */
type Drive = (page: Page, upload: () => Promise<void>) => Promise<void>

/** Until the page says itself that the file is stored. */
const waitForText: Drive = async (page, upload) => {
  await upload()
  await page.getByText("a.png is stored").waitFor()
}

/**
 * Starts an app beside an ingest, opens its page in Chromium, and lets its dropzone upload `a.png` to the end.
 *
 * @returns the HTML the server gave, what the page says after the upload, and what was complained of
 */
export const tryApp = async (
  { folder: cwd }: Consumer,
  { build, start, env: own = {} }: AppCommands,
  drive: Drive = waitForText,
): Promise<{ readonly html: string; readonly text: string; readonly complaints: ReadonlyArray<string> }> => {
  const port = String(await findFreePort())
  const origin = `http://127.0.0.1:${port}`
  const storage = await listen(createServer(toNodeListener((request) => ingest.fetch(request))))
  const token = encodeToken({ apiKey: "sk_test", appId: "app", regions: ["local"], ingestUrl: storage.origin })
  const ingest = createIngest({
    token,
    store: createMemoryBlobStore(),
    catalog: createMemoryCatalog(),
    logLevel: "None",
  })
  const env = {
    HOST: "127.0.0.1",
    PORT: port,
    ORIGIN: origin,
    SLUICE_TOKEN: token,
    SLUICE_CALLBACK_URL: `${origin}/api/sluice`,
    ...own,
  }
  if (build !== undefined) await runProgram([...build], { cwd, env })
  const app = await startProgram([...start(port)], { cwd, env })
  const browser = await launchChromium()
  try {
    const html = await (await fetch(origin)).text()
    const page = await browser.newPage()
    const complaints: Array<string> = []
    page.on("pageerror", (error) => complaints.push(String(error)))
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) complaints.push(message.text())
    })
    await page.goto(origin, { waitUntil: "networkidle" })
    await drive(page, () => page.setInputFiles("input", { name: "a.png", mimeType: "image/png", buffer: pixel }))
    return { html, text: await page.locator("body").innerText(), complaints }
  } finally {
    await browser.close()
    await app.close()
    await ingest.close()
    await storage.close()
  }
}
