import { readdir, readFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { compile } from "svelte/compiler"
import { compileScript, compileTemplate, parse } from "vue/compiler-sfc"
import { describe, expect, it } from "vitest"
import { type Block, findTypeErrors, readBlocks } from "./code-blocks.ts"

const root = join(import.meta.dirname, "..")
const inFolder = async (folder: string): Promise<ReadonlyArray<string>> =>
  (await readdir(join(root, "docs", folder))).filter((file) => file.endsWith(".md")).map((file) => join(folder, file))
const pages = [...(await inFolder("")), ...(await inFolder("frameworks"))]

/** What apps have beside their own files: bundlers' types for styles, and what TanStack generates of the routes. */
const ambient = `declare module "*.css"
declare module "@tanstack/react-router" {
  interface FileRoutesByPath {
    "/api/sluice": {
      id: "/api/sluice"
      path: "/api/sluice"
      fullPath: "/api/sluice"
      preLoaderRoute: unknown
      parentRoute: any
    }
  }
}
export {}
`

/** What a framework's own compiler has against a component. */
const compileComponent = ({ language, path, code }: Block): ReadonlyArray<string> => {
  if (language === "svelte") return compile(code, { filename: path }).warnings.map(({ message }) => message)
  const { descriptor, errors } = parse(code, { filename: path })
  const script = compileScript(descriptor, { id: path })
  const template = compileTemplate({
    id: path,
    filename: path,
    source: descriptor.template!.content,
    compilerOptions: { bindingMetadata: script.bindings!, expressionPlugins: ["typescript"] },
  })
  return [...errors, ...template.errors].map(String)
}

/** The script of a component, as a module. */
const toScript = (code: string): string => /<script[^>]*>\n([\s\S]*?)<\/script>/.exec(code)![1]!

for (const page of pages) {
  const markdown = await readFile(join(root, "docs", page), "utf8")
  const blocks = readBlocks(markdown).filter(({ path }) => path !== "")
  if (blocks.length === 0) continue

  describe(`docs/${page}`, () => {
    it("has examples that type-check", async () => {
      // A framework's examples stand under its name; the others share what stands before all of them, and React's.
      const own = new Set(["Vue", "Svelte", "Solid"])
      const folderOf = (block: Block) => (own.has(block.heading) ? block.heading : "page")
      const files = new Map<string, string>()
      for (const block of blocks) {
        const isComponent = block.language === "vue" || block.language === "svelte"
        const path = isComponent ? `${block.path}.ts` : block.path
        const code = isComponent ? `${toScript(block.code)}\nexport {}` : block.code
        const prelude = block.language === "vue" ? `import { defineEmits } from "vue"\n` : ""
        files.set(join(folderOf(block), path), prelude + code)
      }
      const router = files.get("page/router.ts")
      for (const folder of own) if (router !== undefined) files.set(join(folder, "router.ts"), router)
      files.set("ambient.d.ts", ambient)
      const aliases = { "$lib/*": "page/src/lib/*", "~/*": "page/app/*" }
      expect(await findTypeErrors(files, aliases)).toEqual([])
    })

    const components = blocks.filter(({ language }) => language === "vue" || language === "svelte")
    if (components.length === 0) return
    it("has components that their frameworks compile", () => {
      expect(components.flatMap(compileComponent)).toEqual([])
    })
  })
}

describe("the docs", () => {
  it.each(pages)("%s links only to files and headings that exist", async (page) => {
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
