import { readFile } from "node:fs/promises"
import { join, posix } from "node:path"
import { pageGroups, repository } from "./pages.ts"

/** A page as assistants get it. */
interface LlmsPage {
  readonly file: string
  readonly title: string
  /** The first sentence. */
  readonly summary: string
  /** Markdown whose links are relative to the package's folder. */
  readonly text: string
}

const toPlain = (markdown: string): string =>
  markdown
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/\s+/g, " ")
    .trim()

/** The first sentence of the first paragraph, without what would break a list; empty where a page begins otherwise. */
const toSummary = (body: string): string => {
  const paragraph = body.split(/\n{2,}/).find((text) => /^[A-Z`*[]/.test(text.trim()))
  return /^.*?[.:](?=\s|$)/.exec(toPlain(paragraph ?? ""))?.[0].replace(/:$/, ".") ?? ""
}

const readPage = async (file: string): Promise<LlmsPage> => {
  const markdown = await readFile(join(repository, file), "utf8")
  const [heading = "", title = ""] = /^# (.+)\n/m.exec(markdown) ?? []
  const text = markdown.replaceAll(
    /\]\((?![a-z]+:|#)([^)\s#]+)/g,
    (_, path: string) => `](${posix.join(posix.dirname(file), path)}`,
  )
  return { file, title, summary: toSummary(markdown.replace(heading, "")), text }
}

/** Where a page begins in `llms-full.txt`. */
export const toMarker = (file: string): string => `<!-- file: ${file} -->`

/** Groups that explain Sluice itself, which whoever uses it can do without. */
const optional: ReadonlySet<string> = new Set(["Background"])

/**
 * What assistants read about the package: `llms.txt`, a list of the pages, and `llms-full.txt`, which holds those that
 * somebody who uses it needs. Both are made of the pages that people read. Pages that are not in the package are left out.
 *
 * Source: llmstxt.org.
 */
export const makeLlms = async (): Promise<Readonly<Record<"llms.txt" | "llms-full.txt", string>>> => {
  const { description } = JSON.parse(await readFile(join(repository, "package.json"), "utf8"))
  const groups = await Promise.all(
    pageGroups.map(async ({ label, files }) => ({
      label,
      pages: await Promise.all(files.filter((file) => !file.startsWith("docs/decisions/")).map(readPage)),
    })),
  )
  const toList = (pages: ReadonlyArray<LlmsPage>) =>
    pages.map(({ file, title, summary }) => `- [${title}](${file})${summary === "" ? "" : `: ${summary}`}`).join("\n")
  const sections = groups
    .filter(({ pages }) => pages.length > 0)
    .map(({ label, pages }) => `## ${optional.has(label) ? "Optional" : label}\n\n${toList(pages)}\n`)
  const needed = groups.filter(({ label }) => !optional.has(label)).flatMap(({ pages }) => pages)
  const head = `# Sluice\n\n> ${description}\n\n`
  return {
    "llms.txt": `${head}Paths are relative to the package's folder, node_modules/sluice. A block of code names its file in its first line. After wiring, \`npx sluice doctor --json\` says what is wrong. All pages but the optional ones in one file: [llms-full.txt](llms-full.txt)\n\n${sections.join("\n")}`,
    "llms-full.txt": `${head}${needed.map(({ file, text }) => `${toMarker(file)}\n\n${text.trim()}\n`).join("\n")}`,
  }
}
