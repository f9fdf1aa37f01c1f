import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { format, resolveConfig } from "prettier"
import { replaceSpeed } from "./readme-speed.ts"
import { countRounds, lastFolder, readResults, resultsFolder, saveResult } from "./results.ts"
import { writeResultsPage } from "./results-page.ts"
import { replaceScale } from "./scale-model.ts"

const root = join(import.meta.dirname, "..")

/** Takes what was measured last into `bench/results`, and says what that is. */
const takeResults = (names: ReadonlyArray<string>): void => {
  for (const [name, result] of readResults(lastFolder)) {
    if (names.length > 0 && !names.includes(name)) continue
    saveResult(resultsFolder, name, result)
    const { date, others } = result.machine
    const load = others === undefined ? "" : `, others used ${Math.round(others * 100)} % of the processors`
    console.log(`Taken: ${name} of ${date}, rounds: ${countRounds(result.reports)}${load}`)
  }
}

/**
 * Writes `bench/RESULTS.md`, its plots, the README's words on speed and what assistants read of them. What was measured
 * last takes the place of what is in `bench/results`; a bench that was not measured again stays as it is there.
 *
 * @param names whose last results are taken; all where it is empty
 */
export const writePage = async (names: ReadonlyArray<string>): Promise<void> => {
  takeResults(names)
  const results = readResults(resultsFolder)
  const { markdown, plots } = writeResultsPage(results)
  const page = join(import.meta.dirname, "RESULTS.md")
  writeFileSync(page, await format(markdown, { ...(await resolveConfig(page)), parser: "markdown" }))
  mkdirSync(resultsFolder, { recursive: true })
  for (const file of readdirSync(resultsFolder))
    if (file.endsWith(".svg") && !plots.has(file)) rmSync(join(resultsFolder, file))
  for (const [file, svg] of plots) writeFileSync(join(resultsFolder, file), svg)
  const scale = join(root, "docs/scale.md")
  if (results.has("processes")) {
    const text = replaceScale(readFileSync(scale, "utf8"), results)
    writeFileSync(scale, await format(text, { ...(await resolveConfig(scale)), parser: "markdown" }))
  }
  const readme = join(root, "README.md")
  writeFileSync(readme, replaceSpeed(readFileSync(readme, "utf8"), results))
  execFileSync(process.execPath, [join(root, "site/write-llms.ts")], { stdio: "inherit" })
  console.log(
    `Written: bench/RESULTS.md (${[...results.keys()].join(", ") || "no results"}), README.md, docs/scale.md, llms.txt.`,
  )
}
