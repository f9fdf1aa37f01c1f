/**
 * Judges the report of a whole run, for CI.
 *
 * A test that waits for a browser, for Wine or for somebody else's build can fail because the machine was busy. Up to six of those
 * are run once more, alone, and count as passed if they pass then; they are named as unsteady at the end. No other test is
 * run again: what fails once in our own code, in a fuzz or under a kill is a finding.
 */
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, rmSync } from "node:fs"
import { relative } from "node:path"

interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly numTodoTests: number
  readonly success: boolean
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly status: string
    readonly message: string
    readonly assertionResults: ReadonlyArray<{
      readonly status: string
      readonly fullName: string
      readonly failureMessages: ReadonlyArray<string> | null
    }>
  }>
}

const waitsForOthers =
  /^test\/(bindings|forms|newcomer|mistakes|playground|site)\/|^test\/(package\/(forms|looks|next|sveltekit)|runtimes\/windows)\./
const mostUnsteady = 6

const file = process.env["TEST_REPORT"]
if (file === undefined) throw new Error("TEST_REPORT is not set: it names the file with Vitest's report in JSON.")

const readReport = (from: string): Report | undefined =>
  existsSync(from) ? (JSON.parse(readFileSync(from, "utf8")) as Report) : undefined

/** Prints each failure once more, at the end, where it is found. */
const print = (word: string, report: Report) => {
  for (const { name, status, message, assertionResults } of report.testResults) {
    if (status !== "failed") continue
    console.log(`${word}: ${relative(".", name)} ${message}`)
    for (const { status, fullName, failureMessages } of assertionResults) {
      if (status !== "failed") continue
      console.log(`  ${fullName}\n    ${(failureMessages ?? []).join("\n").slice(0, 4000)}`)
    }
  }
}

const passesAlone = (files: ReadonlyArray<string>): boolean => {
  const secondFile = file.replace(/\.json$/, "-second.json")
  rmSync(secondFile, { force: true })
  console.log(`\nOnce more, alone: ${files.join(", ")}`)
  const { status } = spawnSync("vitest", ["run", ...files], {
    stdio: "inherit",
    env: { ...process.env, TEST_REPORT: secondFile },
  })
  const second = readReport(secondFile)
  if (second !== undefined) print("FAILED", second)
  return status === 0 && second?.success === true
}

const report = readReport(file)
if (report === undefined) {
  console.log("0 passed, 0 failed: the tests did not run")
  process.exit(1)
}
const failed = report.testResults
  .filter(({ status }) => status === "failed")
  .map(({ name }) => relative(".", name).replaceAll("\\", "/"))
const isSteady = report.success && report.numFailedTests === 0
const deservesMore =
  failed.length > 0 && report.numFailedTests <= mostUnsteady && failed.every((name) => waitsForOthers.test(name))
const hasPassed = isSteady || (deservesMore && passesAlone(failed))
const unsteady = hasPassed ? report.numFailedTests : 0

print(hasPassed ? "UNSTEADY (failed beside the others, passed alone)" : "FAILED", report)
const skipped = report.numPendingTests + report.numTodoTests
console.log(
  `${report.numPassedTests + unsteady} passed, ${report.numFailedTests - unsteady} failed` +
    `${skipped > 0 ? `, ${skipped} skipped` : ""}${unsteady > 0 ? `, ${unsteady} unsteady` : ""}`,
)
process.exitCode = hasPassed ? 0 : 1
