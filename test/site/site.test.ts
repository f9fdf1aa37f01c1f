import { globSync } from "node:fs"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { PublicName } from "../../site/api-reference.ts"
import { problemCodes } from "../../src/protocol/errors/problem-code.ts"
import type { RouteHandlerOptions } from "../../src/server.ts"
import { siteFiles } from "../../site/pages.ts"
import { doors } from "../../tsup.config.ts"
import { runProgram } from "../adapters/apps/start-process.ts"
import { launchChromium } from "../browser/chromium.ts"
import { serveFolder } from "./serve-folder.ts"

const root = join(import.meta.dirname, "../..")
const axeSource = createRequire(import.meta.url).resolve("axe-core/axe.min.js")

/** What a page has, as the browser resolves it. */
interface PageFacts {
  readonly ids: ReadonlyArray<string>
  readonly links: ReadonlyArray<string>
  readonly images: ReadonlyArray<string>
}

let work: string
let site: Awaited<ReturnType<typeof serveFolder>>
let browser: Browser
let page: Page
let names: ReadonlyArray<PublicName>
const facts = new Map<string, PageFacts>()
/** Errors of the pages' scripts, and what could not be loaded. */
const complaints: Array<string> = []

const open = async (path: string): Promise<void> => {
  const response = await page.goto(site.origin + path)
  expect(response?.status(), path).toBe(200)
}

beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), "sluice-site-"))
  await runProgram([join(root, "site/main.ts"), "build"], { cwd: root, env: { SITE_WORK: work } })
  names = JSON.parse(await readFile(join(work, "names.json"), "utf8"))
  site = await serveFolder(join(work, "dist"))
  browser = await launchChromium()
  page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  page.on("pageerror", (error) => complaints.push(String(error)))
  page.on("response", (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()} in ${page.url()}`)
  })
  const paths = globSync("**/index.html", { cwd: join(work, "dist") }).map(
    (file) => `/${file.slice(0, -"index.html".length)}`,
  )
  for (const path of paths.toSorted()) {
    await open(path)
    const found = await page.evaluate((): PageFacts => ({
      ids: [...document.querySelectorAll("[id]")].map(({ id }) => id),
      links: [...document.querySelectorAll<HTMLAnchorElement>("a[href]")].map(({ href }) => href),
      images: [...document.querySelectorAll("img")].map(({ src }) => src),
    }))
    facts.set(path, found)
  }
})

afterAll(async () => {
  await browser?.close()
  await site?.close()
  await rm(work, { recursive: true, force: true })
})

describe("the site", () => {
  it("has no dead link and no dead anchor", async () => {
    const dead = new Set<string>()
    const files = siteFiles.map((file) => `/${basename(file)}`)
    for (const file of files) expect((await fetch(site.origin + file)).status, file).toBe(200)
    for (const [path, { links }] of facts) {
      for (const link of links) {
        const { origin, pathname, hash } = new URL(link)
        if (origin !== site.origin) continue
        if (files.includes(pathname)) continue
        const target = facts.get(pathname)
        if (target === undefined) dead.add(`${path} links to ${pathname}, which is no page`)
        else if (hash !== "" && !target.ids.includes(decodeURIComponent(hash.slice(1)))) {
          dead.add(`${path} links to ${pathname}${hash}, and there is no such anchor`)
        }
      }
    }
    expect([...dead]).toEqual([])
  })

  it("loads all it names, its scripts throw nothing, and its pictures are there", async () => {
    expect(complaints).toEqual([])
    const images = new Set([...facts.values()].flatMap(({ images }) => images))
    expect(images.size).toBeGreaterThan(2)
    for (const image of images) expect((await fetch(image)).status, image).toBe(200)
  })

  it("has a page for every door, and an anchor for every name", () => {
    expect([...new Set(names.map(({ door }) => door))].toSorted()).toEqual(
      [...doors.keys()].map((door) => `sluice/${door}`).toSorted(),
    )
    const missing = names.filter(({ door, name }) => {
      const ids = facts.get(`/${door.replace("sluice", "api")}/`)?.ids ?? []
      return !ids.includes(name.toLowerCase())
    })
    expect(missing.map(({ door, name }) => `${door}: ${name}`)).toEqual([])
  })

  it("says of every public name what it is", () => {
    const silent = names.filter(({ isDocumented }) => !isDocumented)
    expect(silent.map(({ door, name }) => `${name} of ${door} has no docstring`)).toEqual([])
  })
})

describe("the search", () => {
  /** The pages that are found, the best first, with the headings on them. */
  const search = (terms: ReadonlyArray<string>, most = 10): Promise<Readonly<Record<string, ReadonlyArray<string>>>> =>
    // As text: the test runner has an `import` of its own.
    page.evaluate(`(async (terms) => {
      const pagefind = await import("/pagefind/pagefind.js")
      const found = {}
      for (const term of terms) {
        const { results } = await pagefind.search(term)
        const pages = await Promise.all(results.slice(0, ${most}).map((result) => result.data()))
        found[term] = pages.flatMap(({ url, sub_results }) => [url, ...sub_results.map(({ url }) => url)])
      }
      return found
    })(${JSON.stringify(terms)})`)

  it("finds the heading of every error code", async () => {
    await open("/")
    const found = await search(problemCodes)
    const lost = problemCodes.filter((code) => !found[code]!.includes(`/troubleshooting/#${code.toLowerCase()}`))
    expect(lost).toEqual([])
  })

  it("finds every option of createRouteHandler", async () => {
    const options: Readonly<Record<keyof RouteHandlerOptions, true>> = {
      router: true,
      token: true,
      ingestUrl: true,
      callbackUrl: true,
      allowedHosts: true,
      isDev: true,
      trustProxy: true,
      logLevel: true,
      logFormat: true,
      callbackTolerance: true,
      bodyTimeout: true,
      waitUntil: true,
      fetch: true,
    }
    await open("/")
    // `router` and `token` are words of nearly every page.
    const found = await search(Object.keys(options), 100)
    const lost = Object.keys(options).filter((option) => {
      const heading = new RegExp(`^/api/server/#${option.toLowerCase()}(-\\d+)?$`)
      return !found[option]!.some((url) => heading.test(url))
    })
    expect(lost).toEqual([])
  })

  it("finds every option that the API reference knows", { timeout: 180_000 }, async () => {
    const isReference = /^\/api\/[^/]+\/$/
    const options = new Set<string>()
    for (const path of [...facts.keys()].filter((each) => isReference.test(each))) {
      await open(path)
      const headings = await page.evaluate(() =>
        [...document.querySelectorAll("main :is(h2, h4)[id]")].map(({ localName, textContent }) => ({
          isName: localName === "h2",
          text: textContent.trim().replace(/\?$/, ""),
        })),
      )
      let isOptions = false
      for (const { isName, text } of headings) {
        if (isName) isOptions = /^[A-Z]\w*(Options|Config|ConfigInput|Configuration|Limits|LimitsInput)\b/.test(text)
        else if (isOptions && /^[a-z]\w*$/.test(text)) options.add(text)
      }
    }
    expect([...options]).toEqual(expect.arrayContaining(["awaitServerData", "sweepInterval", "maxFileSize", "capture"]))
    expect(options.size).toBeGreaterThan(100)
    await open("/")
    const found = await search([...options], 100)
    const lost = [...options].filter((option) => {
      const heading = new RegExp(`#${option.toLowerCase()}(-\\d+)?$`)
      return !found[option]!.some((url) => heading.test(url))
    })
    expect(lost).toEqual([])
  })

  it("is there for people, by keyboard", async () => {
    await page.goto(`${site.origin}/`, { waitUntil: "networkidle" })
    await page.keyboard.press("Control+k")
    await page.locator("dialog input").fill("CALLBACK_TIMEOUT")
    const result = page.getByRole("link", { name: /^CALLBACK_TIMEOUT/ }).first()
    await result.waitFor()
    await result.click()
    await page.waitForURL("**/troubleshooting/#callback_timeout")
  })
})

describe("who looks at it", () => {
  const findViolations = async (): Promise<ReadonlyArray<string>> => {
    await page.addScriptTag({ path: axeSource })
    return page.evaluate(async () => {
      const { axe } = globalThis as unknown as { axe: typeof import("axe-core") }
      const { violations } = await axe.run(document, { resultTypes: ["violations"] })
      return violations.map(
        ({ id, nodes }) =>
          `${id}: ${nodes
            .slice(0, 3)
            .map(({ html }) => html.slice(0, 200))
            .join(" ")}`,
      )
    })
  }
  const sample = [
    "/",
    "/troubleshooting/",
    "/components/",
    "/frameworks/next/",
    "/reliability/",
    "/api/",
    "/api/server/",
    "/api/next/",
  ]

  for (const colorScheme of ["light", "dark"] as const) {
    for (const width of [320, 1280]) {
      it(`finds nothing in the way of assistive technology, ${colorScheme}, ${width} px wide, and never scrolls sideways`, async () => {
        await page.setViewportSize({ width, height: 800 })
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
        const complaints: Array<string> = []
        for (const path of sample) {
          await open(path)
          expect(await page.evaluate(() => document.documentElement.dataset["theme"])).toBe(colorScheme)
          for (const violation of await findViolations()) complaints.push(`${path} ${violation}`)
          const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
          if (excess > 0) complaints.push(`${path} is ${excess} px too wide`)
        }
        expect(complaints).toEqual([])
      })
    }
  }
})
