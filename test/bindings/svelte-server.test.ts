import type { Browser } from "playwright-core"
import type { ComponentProps, Snippet } from "svelte"
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from "vitest"
import { z } from "zod"
import type { generateUploadButton, generateUseUploader, UploadState } from "../../bindings/svelte.ts"
import { createSluice, extractRouteConfig, type FileRouter } from "../../src/server.ts"
import { launchChromium } from "../browser/chromium.ts"
import { picture } from "./apps/picture.ts"
import { router } from "./apps/router.ts"
import { bundlePage } from "./bundle-page.ts"
import { compileSvelte } from "./compile-svelte.ts"
import { loadSvelteServer } from "./load-svelte-server.ts"
import { startSite } from "./start-site.ts"

const routes = extractRouteConfig(router)

let browser: Browser
let body: string

beforeAll(async () => {
  browser = await launchChromium()
  const { render, Page } = await loadSvelteServer("server-page.svelte")
  render(Page, { props: { routes } })
  // A server has rendered others before, and the page counts from one.
  body = render(Page, { props: { routes } }).body
})
afterAll(() => browser?.close())

describe("Svelte's components on a server", () => {
  it("know what the routes take, without a window and without asking", () => {
    const text = body.replaceAll(/<!--.*?-->|<[^>]+>/g, "|").replaceAll(/\|+/g, "|")
    expect(text).toContain("|Choose files|")
    expect(text).toContain("|Up to 3 images, 4\u00a0MB each at most|")
    expect(text).toContain("|Mine: 0, or drop them here|")
    expect(text).not.toContain("Loading")
    expect(body).toContain("<output>3</output>")
    expect(text).toContain("|Change picture|")
    expect(body).toContain(`src="${picture.previewUrl}"`)
    expect(body).toMatch(/<input[^>]* type="file"[^>]* accept="image\/\*"/)
  })

  it("give every element an id of its own", () => {
    const ids = [...body.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    expect(ids.length).toBeGreaterThan(10)
    expect(ids).toEqual([...new Set(ids)])
  })

  for (const mode of ["development", "production"]) {
    it(`are taken over in the page: nothing changes, nothing is made anew, all of it works (${mode})`, async () => {
      const script = await bundlePage("svelte-hydrated.ts", [compileSvelte("client", mode === "development")])
      const site = await startSite({
        script,
        body: `<div id="app">${body}</div><script id="routes" type="application/json">${JSON.stringify(routes)}</script>`,
      })
      const context = await browser.newContext()
      try {
        const page = await context.newPage()
        const complaints: Array<string> = []
        const requests: Array<string> = []
        page.on("pageerror", (error) => complaints.push(String(error)))
        page.on("console", (message) => complaints.push(message.text()))
        page.on("request", (request) => requests.push(new URL(request.url()).pathname))
        await page.goto(site.url)
        await page.locator("#app[data-hydrated]").waitFor()
        expect(await page.evaluate(() => new Set(window.texts).size)).toBe(1)
        expect(await page.evaluate(() => window.isSameInput())).toBe(true)
        expect(await page.locator("section input").getAttribute("id")).toBe(
          `${await page.locator("section").getAttribute("id")}-input`,
        )
        expect(requests).not.toContain("/api/sluice")

        // A snippet follows the state, of the component and of one file.
        const dropzone = page.locator('[data-component="dropzone"]')
        const png = { name: "a.png", mimeType: "image/png", buffer: Buffer.from("not checked here") }
        await dropzone.locator("input").setInputFiles(png)
        expect(await dropzone.locator("em").textContent()).toBe("Mine: 1, or drop them here")
        await page.getByText("a.png is picked").waitFor()
        await dropzone.locator("input").setInputFiles({ ...png, name: "b.png" })
        expect(await dropzone.locator("em").textContent()).toBe("Mine: 2, or drop them here")

        // Props and options follow the page's state.
        const button = page.locator('[data-component="button"]')
        await page.getByRole("button", { name: "Avatar" }).click()
        await button.getByText("Choose a file").waitFor()
        expect(await page.locator("output").textContent()).toBe("1")
        await page.getByRole("button", { name: "Lock" }).click()
        await page.locator('[data-component="button"][data-state="disabled"].locked').waitFor()
        expect(await page.locator("section button").isDisabled()).toBe(true)
        expect(await page.evaluate(() => window.isSameInput())).toBe(true)
        expect(complaints).toEqual([])
      } finally {
        await context.close()
        await site.close()
      }
    })
  }
})

describe("Svelte's types", () => {
  const f = createSluice()
  const typed = {
    photo: f({ image: {} })
      .input(z.object({ album: z.string() }))
      .onUploadComplete(() => ({ stored: 1 })),
    note: f({ text: {} }).onUploadComplete(() => "done"),
  } satisfies FileRouter
  type Props = ComponentProps<ReturnType<typeof generateUploadButton<typeof typed>>>
  const check = (_props: Props) => {}

  it("of props follow the endpoint", () => {
    check({
      endpoint: "photo",
      input: { album: "a" },
      onClientUploadComplete: (results) => expectTypeOf(results[0]!.serverData).toEqualTypeOf<{ stored: number }>(),
    })
    check({
      endpoint: "note",
      onClientUploadComplete: (results) => expectTypeOf(results[0]!.serverData).toEqualTypeOf<string>(),
    })
    // @ts-expect-error there is no such route
    check({ endpoint: "banner" })
    // @ts-expect-error the input is missing
    check({ endpoint: "photo" })
    // @ts-expect-error the input is of another shape
    check({ endpoint: "photo", input: { album: 1 } })
  })

  it("of contents are texts and snippets of the state, in `content` and among the props", () => {
    const label = (() => {}) as unknown as Snippet<[state: UploadState]>
    const other = (() => {}) as unknown as Snippet<[count: number]>
    check({ endpoint: "note", label, button: "Choose", content: { label, fileName: "name" }, class: "mine" })
    // @ts-expect-error a snippet of something else
    check({ endpoint: "note", label: other })
    // @ts-expect-error there is no such part
    check({ endpoint: "note", content: { title: "A title" } })
  })

  it("of useUploader follow the endpoint", () => {
    type UseUploader = ReturnType<typeof generateUseUploader<typeof typed>>
    const use = ((endpoint: string) => ({ endpoint })) as unknown as UseUploader
    const photo = () => use("photo", { input: { album: "a" } }).startUpload
    const note = () => use("note", () => ({ disabled: true })).files[0]!.result!.serverData
    expectTypeOf<Parameters<ReturnType<typeof photo>>[1]>().toEqualTypeOf<{ album: string } | undefined>()
    expectTypeOf<ReturnType<typeof note>>().toEqualTypeOf<string>()
    // @ts-expect-error there is no such route
    use("banner")
    // @ts-expect-error the input is of another shape
    use("photo", { input: { album: 1 } })
  })
})
