import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { format, resolveConfig } from "prettier"
import { expect, it } from "vitest"
import { replaceSpeed } from "../../bench/readme-speed.ts"
import { readResults, resultsFolder } from "../../bench/results.ts"
import { writeResultsPage } from "../../bench/results-page.ts"

const root = join(import.meta.dirname, "../..")
const read = (file: string): string => readFileSync(join(root, file), "utf8")

const results = readResults(resultsFolder)
const { markdown, plots } = writeResultsPage(results)

it("bench/RESULTS.md is what `npm run bench -- --write` makes of bench/results", async () => {
  const page = join(root, "bench/RESULTS.md")
  const formatted = await format(markdown, { ...(await resolveConfig(page)), parser: "markdown" })
  expect(read("bench/RESULTS.md")).toBe(formatted)
})

it("bench/results has the plots of the page, and no other", () => {
  expect(globSync("*.svg", { cwd: resultsFolder }).toSorted()).toEqual([...plots.keys()].toSorted())
  for (const [file, svg] of plots) expect(read(`bench/results/${file}`), file).toBe(svg)
})

it("the README says of speed what the results say", () => {
  const readme = read("README.md")
  expect(readme).toBe(replaceSpeed(readme, results))
})

it("the results tell nothing of whose machine it was", () => {
  const known = new Set(["date", "node", "cpu", "memory", "others", "versions"])
  for (const [name, { machine }] of results) {
    expect(
      Object.keys(machine).filter((key) => !known.has(key)),
      name,
    ).toEqual([])
    expect(read(`bench/results/${name}.json`), name).not.toMatch(/\/(home|root|Users|work|tmp)\b|localhost|[A-Z]:\\/)
  }
})
