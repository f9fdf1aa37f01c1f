import type { Browser } from "playwright-core"
import type { TestContext } from "vitest"
import { skipLacking } from "../skip-lacking.ts"

/** Whether a browser asks once more for a module that could not be had; Chromium 153 does not before the page is reloaded. */
const asksAgain = async (browser: Browser): Promise<boolean> => {
  const page = await browser.newPage()
  try {
    let isLost = true
    await page.route("http://lost.test/**", async (route) => {
      if (!route.request().url().endsWith(".js")) {
        return route.fulfill({ contentType: "text/html", body: "<!doctype html>" })
      }
      if (isLost) return route.abort()
      return route.fulfill({ contentType: "text/javascript", body: "export {}" })
    })
    await page.goto("http://lost.test/")
    // As text: the runner of the tests would put its own import in the place of this one.
    const load = () => page.evaluate<boolean>(`import("/module.js").then(() => true, () => false)`)
    await load()
    isLost = false
    return await load()
  } finally {
    await page.close()
  }
}

/** Skips a test in which code of a page can be had again, where the browser does not ask for it. */
export const needBrowserThatAsksAgain = async (context: Pick<TestContext, "skip">, browser: Browser): Promise<void> => {
  if (await asksAgain(browser)) return
  skipLacking(
    context,
    `Chromium ${browser.version()} remembers until a reload that code could not be had: apt-get install chromium`,
  )
}
