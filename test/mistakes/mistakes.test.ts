import { readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { format, resolveConfig } from "prettier"
import { expect, it } from "vitest"
import type { Mistake } from "./mistake.ts"
import { mistakes } from "./mistakes.ts"
import { judge, type Outcome, readMistakes } from "./read-mistakes.ts"
import { showMistake, toHeading, toRow } from "./show-mistake.ts"

const root = join(import.meta.dirname, "../..")
const path = join(root, "docs/mistakes.md")

const isTelling = (line: string, { cause, fix }: Mistake): boolean =>
  /^(page|console|terminal|app|ingest|doctor)[^:]*: /.test(line) && (cause.test(line) || fix.test(line))

/** So many mistakes may be explained badly. More are a fault. */
const allowance = 2

it(
  "docs/mistakes.md says what user, developer and operator read of each mistake, and nearly all name cause and fix",
  { timeout: 900_000 },
  async () => {
    expect(mistakes.length).toBeGreaterThanOrEqual(25)
    const outcomes = await readMistakes(mistakes)
    const bad = outcomes.map((outcome) => [outcome.mistake.name, ...judge(outcome)]).filter(({ length }) => length > 1)
    if (bad.length > 0) console.warn(bad.map(([name, ...faults]) => [name, ...faults].join("\n  ")).join("\n"))
    expect.soft(bad.slice(allowance), "mistakes that are not explained").toEqual([])

    const folders = [root, tmpdir()]
    const table = [
      "| mistake | user | developer | operator |",
      "| --- | --- | --- | --- |",
      ...outcomes.map(toRow),
      "",
      ...outcomes.map((outcome) => showMistake(outcome, folders)),
    ].join("\n")
    const kept = readFileSync(path, "utf8")
    const made = kept.replace(
      /<!-- table[^]*?<!-- end -->/,
      () => `<!-- table: made by test/mistakes/mistakes.test.ts -->\n\n${table}\n\n<!-- end -->`,
    )
    const text = await format(made, { ...(await resolveConfig(path)), filepath: path })
    // What comes first, and how often it is tried, is another one in each run: of each mistake, something that names its
    // cause or fix has to be there as it is read today.
    const lines = new Set(kept.split("\n"))
    const sections = new Map(text.split(/^## /m).map((section) => [section.split("\n")[0]!, section.split("\n")]))
    const isStale = (outcome: Outcome): boolean => {
      const telling = sections.get(toHeading(outcome.mistake.name))!.filter((line) => isTelling(line, outcome.mistake))
      return telling.length > 0 && !telling.some((line) => lines.has(line))
    }
    const rows = text.split("\n").filter((line) => line.startsWith("| "))
    const isCurrent = rows.every((line) => lines.has(line)) && !outcomes.some(isStale)
    if (!isCurrent) await expect(text).toMatchFileSnapshot(path)
  },
)
