import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import ts from "typescript"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

const root = join(import.meta.dirname, "..")

/** A fenced block of TypeScript: which heading it stands under, and the file its first line names. */
interface Block {
  readonly heading: string
  readonly isBrowser: boolean
  readonly path: string
  readonly code: string
}

const readBlocks = (markdown: string): ReadonlyArray<Block> =>
  markdown.split(/^(?=#{2,3} )/m).flatMap((section) => {
    const heading = /^#+ (.*)$/m.exec(section)?.[1] ?? ""
    return [...section.matchAll(/^```tsx?(.*)\n([\s\S]*?)^```$/gm)].map(([, info = "", code = ""]) => ({
      heading,
      isBrowser: info.trim() === "browser",
      path: /^\/\/ (\S+)\n/.exec(code)?.[1] ?? "",
      code,
    }))
  })

const doors = async (folder: string): Promise<Record<string, Array<string>>> => {
  const paths: Record<string, Array<string>> = { "$lib/*": [join(folder, "SvelteKit/src/lib/*")] }
  for (const folder of ["src", "adapters"]) {
    for (const file of await readdir(join(root, folder))) {
      if (file.endsWith(".ts")) paths[`sluice/${basename(file, ".ts")}`] = [join(root, folder, file)]
    }
  }
  return paths
}

const markdown = await readFile(join(root, "README.md"), "utf8")
const blocks = readBlocks(markdown)
const frameworks = [...new Set(blocks.filter(({ isBrowser }) => !isBrowser).map(({ heading }) => heading))]

describe("the README", () => {
  let folder: string
  let complaints: ReadonlyArray<string>

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "sluice-readme-"))
    await symlink(join(root, "node_modules"), join(folder, "node_modules"), "dir")
    const files: Array<string> = []
    const write = async (path: string, code: string) => {
      files.push(join(folder, path))
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), code)
    }
    const browser = blocks.filter(({ isBrowser }) => isBrowser)
    for (const { heading, path, code, isBrowser } of blocks) {
      if (isBrowser) continue
      const name = heading.replaceAll(/[^\w]/g, "")
      await write(join(name, path), code)
      // The browser's part works with the router of every framework.
      if (!code.includes("export const router")) continue
      for (const part of browser) {
        const specifier = `./${basename(path, ".ts")}`
        await write(join(name, dirname(path), part.path), part.code.replace(`"./router"`, `"${specifier}"`))
      }
    }
    const program = ts.createProgram(files, {
      target: ts.ScriptTarget.ES2024,
      lib: ["lib.es2024.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts", "lib.dom.asynciterable.d.ts"],
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      types: ["node"],
      typeRoots: [join(root, "node_modules/@types")],
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      allowImportingTsExtensions: true,
      skipLibCheck: true,
      noEmit: true,
      paths: await doors(folder),
    })
    complaints = ts.getPreEmitDiagnostics(program).map((diagnostic) => {
      const text = ts.flattenDiagnosticMessageText(diagnostic.messageText, "\n")
      return `${diagnostic.file?.fileName.replace(`${folder}/`, "") ?? ""}: ${text}`
    })
  })
  afterAll(() => rm(folder, { recursive: true }))

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
