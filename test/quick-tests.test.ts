import { globSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import configure from "../vitest.config.ts"
import { listModulesOf, listQuickTests, longTests } from "./quick-tests.ts"

const root = join(import.meta.dirname, "..")
const list = (globs: ReadonlyArray<string>, exclude: ReadonlyArray<string> = []) =>
  globSync([...globs], { cwd: root, exclude: [...exclude] })

const config = await configure({ command: "serve", mode: "test" })

const projects = (config.test?.projects ?? []).map((project) => {
  if (typeof project !== "object" || !("test" in project)) throw new Error("A project is described by an object here.")
  const { name, include = [], exclude = [] } = project.test ?? {}
  if (typeof name !== "string") throw new Error("A project has a name here.")
  return { name, files: list(include, exclude) }
})

it("each file of tests belongs to exactly one project", () => {
  const all = list(["test/**/*.test.ts"])
  expect(all.length).toBeGreaterThan(300)
  const places = all.map(
    (file) => [file, projects.filter(({ files }) => files.includes(file)).map(({ name }) => name)] as const,
  )
  expect(places.filter(([, names]) => names.length !== 1)).toEqual([])
  expect(new Set(places.flatMap(([, names]) => names))).toEqual(new Set(projects.map(({ name }) => name)))
})

it("those that start a browser, a build or a process are not quick, by whatever they import it", () => {
  const quick = listQuickTests()
  for (const file of ["protocol/signing/signed-url", "architecture"]) expect(quick).toContain(`test/${file}.test.ts`)
  for (const file of ["client/browser", "client/bundle", "cli/keys", "adapters/hono", "bindings/react"]) {
    expect(quick).not.toContain(`test/${file}.test.ts`)
  }
})

it("those that are long by name are there", () => {
  expect(longTests.filter((file) => list([file]).length === 0)).toEqual([])
})

it("a test is made of the suites that it runs, whoever imports them", () => {
  expect(listModulesOf("test/bindings/react.test.ts")).toContain("test/conformance/binding-tray.ts")
})
