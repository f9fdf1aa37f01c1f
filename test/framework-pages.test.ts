import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import type { Framework } from "../src/cli/init/framework.ts"
import { frameworks } from "../src/cli/init/frameworks.ts"
import { type Plan, toPlan } from "../src/cli/init/plan.ts"
import { readProject } from "../src/cli/init/read-project.ts"
import { findTypeErrors, readBlocks } from "./code-blocks.ts"
import { compileComponent, isComponent, toModule } from "./component-blocks.ts"

const root = join(import.meta.dirname, "..")
const folder = join(root, "docs/frameworks")
const readPage = (name: string): Promise<string> => readFile(join(folder, `${name}.md`), "utf8")
const blocksOf = async (name: string) => readBlocks(await readPage(name)).filter(({ path }) => path !== "")

/** What projects have beside their own files: a bundler's types for styles, what Nuxt imports by itself, what TanStack makes of the routes. */
const ambient = {
  "nuxt-imports.d.ts": `declare const useFetch: typeof import("nuxt/app").useFetch
declare const defineNuxtConfig: typeof import("nuxt/config").defineNuxtConfig
`,
  "styles.d.ts": `declare module "*.css"`,
  "route-tree.d.ts": `import "@tanstack/react-router"
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
`,
}

/** The plan for the project that the pages are about: TypeScript, npm, modules, the folders a new project has, with a bundler or without. */
const planFor = async (framework: Framework, devDependencies: Readonly<Record<string, string>>): Promise<Plan> => {
  const project = await mkdtemp(join(tmpdir(), "sluice-page-"))
  try {
    await writeFile(join(project, "package.json"), JSON.stringify({ type: "module", devDependencies }))
    await writeFile(join(project, "tsconfig.json"), `{ "compilerOptions": { "allowImportingTsExtensions": true } }`)
    if (framework.name === "nuxt") await mkdir(join(project, "app"))
    return toPlan(readProject(project), framework)
  } finally {
    await rm(project, { recursive: true })
  }
}

describe("the pages of frameworks", () => {
  let complaints: ReadonlyArray<string>

  // One program for all: reading the types of every framework takes longer than checking.
  beforeAll(async () => {
    const files = new Map(Object.entries(ambient))
    for (const framework of frameworks) {
      for (const block of await blocksOf(framework.name)) {
        const { path, code } = toModule(block)
        files.set(join(framework.name, path), code)
      }
    }
    complaints = await findTypeErrors(files, { "~/*": "nuxt/app/*" })
  }, 180_000)

  it("are those of the frameworks that sluice init knows, and listed", async () => {
    const names = frameworks.map(({ name }) => `${name}.md`)
    expect((await readdir(folder)).toSorted()).toEqual(["README.md", ...names].toSorted())
    const list = await readPage("README")
    expect(names.filter((name) => !list.includes(`](${name})`))).toEqual([])
  })

  it("have nothing against them that belongs to no page", () => {
    const isOfPage = (complaint: string) => frameworks.some(({ name }) => complaint.startsWith(`${name}/`))
    expect(complaints.filter((complaint) => !isOfPage(complaint))).toEqual([])
  })

  describe.each(frameworks)("$name", (framework) => {
    it("shows what sluice init writes, file by file, and what it says to add", async () => {
      const page = await readPage(framework.name)
      const shown = new Map((await blocksOf(framework.name)).map(({ path, code }) => [path, code]))
      const { files, mount, markup = "" } = await planFor(framework, {})
      const bundled = await planFor(framework, { vite: "*" })
      expect(page).toContain(markup)
      for (const { path, text } of [...files, ...bundled.files])
        expect(shown.get(path), path).toBe(`// ${path}\n${text}`)
      // What people add has what is theirs around it.
      const added = mount?.code.split("\n").filter((line) => !/^\s*(\/\/ …|[{}()]*)$/.test(line)) ?? []
      for (const line of added) expect(page).toContain(line.replace(/,$/, ""))
    })

    it("says what sluice init writes, and what it leaves to people", async () => {
      const [, sentences = ""] = /\n.*`sluice init` shows (.*)\n/.exec(await readPage(framework.name)) ?? []
      const { files, mount } = await planFor(framework, {})
      const bundled = await planFor(framework, { vite: "*" })
      if (mount === undefined || !mount.code.includes("upload-router")) return
      expect(sentences).not.toContain("everything")
      const [written = "", left = ""] = sentences.split(". ")
      for (const { path } of [...files, ...bundled.files]) expect(written).toContain(`\`${path}\``)
      expect(written.includes("where a bundler")).toBe(bundled.files.length > files.length)
      expect(left).toContain("`server.ts`")
    })

    it("says what production needs besides the token: where the app is called back, or its hosts", async () => {
      const [, production = ""] = (await readPage(framework.name)).split("\n## Production\n")
      const line = production.split("\n").find((text) => text.includes("SLUICE_CALLBACK_URL"))
      expect(line).toContain("SLUICE_ALLOWED_HOSTS")
      expect(line).toContain("INVALID_CONFIG")
    })

    it("has examples that type-check", () => {
      expect(complaints.filter((complaint) => complaint.startsWith(`${framework.name}/`))).toEqual([])
    })

    it("has components that their frameworks compile", async () => {
      const components = (await blocksOf(framework.name)).filter(isComponent)
      expect(components.flatMap(compileComponent)).toEqual([])
    })
  })
})
