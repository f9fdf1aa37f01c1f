import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { randomUUID } from "node:crypto"
import type { BrowserContext, Page } from "playwright-core"
import { afterAll, beforeEach, describe, expect, test } from "vitest"
import { SluiceApi } from "../../src/api.ts"
import type { FileRouter } from "../../src/server.ts"
import { heldSize, startSite } from "../bindings/start-site.ts"
import { readBlocks } from "../code-blocks.ts"
import { type ImportedBlocks, writeBlocks } from "../import-blocks.ts"
import { bundleBlock } from "./bundle-block.ts"
import { type FormApp, useFormPage } from "./form-app.ts"

const docs = join(import.meta.dirname, "../../docs")
const styles = await readFile(join(docs, "../src/ui/styles.css"), "utf8")
const wanted = /^(router|database|has-open-files|leaving-album|upload)\.tsx?$/
const blocks = readBlocks(await readFile(join(docs, "forms.md"), "utf8")).filter(
  ({ path, heading }) => wanted.test(path) && heading !== "VeeValidate",
)
let written: ImportedBlocks
afterAll(() => written?.remove())

/** The page of docs/forms.md, one with two fields that asks nothing, and one to go to. */
const script = `import { createElement as h } from "react"
import { createRoot } from "react-dom/client"
import { createMemoryRouter, Form, Link, Outlet, redirect } from "react-router"
import { RouterProvider } from "react-router/dom"
import { LeavingAlbum } from "./leaving-album"
import { UploadDropzone } from "./upload"

const field = (name) => h(UploadDropzone, { endpoint: "photos", name, "aria-label": name, config: { uploadOnSubmit: true } })
const TwoFields = () => h(Form, { method: "post" }, field("first"), field("second"), h("button", {}, "Save"))
const links = ["/", "/two", "/elsewhere"].map((to) => h(Link, { key: to, to }, "to " + to))
const Page = () => h("main", {}, h("nav", {}, links), h(Outlet))
const action = async ({ request }) => {
  window.sent = (await request.formData()).getAll("photos").length
  return redirect("/elsewhere")
}
const children = [
  { path: "/", Component: LeavingAlbum, action },
  { path: "/two", Component: TwoFields, action },
  { path: "/elsewhere", element: h("h2", {}, "Elsewhere") },
]
createRoot(document.getElementById("root")).render(
  h(RouterProvider, { router: createMemoryRouter([{ Component: Page, children }]) }),
)
`

const start = async (): Promise<FormApp> => {
  written = await writeBlocks(blocks)
  const { router } = (await written.load("router.ts")) as { readonly router: FileRouter }
  const { database } = (await written.load("database.ts")) as { readonly database: { users: Map<string, string> } }
  const site = await startSite({ script: await bundleBlock(written.folder, script), styles, router })
  return {
    origin: site.url,
    site,
    signIn: async (context: BrowserContext) => {
      const session = randomUUID()
      database.users.set(session, randomUUID())
      await context.addCookies([{ name: "session", value: session, url: site.url }])
    },
    close: site.close,
  }
}

describe("leaving the form of docs/forms.md in the middle, with React Router", () => {
  const form = useFormPage(start, "/", (message) => message.includes("status of 403"))
  let page: Page
  let app: FormApp
  let big: { readonly name: string; readonly mimeType: string; readonly buffer: Buffer }
  beforeEach(() => {
    ;({ page, app } = form)
    big = {
      name: `${randomUUID()}.png`,
      mimeType: "image/png",
      buffer: Buffer.alloc(heldSize, "\x89PNG\r\n\x1a\n", "latin1"),
    }
  })

  const choose = (place: number, file: typeof big) => page.locator("input[type=file]").nth(place).setInputFiles(file)
  const row = (state: string) => page.locator(`[data-sluice="file"][data-state="${state}"]`)
  const leave = (to = "/elsewhere") => page.getByRole("link", { name: `to ${to}`, exact: true }).click()
  const elsewhere = () => page.getByRole("heading", { name: "Elsewhere" })
  const sent = () => page.evaluate(() => (globalThis as { sent?: number }).sent)
  const save = () => page.getByRole("button", { name: "Save" }).click()
  const statusOf = async (name: string) => {
    const { files } = await new SluiceApi({ token: app.site.token }).listFiles()
    return files.find((file) => file.name === name)?.status
  }

  /** Sends the form, and leaves the page while its picture is on its way. */
  const leaveInTheMiddle = async (): Promise<() => void> => {
    await page.getByLabel("Title").fill("Summer")
    await choose(0, big)
    await row("picked").waitFor()
    const release = app.site.hold(big.name, 1000)
    await save()
    await row("uploading").waitFor()
    await leave()
    return release
  }

  test("asks while files wait or are on their way; who stays has the form sent", async () => {
    await page.getByLabel("Title").fill("Summer")
    await choose(0, big)
    await row("picked").waitFor()
    await leave()
    await page.getByRole("alert").getByRole("button", { name: "Stay" }).click()
    const release = app.site.hold(big.name, 1000)
    await save()
    await row("uploading").waitFor()
    await leave()
    await page.getByRole("alert").getByRole("button", { name: "Stay" }).click()
    await expect.poll(() => page.getByRole("alert").count()).toBe(0)
    release()
    await elsewhere().waitFor()
    expect(await sent()).toBe(1)
  })

  test("the form is sent when all has arrived, also while the question is open", async () => {
    const release = await leaveInTheMiddle()
    await page.getByRole("alert").waitFor()
    release()
    await elsewhere().waitFor()
    expect(await sent()).toBe(1)
  })

  test("who leaves has an upload that ends unseen, and no form; an empty list is left without a question", async () => {
    const release = await leaveInTheMiddle()
    await page.getByRole("alert").getByRole("button", { name: "Leave" }).click()
    await elsewhere().waitFor()
    release()
    await expect.poll(() => statusOf(big.name)).toBe("Pending")
    await leave("/")
    await page.getByLabel("Title").waitFor()
    expect(await page.locator('[data-sluice="file"]').count()).toBe(0)
    expect(await sent()).toBeUndefined()
    await leave()
    await elsewhere().waitFor()
  })

  test("asks for what is stored and for what has failed: the form would lose both", async () => {
    const small = { ...big, buffer: big.buffer.subarray(0, 1000) }
    const other = { ...small, name: `${randomUUID()}.png` }
    app.site.refuse(other.name, 403, 1000)
    // Without a title the form uploads and is not sent.
    await page.getByLabel("Title").evaluate((input) => input.removeAttribute("required"))
    await page.evaluate(() =>
      document.querySelector("form")!.addEventListener("submit", (event) => event.preventDefault()),
    )
    await page.locator("input[type=file]").setInputFiles([small, other])
    await expect.poll(() => row("picked").count()).toBe(2)
    await save()
    await row("done").waitFor()
    await row("failed").waitFor()
    await leave()
    await page.getByRole("alert").getByRole("button", { name: "Stay" }).click()
    await row("failed").getByRole("button", { name: "Remove" }).click()
    await expect.poll(() => row("failed").count()).toBe(0)
    await leave()
    await page.getByRole("alert").getByRole("button", { name: "Leave" }).click()
    await elsewhere().waitFor()
    expect(await sent()).toBeUndefined()
  })

  test("without a question nobody asks, and the field that had not begun never uploads", async () => {
    await leave("/two")
    // Until then the inputs are those of the page before.
    await expect.poll(() => page.locator("input[type=file]").count()).toBe(2)
    const small = { ...big, name: `${randomUUID()}.png`, buffer: big.buffer.subarray(0, 1000) }
    await choose(0, big)
    await choose(1, small)
    await expect.poll(() => row("picked").count()).toBe(2)
    const release = app.site.hold(big.name, 1000)
    await save()
    await row("uploading").waitFor()
    await leave()
    await elsewhere().waitFor()
    release()
    await expect.poll(() => statusOf(big.name)).toBe("Pending")
    expect(await statusOf(small.name)).toBeUndefined()
    expect(await sent()).toBeUndefined()
  })
})
