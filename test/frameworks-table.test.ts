import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { frameworksPage, readTable } from "./conformance/frameworks-table.ts"

// What a row says is compared with what happened by the suite of that framework.
const tests = globSync(join(import.meta.dirname, "adapters/*.test.ts")).map((file) => readFileSync(file, "utf8"))
const table = readTable(readFileSync(frameworksPage, "utf8"))

it("docs/frameworks has a row for each framework whose suite there is, and no other", () => {
  const described = tests.flatMap((text) =>
    [...text.matchAll(/describeAdapter\(\s*"([^"]+)"/g)].map(([, name]) => name),
  )
  expect(described.length).toBeGreaterThan(20)
  expect(table.map(({ framework }) => framework)).toEqual(described.toSorted((a, b) => a!.localeCompare(b!, "en")))
})

it("docs/frameworks gives the reasons that the tests give", () => {
  const reasons = table.flatMap(({ leftOut }) => leftOut.map(({ reason }) => reason))
  const sources = [...tests, readFileSync(join(import.meta.dirname, "runtimes/start-app.ts"), "utf8")].join("\n")
  expect(reasons.length).toBeGreaterThan(0)
  expect(reasons.filter((reason) => !sources.includes(`"${reason}"`))).toEqual([])
})
