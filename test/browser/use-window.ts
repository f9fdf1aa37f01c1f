import type { Browser, BrowserContext } from "playwright-core"
import { afterAll, beforeAll } from "vitest"
import { launchChromium } from "./chromium.ts"

/** A private window for all tests of a file, in which no download is kept. */
export const useWindow = (): (() => BrowserContext) => {
  let browser: Browser | undefined
  let context: BrowserContext
  beforeAll(async () => {
    browser = await launchChromium()
    context = await browser.newContext({ acceptDownloads: false })
  })
  afterAll(() => browser?.close())
  return () => context
}
