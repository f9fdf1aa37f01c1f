import { readFile } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { findTypeErrors, readBlocks } from "./code-blocks.ts"

const root = join(import.meta.dirname, "..")
const markdown = await readFile(join(root, "README.md"), "utf8")
const blocks = readBlocks(markdown)
const isBrowser = ({ info }: { readonly info: string }) => info === "browser"
const frameworks = [...new Set(blocks.filter((block) => !isBrowser(block)).map(({ heading }) => heading))]

describe("the README", () => {
  let complaints: ReadonlyArray<string>

  beforeAll(async () => {
    const files = new Map<string, string>()
    const browser = blocks.filter(isBrowser)
    for (const block of blocks) {
      if (isBrowser(block)) continue
      const { heading, path, code } = block
      const name = heading.replaceAll(/[^\w]/g, "")
      files.set(join(name, path), code)
      // The browser's part works with the router of every framework.
      if (!code.includes("export const router")) continue
      for (const part of browser) {
        const specifier = `./${basename(path, ".ts")}`
        files.set(join(name, dirname(path), part.path), part.code.replace(`"./router"`, `"${specifier}"`))
      }
    }
    complaints = await findTypeErrors(files)
  })

  it("has an example for each framework, twenty-odd lines at most", () => {
    for (const framework of ["Next.js", "SvelteKit", "Express", "Hono", "node:http"]) {
      const own = blocks.filter(({ heading }) => heading === framework)
      const lines = own.flatMap(({ code }) => code.trim().split("\n"))
      expect(lines.length, framework).toBeGreaterThan(5)
      expect(lines.length, framework).toBeLessThanOrEqual(26)
    }
  })

  it("names a file in the first line of every example", () => {
    expect(blocks.filter(({ path }) => path === "")).toEqual([])
  })

  it.each(frameworks)("has an example for %s that type-checks, with the browser's part", (framework) => {
    const name = framework.replaceAll(/[^\w]/g, "")
    expect(complaints.filter((complaint) => complaint.startsWith(`${name}/`))).toEqual([])
  })

  it("has examples against sources without errors", () => {
    expect(complaints).toEqual([])
  })

  it("links only to files that exist", async () => {
    const targets = [...markdown.matchAll(/\]\((?!https?:|#)([^)]+)\)/g)].map(([, target]) => target!)
    expect(targets).not.toEqual([])
    for (const target of targets) await expect(readFile(join(root, target)), target).resolves.toBeDefined()
  })
})
