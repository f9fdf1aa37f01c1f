import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { frameworks } from "../src/cli/init/frameworks.ts"
import { findTypeErrors, readBlocks } from "./code-blocks.ts"

const root = join(import.meta.dirname, "..")
const readText = (path: string): Promise<string> => readFile(join(root, path), "utf8")
const markdown = await readText("README.md")
const blocks = readBlocks(markdown)
const manifest = JSON.parse(await readText("package.json")) as { version: string; exports: Record<string, unknown> }
const install = `npm install ../sluice/sluice-${manifest.version}.tgz`

/** What the table "Which import for what" of a page says, row by row. */
const readImports = (page: string) => {
  const [, table = ""] = page.split("## Which import for what")
  return table
    .split("\n## ")[0]!
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .map(([, imports = "", place = "", purpose = ""]) => {
      const paths = [...imports.matchAll(/`sluice(\/[\w./-]+)`/g)].map(([, path]) => `.${path}`)
      return { paths, place, purpose }
    })
    .filter(({ paths }) => paths.length > 0)
}

/** What users import, by the names of `exports`. */
const exported = Object.keys(manifest.exports)
  .filter((path) => path !== "./package.json")
  .toSorted()

describe("the README", () => {
  it("names a file in the first line of every example, and no file twice", () => {
    const paths = blocks.map(({ path }) => path)
    expect(paths).not.toContain("")
    expect(paths).toEqual([...new Set(paths)])
  })

  it("has examples that are one application, and type-check", async () => {
    const files = new Map(blocks.map(({ path, code }) => [path, code]))
    files.set("styles.d.ts", `declare module "*.css"`)
    expect(await findTypeErrors(files)).toEqual([])
  })

  it("has a whole Next.js app in a few lines: router, route, page", () => {
    const app = blocks.filter(({ heading, path }) => heading === "A whole Next.js app" && !path.includes("members"))
    expect(app.map(({ path }) => path)).toEqual(["app/api/sluice/router.ts", "app/api/sluice/route.ts", "app/page.tsx"])
    const lines = app
      .flatMap(({ code }) => code.split("\n"))
      .filter((line) => /\w/.test(line) && !line.startsWith("//"))
    expect(lines.length).toBeLessThanOrEqual(14)
    expect(app[2]!.code.split("\n").slice(1, 3)).toEqual([`"use client"`, `import "sluice/styles.css"`])
  })

  it("says of every import of the package where it runs and what it is for, and of no other", () => {
    const rows = readImports(markdown)
    expect(rows.flatMap(({ paths }) => paths).toSorted()).toEqual(exported)
    expect(rows.filter(({ place, purpose }) => place === "" || purpose === "")).toEqual([])
  })

  it("says of where an import runs what docs/README.md says, which has a line for each", async () => {
    const lines = readImports(await readText("docs/README.md"))
    expect(lines.map(({ paths }) => paths.length)).toEqual(lines.map(() => 1))
    expect(lines.flatMap(({ paths }) => paths).toSorted()).toEqual([...exported, "./package.json"].toSorted())
    const placeOf = new Map(readImports(markdown).flatMap(({ paths, place }) => paths.map((path) => [path, place])))
    for (const { paths, place, purpose } of lines) {
      expect(place, paths[0]).toBe(placeOf.get(paths[0]!) ?? "your tools")
      expect(purpose, paths[0]).not.toBe("")
    }
  })

  it("counts the frameworks as they are", () => {
    expect(markdown).toContain(`[${frameworks.length} frameworks]`)
  })

  it("has the sizes of docs/sizes.md", async () => {
    const sizes = await readText("docs/sizes.md")
    const sizeOf = (name: string): string => sizes.split(`| ${name} `)[1]!.split("|")[2]!.trim()
    const text = markdown.replaceAll(/\s+/g, " ")
    expect(text).toContain(`The uploader is ${sizeOf("`generateUploader`")} kB`)
    expect(text).toContain(`a React dropzone ${sizeOf("React: `generateUploadDropzone`")} kB at once`)
  })

  it("says how to install this version, and no page of a framework says otherwise", async () => {
    expect(markdown).toContain(`${install}   #`)
    for (const { name } of frameworks) {
      const page = await readText(`docs/frameworks/${name}.md`)
      expect(page.match(/npm install .*/g)?.[0], name).toBe(install)
      expect(page, name).toContain("](../../README.md#install)")
    }
  })

  it("links only to files that exist", async () => {
    const targets = [...markdown.matchAll(/\]\((?!https?:|#)([^)]+)\)/g)].map(([, target]) => target!)
    expect(targets).not.toEqual([])
    for (const target of targets)
      await expect(readFile(join(root, target.split("#")[0]!)), target).resolves.toBeDefined()
  })
})
