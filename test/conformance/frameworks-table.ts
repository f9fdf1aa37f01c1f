import { readFileSync } from "node:fs"
import { join } from "node:path"
import { format, resolveConfig } from "prettier"
import type { SkippedCase } from "../../src/conformance.ts"

/** Where the table is. */
export const frameworksPage = join(import.meta.dirname, "../../docs/frameworks/README.md")

/** What came of the tests of one framework, all of which passed or were left out. */
export interface TestedFramework {
  readonly framework: string
  /** How its application ran. */
  readonly app: string
  /** How many cases of the suite passed, and how many in a browser. */
  readonly suite: number
  readonly browser: number
  readonly leftOut: ReadonlyArray<SkippedCase>
}

const block = /<!-- table: frameworks -->[^]*?<!-- end -->/

const readCells = (line: string): ReadonlyArray<string> =>
  line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim())

/** What the table of a page says, in its order. */
export const readTable = (page: string): ReadonlyArray<TestedFramework> => {
  const [, , ...rows] = (block.exec(page)?.[0] ?? "").split("\n").filter((line) => line.startsWith("|"))
  const notes = [...page.matchAll(/^- (.+?): “(.+?)”: (.+)\.$/gm)]
  return rows.map((row) => {
    const [framework = "", app = "", suite, browser] = readCells(row)
    const leftOut = notes.flatMap(([, of, test = "", reason = ""]) => (of === framework ? [{ test, reason }] : []))
    return { framework, app, suite: Number(suite), browser: Number(browser), leftOut }
  })
}

const showTable = (frameworks: ReadonlyArray<TestedFramework>): string =>
  [
    "<!-- table: frameworks -->",
    "",
    "| framework | application | cases of the suite | in a browser |",
    "| --- | --- | --- | --- |",
    ...frameworks.map(({ framework, app, suite, browser }) => `| ${framework} | ${app} | ${suite} | ${browser} |`),
    "",
    "Left out, and why:",
    "",
    ...frameworks.flatMap(({ framework, leftOut }) =>
      leftOut.map(({ test, reason }) => `- ${framework}: “${test}”: ${reason}.`),
    ),
    "",
    "<!-- end -->",
  ].join("\n")

/** The page, with what the tests of this framework found, and all others as they are. */
export const tellFramework = async (found: TestedFramework): Promise<string> => {
  const page = readFileSync(frameworksPage, "utf8")
  const others = readTable(page).filter(({ framework }) => framework !== found.framework)
  const all = [...others, found].toSorted((a, b) => a.framework.localeCompare(b.framework, "en"))
  const told = page.replace(block, () => showTable(all))
  return format(told, { ...(await resolveConfig(frameworksPage)), filepath: frameworksPage })
}
