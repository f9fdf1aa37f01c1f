import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { format, resolveConfig } from "prettier"
import { expect, it } from "vitest"
import { type AdapterRecord, type Outcomes, readRecords } from "../conformance/adapter-record.ts"
import { skipLacking } from "../skip-lacking.ts"

const root = join(import.meta.dirname, "../..")
const path = join(root, "docs/frameworks/README.md")

/** What the suites are called in the tests of adapters. */
const frameworks = globSync("test/adapters/*.test.ts", { cwd: root }).flatMap((file) =>
  [...readFileSync(join(root, file), "utf8").matchAll(/describeAdapter\(\s*"([^"]+)"/g)].map(([, name]) => name!),
)

/** `✓ 16`, and a note for each test that makes no sense there. */
const showOutcomes = ({ passed, failed, skipped }: Outcomes, note: (text: string) => string): string => {
  const notes = skipped.map(({ test, reason }) => note(`“${test}”: ${reason}.`)).join(" ")
  return `${failed === 0 ? "✓" : "✗"} ${passed}${failed === 0 ? "" : ` of ${passed + failed}`} ${notes}`.trim()
}

const toTable = (records: ReadonlyArray<AdapterRecord>): string => {
  const notes: Array<string> = []
  const note = (text: string): string => {
    const known = notes.indexOf(text)
    return `<sup>${known < 0 ? notes.push(text) : known + 1}</sup>`
  }
  const rows = records.map(
    ({ framework, app, suite, browser }) =>
      `| ${framework} | ${app} | ${showOutcomes(suite, note)} | ${showOutcomes(browser, note)} |`,
  )
  const list = notes.map((text, index) => `${index + 1}. ${text}`)
  return ["| framework | application | suite | in a browser |", "| --- | --- | --- | --- |", ...rows, "", ...list].join(
    "\n",
  )
}

it("docs/frameworks has the table of what the tests found", async (context) => {
  const records = readRecords()
  const missing = frameworks.filter((name) => !records.some(({ framework }) => framework === name))
  if (missing.length > 0) {
    skipLacking(context, `the suites of ${missing.join(", ")} have not run on this code. \`npm test\` runs them all.`)
  }
  const kept = readFileSync(path, "utf8")
  const table = `<!-- table: made by test/tables/frameworks.test.ts -->\n\n${toTable(records)}\n\n<!-- end -->`
  const made = kept.replace(/<!-- table[^]*?<!-- end -->/, () => table)
  const text = await format(made, { ...(await resolveConfig(path)), filepath: path })
  expect(text).toContain("in a browser")
  await expect(text).toMatchFileSnapshot(path)
})
