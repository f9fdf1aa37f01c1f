import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { randomUUID } from "node:crypto"
import { afterAll } from "vitest"
import { startSite } from "../bindings/start-site.ts"
import { readBlocks } from "../code-blocks.ts"
import { type ImportedBlocks, writeBlocks } from "../import-blocks.ts"
import type { FileRouter } from "../../src/server.ts"
import { bundleBlock } from "./bundle-block.ts"
import { type AlbumTraits, describeAlbum } from "./describe-album.ts"
import { describeMistake } from "./describe-mistake.ts"

const docs = join(import.meta.dirname, "../../docs")
const all = readBlocks(await readFile(join(docs, "forms.md"), "utf8"))
const blocks = all.filter(({ heading, path }) => path !== "" && !/Superforms|server action|SvelteKit/.test(heading))
const styles = await readFile(join(docs, "../src/ui/styles.css"), "utf8")
const folders: Array<ImportedBlocks> = []

const write = async (isVue: boolean): Promise<ImportedBlocks> => {
  const written = await writeBlocks(blocks.filter(({ path }) => path !== (isVue ? "upload.tsx" : "upload.ts")))
  folders.push(written)
  return written
}

afterAll(async () => {
  for (const folder of folders) await folder.remove()
})

interface Database {
  readonly users: Map<string, string>
}

interface Shown {
  readonly title: string
  readonly photos: ReadonlyArray<object>
}

interface Saving {
  readonly loadAlbum: (userId: string) => Promise<Shown>
  readonly saveAlbum: (userId: string, album: { title: string; photos: Array<string> }) => Promise<string | undefined>
  readonly showPhotos: (userId: string, keys: ReadonlyArray<string>) => Promise<ReadonlyArray<object>>
}

const readModules = async (server: ImportedBlocks) => {
  const load = <Module>(path: string) => server.load(path) as Promise<Module>
  const [{ router }, { database }, saving, api, { renderAlbum }] = await Promise.all([
    load<{ router: FileRouter }>("router.ts"),
    load<{ database: Database }>("database.ts"),
    load<Saving>("save-album.ts"),
    load<Record<"PUT" | "POST", (request: Request) => Promise<Response>>>("api/album.ts"),
    load<{ renderAlbum: (title: string, photos: ReadonlyArray<object>) => string }>("render-album.ts"),
  ])
  return { router, database, saving, api, renderAlbum }
}

/** Starts the app with a page that runs a script, in which `album` is what the server has. */
const start = async (script: string, isVue = false, isRendered = false) => {
  // Of its own: what is imported keeps the first token it has read.
  const written = await write(isVue)
  const { router, database, saving, api, renderAlbum } = await readModules(written)
  let userId = ""
  const render = async () => {
    const { title, photos } = await saving.loadAlbum(userId)
    return new Response(renderAlbum(title, photos), { headers: { "content-type": "text/html; charset=utf-8" } })
  }
  /** As a server action answers: the state of its form. */
  const act = async (request: Request) => {
    const form = await request.formData()
    const [title, ...photos] = ["title", "photos"].flatMap((name) => form.getAll(name) as Array<string>) as [
      string,
      ...Array<string>,
    ]
    const problem = title === "" ? "Give the album a title." : await saving.saveAlbum(userId, { title, photos })
    if (problem === undefined) return Response.json(await saving.loadAlbum(userId))
    return Response.json({ title, photos: await saving.showPhotos(userId, photos), problem })
  }
  const site = await startSite({
    script: await bundleBlock(written.folder, `const album = await (await fetch("/album.json")).json()\n${script}`),
    styles,
    router,
    handle: (request) => {
      const { pathname } = new URL(request.url)
      if (isRendered && pathname === "/") return render()
      if (pathname === "/sluice/element.js") return Promise.resolve(Response.redirect(new URL("/page.js", request.url)))
      if (pathname === "/sluice/styles.css")
        return Promise.resolve(Response.redirect(new URL("/styles.css", request.url)))
      if (pathname === "/album.json") return saving.loadAlbum(userId).then((album) => Response.json(album))
      if (pathname === "/action") return act(request)
      return pathname === "/api/album" ? api[request.method as "PUT"](request) : undefined
    },
  })
  process.env["SLUICE_TOKEN"] = site.token
  return {
    origin: site.url,
    site,
    signIn: async (context: import("playwright-core").BrowserContext) => {
      const session = randomUUID()
      userId = randomUUID()
      database.users.set(session, userId)
      await context.addCookies([{ name: "session", value: session, url: site.url }])
    },
    close: site.close,
  }
}

const inReact = (path: string, name: string, traits: AlbumTraits = {}) =>
  describeAlbum(
    name,
    () =>
      start(`import { createElement, StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { ${name} } from "./${path}"
createRoot(document.getElementById("root")!).render(createElement(StrictMode, {}, createElement(${name}, album)))
`),
    traits,
  )

describeAlbum("HTML", () => start(`import "${join(docs, "../bindings/element.ts")}"\n`, false, true), {
  isNative: true,
})
inReact("plain-album", "PlainAlbum", { isNative: true })
inReact("state-album", "StateAlbum", { hasReset: false })
inReact("hook-form-album", "HookFormAlbum")
inReact("tanstack-form-album", "TanStackFormAlbum")
describeAlbum("VeeValidate", () =>
  start(
    `import { createApp } from "vue"
import Page from "./VeeValidateAlbum.vue"
createApp(Page, album).mount("#root")
`,
    true,
  ),
)

describeMistake("HTML", () => start(`import "${join(docs, "../bindings/element.ts")}"\n`, false, true))
describeMistake(
  "the action of a form of React",
  () =>
    start(`import { createElement } from "react"
import { createRoot } from "react-dom/client"
import { ActionAlbum } from "./action-album"
const save = async (_, form) => (await fetch("/action", { method: "POST", body: form })).json()
createRoot(document.getElementById("root")!).render(createElement(ActionAlbum, { ...album, save }))
`),
  { keepsPage: true },
)
