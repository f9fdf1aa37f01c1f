import { globSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { pageGroups, toPageId } from "../../site/pages.ts"
import { rewritePage } from "../../site/rewrite-page.ts"

const root = join(import.meta.dirname, "../..")

describe("the table of the site's pages", () => {
  const listed = pageGroups.flatMap(({ files }) => files)
  const files = globSync("docs/**/*.md", { cwd: root })

  it("has every page of docs", () => {
    const missing = files.filter((file) => !listed.includes(file))
    expect(missing.map((file) => `${file} is in no group of site/pages.ts`)).toEqual([])
  })

  it("has only files that there are, each once", () => {
    const there = new Set([...files, "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "bench/RESULTS.md"])
    const gone = listed.filter((file) => !there.has(file))
    expect(gone.map((file) => `site/pages.ts names ${file}, which does not exist`)).toEqual([])
    expect(listed.filter((file, index) => listed.indexOf(file) !== index)).toEqual([])
  })
})

it("no page links to what the site does not have", async () => {
  const listed = pageGroups.flatMap(({ files }) => files)
  const wrong: Array<string> = []
  for (const file of listed) {
    const markdown = await readFile(join(root, file), "utf8")
    try {
      rewritePage(markdown, file, (other) => (listed.includes(other) ? toPageId(other) : undefined))
    } catch (error) {
      wrong.push(String(error))
    }
  }
  expect(wrong).toEqual([])
})

describe("a page of the site", () => {
  const pages: Readonly<Record<string, string>> = { "docs/a.md": "a", "docs/deep/b.md": "deep/b", "README.md": "index" }
  const rewrite = (markdown: string, file = "docs/a.md") => rewritePage(markdown, file, (file) => pages[file])

  it("has its title apart", () => {
    expect(rewrite("# The `sluice` command\n\nText.\n")).toEqual({ title: "The sluice command", body: "\nText.\n" })
  })

  it.each([
    ["[b](deep/b.md)", "[b](../deep/b/)"],
    ["[b](deep/b.md#some-where)", "[b](../deep/b/#some-where)"],
    ["[front](../README.md)", "[front](../)"],
    ["[here](#there)", "[here](#there)"],
    ["[as it is](openapi.json)", "[as it is](../openapi.json)"],
    ["[out](https://example.com/b.md)", "[out](https://example.com/b.md)"],
    ["[![a picture](a.png)](deep/b.md)", "[![a picture](a.png)](../deep/b/)"],
  ])("has the links of the site: %s", (markdown, expected) => {
    expect(rewrite(`# A\n${markdown}`).body).toBe(expected)
  })

  it("links from the front page and from folders", () => {
    expect(rewrite("# A\n[a](docs/a.md)", "README.md").body).toBe("[a](a/)")
    expect(rewrite("# A\n[a](../a.md)", "docs/deep/b.md").body).toBe("[a](../../a/)")
  })

  it("leaves code as it is", () => {
    expect(rewrite("# A\n```md\n[b](nowhere.md)\n```").body).toBe("```md\n[b](nowhere.md)\n```")
  })

  it("counts anchors as the site does", () => {
    const { body } = rewritePage(
      "# A\n[b](deep/b.md#x-1) [a](#x-1)",
      "docs/a.md",
      (file) => pages[file],
      (file) => file,
    )
    expect(body).toBe("[b](../deep/b/#docs/deep/b.md) [a](#docs/a.md)")
  })

  it("does not link to what the site does not have", () => {
    expect(() => rewrite("# A\n[b](nowhere.md)")).toThrow("docs/a.md links to nowhere.md")
  })
})
