import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest"
import type { Site } from "../bindings/start-site.ts"
import { launchChromium } from "../browser/chromium.ts"

/** An application that has pages of docs/forms.md. */
export interface FormApp {
  readonly origin: string
  /** Its ingest. */
  readonly site: Pick<Site, "hold" | "refuse" | "token" | "inFlight" | "letTimePass"> & { isIngestAway?: boolean }
  /** Signs a browser in as a user who has nothing yet. */
  readonly signIn: (context: BrowserContext) => Promise<void>
  readonly close: () => Promise<void>
}

/** A page of an application in a real browser. */
export interface FormPage {
  /** Since all tests began. */
  app: FormApp
  /** In each test a new one, of a new user. */
  page: Page
  /** Loads it, again. */
  readonly open: () => Promise<void>
}

/**
 * Starts an application for the tests of a `describe`, and opens a page in each. Whatever the page complains of fails the test.
 *
 * @param isExpected whether a message in the page's console is no complaint
 */
export const useFormPage = (
  start: () => Promise<FormApp>,
  path: string,
  isExpected: (message: string) => boolean = () => false,
): FormPage => {
  let browser: Browser
  let context: BrowserContext
  let complaints: Array<string>
  const form = {
    open: async () => {
      await form.page.goto(`${form.app.origin}${path}`, { waitUntil: "networkidle" })
      await form.page.locator('[data-sluice="container"]:not([data-state="loading"])').waitFor()
    },
  } as FormPage

  beforeAll(async () => {
    ;[browser, form.app] = await Promise.all([launchChromium(), start()])
  })
  afterAll(async () => {
    await browser?.close()
    await form.app?.close()
  })
  beforeEach(async () => {
    context = await browser.newContext()
    await form.app.signIn(context)
    complaints = []
    form.page = await context.newPage()
    form.page.setDefaultTimeout(10_000)
    form.page.on("pageerror", (error) => complaints.push(String(error)))
    form.page.on("console", (message) => {
      const text = message.text()
      if (["error", "warning"].includes(message.type()) && !isExpected(text)) complaints.push(text)
    })
    await form.open()
  })
  afterEach(async () => {
    await context.close()
    expect(complaints).toEqual([])
  })
  return form
}
