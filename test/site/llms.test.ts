import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import packageJson from "../../package.json" with { type: "json" }
import { makeLlms, toMarker } from "../../site/llms.ts"
import { pageGroups } from "../../site/pages.ts"

const root = join(import.meta.dirname, "../..")
const made = await makeLlms()

describe.each(Object.entries(made))("%s", (name, text) => {
  it("is what `npm run llms` makes of the pages, and in the package", async () => {
    expect(await readFile(join(root, name), "utf8")).toBe(text)
    expect(packageJson.files).toContain(name)
  })

  it("links only to files that are in the package", async () => {
    const targets = [...text.replaceAll(/^```[\s\S]*?^```$/gm, "").matchAll(/\]\((?![a-z]+:|#)([^)\s#]+)/g)].map(
      ([, path]) => path!,
    )
    expect(targets.length).toBeGreaterThan(20)
    for (const target of new Set(targets)) {
      await expect(readFile(join(root, target)), target).resolves.toBeDefined()
      if (target.endsWith(".md"))
        expect(target).toMatch(/^(README|CONTRIBUTING|CHANGELOG|bench\/RESULTS|docs\/(frameworks\/)?[\w-]+)\.md$/)
    }
  })
})

describe("what assistants read", () => {
  const pages = pageGroups.flatMap(({ files }) => files).filter((file) => !file.startsWith("docs/decisions/"))

  it("lists every page of the package", () => {
    expect(pages.filter((file) => !made["llms.txt"].includes(`](${file})`))).toEqual([])
  })

  it("holds each page for whoever uses the package once, whole", async () => {
    const needed = pages.filter(
      (file) => file === "README.md" || /^docs\/(frameworks\/|c|server|upload|operating|security|trouble)/.test(file),
    )
    expect(needed.length).toBeGreaterThan(20)
    for (const file of needed) {
      const [, text, ...more] = made["llms-full.txt"].split(`${toMarker(file)}\n`)
      expect(more, file).toEqual([])
      const blocks = [...(await readFile(join(root, file), "utf8")).matchAll(/^```[\s\S]*?^```$/gm)].map(
        ([block]) => block,
      )
      expect(
        blocks.filter((block) => !text!.includes(block)),
        file,
      ).toEqual([])
    }
  })
})
