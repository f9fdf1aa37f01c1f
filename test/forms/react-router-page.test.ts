import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import type { Page } from "playwright-core"
import { beforeEach, describe, expect, test } from "vitest"
import { findFreePort } from "../adapters/apps/listen.ts"
import { runProgram, startProgram } from "../adapters/apps/start-process.ts"
import { startSite } from "../bindings/start-site.ts"
import { pixel } from "../browser/pixel.ts"
import { readBlocks } from "../code-blocks.ts"
import { writeBlocks } from "../import-blocks.ts"
import { type FormApp, useFormPage } from "./form-app.ts"

const docs = join(import.meta.dirname, "../../docs")
const wanted = /^(router|database|explain|album|save-album|album-photos|upload|app\/routes\/album)\.tsx?$/
const blocks = readBlocks(await readFile(join(docs, "forms.md"), "utf8")).filter(
  ({ path, heading }) => wanted.test(path) && heading !== "VeeValidate",
)
const { resolve } = createRequire(import.meta.url)
const build = join(dirname(resolve("@react-router/dev/package.json")), "bin.cjs")
const serve = join(dirname(resolve("@react-router/serve/package.json")), "bin.cjs")

/** What a page of React Router has around the blocks of the docs. */
const others = {
  "package.json": JSON.stringify({ type: "module", dependencies: { "@react-router/node": "*", isbot: "*" } }),
  "vite.config.js": `import { reactRouter } from "@react-router/dev/vite"
const alias = { "sluice/styles.css": ${JSON.stringify(join(docs, "../src/ui/styles.css"))} }
export default { plugins: [reactRouter()], resolve: { alias } }
`,
  "app/routes.ts": `import { route } from "@react-router/dev/routes"
export default [
  route("album", "routes/album.tsx"),
  route("api/sluice", "routes/api.sluice.ts"),
  route("api/sign-in", "routes/sign-in.ts"),
  route("api/break", "routes/break.ts"),
]
`,
  "app/root.tsx": `import { Links, Outlet, Scripts } from "react-router"
export default function Root() {
  return (
    <html lang="en">
      <head><link rel="icon" href="data:," /><Links /></head>
      <body><Outlet /><Scripts /></body>
    </html>
  )
}
export function ErrorBoundary() {
  return (
    <html lang="en">
      <head><link rel="icon" href="data:," /></head>
      <body><h1>A page of errors</h1><Scripts /></body>
    </html>
  )
}
`,
  "app/routes/api.sluice.ts": `import { createRouteHandler } from "sluice/react-router"
import { router } from "../../router"
const { loader, action } = createRouteHandler({ router })
export { loader, action }
`,
  "app/routes/sign-in.ts": `import { randomUUID } from "node:crypto"
import { database } from "../../database"
export const action = () => {
  const session = randomUUID()
  database.users.set(session, randomUUID())
  return new Response(session)
}
`,
  "app/routes/break.ts": `import { database } from "../../database"
/** All users are signed out. */
export const action = () => {
  database.users.clear()
  return new Response()
}
`,
}

const start = async (): Promise<FormApp> => {
  const written = await writeBlocks(blocks, others)
  const cwd = written.folder
  const site = await startSite({ script: "" })
  const port = String(await findFreePort())
  const origin = `http://127.0.0.1:${port}`
  await runProgram([build, "build"], { cwd })
  const app = await startProgram([serve, "build/server/index.js"], {
    cwd,
    env: { PORT: port, HOST: "127.0.0.1", SLUICE_TOKEN: site.token, SLUICE_CALLBACK_URL: `${origin}/api/sluice` },
  })
  return {
    origin,
    site,
    signIn: async (context) => {
      const answer = await fetch(`${origin}/api/sign-in`, { method: "POST" })
      await context.addCookies([{ name: "session", value: await answer.text(), url: origin }])
    },
    close: async () => {
      await app.close()
      await site.close()
      await written.remove()
    },
  }
}

describe("the form of docs/forms.md with React Router's own server", () => {
  const form = useFormPage(start, "/album", (message) => /status of (4\d\d|5\d\d)|INTERNET_DISCONNECTED/.test(message))
  let page: Page
  let app: FormApp
  beforeEach(() => {
    ;({ page, app } = form)
    app.site.isIngestAway = false
  })

  const choose = async (name: string, on = page) => {
    await on.locator("input[type=file]").setInputFiles({ name, mimeType: "image/png", buffer: pixel })
    await on.locator('[data-sluice="file"][data-state="picked"]', { hasText: name }).waitFor()
  }
  const names = (on = page) =>
    on.locator('[data-sluice="file-name"]').evaluateAll((all) => all.map((one) => one.textContent))
  const title = (on = page) => on.getByLabel("Title")
  const press = (on = page) => on.getByRole("button", { name: "Save" }).click()
  /** Sends the form, and waits until the row is what the page has. */
  const save = async (on = page) => {
    const answered = on.waitForResponse(
      (response) => response.request().method() === "POST" && /album/.test(response.url()),
    )
    await press(on)
    expect((await answered).status()).toBeLessThan(400)
    await on.waitForLoadState("networkidle")
  }
  const says = (text: string) => page.getByRole("alert").filter({ hasText: text }).waitFor()
  /** What the server has, as a new page shows it. */
  const saved = async () => {
    await form.open()
    return { title: await title().inputValue(), photos: await names() }
  }
  const remove = async (name: string, on = page) => {
    await on.locator('[data-sluice="file"]', { hasText: name }).getByRole("button", { name: "Remove" }).click()
    await expect.poll(() => names(on)).not.toContain(name)
  }
  /** Saves one photo, and opens the page of that row. */
  const saveFirst = async () => {
    await title().fill("Spring")
    await choose("first.png")
    await save()
    await form.open()
    expect(await names()).toEqual(["first.png"])
  }
  const upload = async (name: string) => {
    await choose(name)
    // Without a title it is uploaded, and comes back.
    await title().fill("")
    await press()
    await says("Give the album a title.")
  }

  test("keeps title and files where the ingest is away, says so, and is saved when the ingest is back", async () => {
    await saveFirst()
    await upload("second.png")
    await title().fill("Summer")
    app.site.isIngestAway = true
    await press()
    await says("That could not be saved. Try again.")
    expect(await title().inputValue()).toBe("Summer")
    expect(await names()).toEqual(["first.png", "second.png"])
    app.site.isIngestAway = false
    await save()
    expect(await saved()).toEqual({ title: "Summer", photos: ["first.png", "second.png"] })
  })

  test("comes back on a new page, too, while the ingest is away: with its keys, which are saved later", async () => {
    await saveFirst()
    await upload("second.png")
    await title().fill("Summer")
    app.site.isIngestAway = true
    // As the browser sends it where no script has come yet.
    const loaded = page.waitForEvent("load")
    await page.evaluate(() => document.querySelector("form")!.submit())
    await loaded
    await says("That could not be saved. Try again.")
    expect(await title().inputValue()).toBe("Summer")
    expect(await names()).toEqual(["Photo 1 (cannot be shown now)", "Photo 2 (cannot be shown now)"])
    app.site.isIngestAway = false
    await page.waitForLoadState("networkidle")
    await save()
    expect(await saved()).toEqual({ title: "Summer", photos: ["first.png", "second.png"] })
  })

  test("the page that edits shows its row while the ingest is away, and saves another title", async () => {
    await saveFirst()
    app.site.isIngestAway = true
    expect(await saved()).toEqual({ title: "Spring", photos: ["Photo 1 (cannot be shown now)"] })
    await title().fill("Summer")
    await save()
    app.site.isIngestAway = false
    expect(await saved()).toEqual({ title: "Summer", photos: ["first.png"] })
  })

  test("keeps title and files where there is no network, and is saved when there is one", async () => {
    await saveFirst()
    await upload("second.png")
    await title().fill("Summer")
    await page.context().setOffline(true)
    await press()
    await says("Nothing was saved. Try again.")
    expect(await title().inputValue()).toBe("Summer")
    expect(await names()).toEqual(["first.png", "second.png"])
    await page.context().setOffline(false)
    await save()
    await expect.poll(() => page.getByRole("alert").textContent()).toBe("")
    expect(await saved()).toEqual({ title: "Summer", photos: ["first.png", "second.png"] })
  })

  test("leaves to React Router what the action throws itself", async () => {
    await saveFirst()
    await fetch(`${app.origin}/api/break`, { method: "POST" })
    await press()
    await page.getByRole("heading", { name: "A page of errors" }).waitFor()
  })

  test("does not remove what another tab has saved meanwhile, and removes what it has saved itself", async () => {
    await saveFirst()
    const other = await page.context().newPage()
    await other.goto(page.url(), { waitUntil: "networkidle" })
    await choose("of-the-other.png", other)
    await save(other)
    await title().fill("Summer")
    await choose("own.png")
    await save()
    expect(await names()).toEqual(["first.png", "own.png"])
    await remove("own.png")
    await remove("first.png")
    await choose("last.png")
    await save()
    expect(await saved()).toEqual({ title: "Summer", photos: ["last.png", "of-the-other.png"] })
  })
})
