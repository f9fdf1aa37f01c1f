import { globSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { type Block, findTypeErrors, readBlocks } from "./code-blocks.ts"
import { compileComponent, isComponent, toModule } from "./component-blocks.ts"

const root = join(import.meta.dirname, "..")
const pagesOf = async (folder: string): Promise<ReadonlyArray<string>> =>
  (await readdir(join(root, "docs", folder))).filter((file) => file.endsWith(".md")).map((file) => join(folder, file))
const pages = await pagesOf("")
const frameworkPages = await pagesOf("frameworks")

for (const page of pages) {
  const markdown = await readFile(join(root, "docs", page), "utf8")
  const blocks = readBlocks(markdown).filter(({ path }) => path !== "")
  if (blocks.length === 0) continue

  describe(`docs/${page}`, () => {
    it("has examples that type-check", { timeout: 120_000 }, async () => {
      // A framework's examples stand under its name; the others share what stands before all of them, and React's.
      const inSvelteKit = new Set(["Superforms", "SvelteKit, with a form action"])
      const own = new Set(["Vue", "Svelte", "Solid", "VeeValidate", ...inSvelteKit])
      const libraryOf = (folder: string) => (inSvelteKit.has(folder) ? "src/lib" : "")
      const folderOf = (block: Block) => (own.has(block.heading) ? block.heading : "page")
      // What a bundler's types say of styles.
      const files = new Map([["styles.d.ts", `declare module "*.css"`]])
      for (const block of blocks) {
        const { path, code } = toModule(block)
        files.set(join(folderOf(block), path), code)
      }
      // What stands before the first of them, but for its components.
      const first = blocks.findIndex((block) => own.has(block.heading))
      const shared = blocks
        .slice(0, Math.max(first, 0))
        .filter(({ language }) => language === "ts")
        .map(({ path, code }) => [path, code] as const)
      const router = files.get("page/router.ts")
      for (const folder of new Set(blocks.map(folderOf)))
        if (own.has(folder)) for (const [path, code] of shared) files.set(join(folder, libraryOf(folder), path), code)
      // Where `sluice init` writes it in Next.js.
      const nextRouter = "page/app/api/sluice/router.ts"
      if (router !== undefined && !files.has(nextRouter)) files.set(nextRouter, `export * from "../../../router"`)
      expect(await findTypeErrors(files)).toEqual([])
    })

    const components = blocks.filter(isComponent)
    if (components.length === 0) return
    it("has components that their frameworks compile", () => {
      expect(components.flatMap(compileComponent)).toEqual([])
    })
  })
}

describe("the docs", () => {
  it("show ids of events as long as they are, and so does the command's help", async () => {
    const sources = globSync("{docs/**/*.md,README.md,src/cli/**/*.ts}", { cwd: root })
    const texts = await Promise.all(sources.map((path) => readFile(join(root, path), "utf8")))
    const shown = texts.flatMap((text) => text.match(/\bevt_[\da-f]{4,}/g) ?? [])
    expect(shown.length).toBeGreaterThan(2)
    expect(shown.filter((id) => !/^evt_[\da-f]{32}$/.test(id))).toEqual([])
  })

  it.each([...pages, ...frameworkPages])("%s links only to files and headings that exist", async (page) => {
    const markdown = await readFile(join(root, "docs", page), "utf8")
    const targets = [...markdown.matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, target]) => target!)
    for (const target of targets) {
      const [file, anchor] = target.split("#") as [string, string?]
      const path = file === "" ? `docs/${page}` : join(dirname(`docs/${page}`), file)
      const text = await readFile(join(root, path), "utf8")
      if (anchor === undefined) continue
      const anchors = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
        heading!
          .toLowerCase()
          .replaceAll(/[^\w\s-]/g, "")
          .replaceAll(" ", "-"),
      )
      expect(anchors, target).toContain(anchor)
    }
  })
})
