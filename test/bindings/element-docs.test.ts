import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { attributeNames } from "../../bindings/element/element-properties.ts"

const page = readFileSync(join(import.meta.dirname, "../../docs/components.md"), "utf8")

/** The names in the first column of a table of the page. */
const readNames = (table: string): ReadonlyArray<string> => {
  const [, rest = ""] = page.split(`<!-- ${table} -->`)
  const rows = rest.trimStart().split("\n\n")[0]!.split("\n").slice(2)
  return rows.flatMap((row) => [...row.split("|")[1]!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!))
}

it("components.md names every attribute of an element, and no other", () => {
  expect(readNames("element attributes").toSorted()).toEqual(attributeNames.toSorted())
})

it("components.md names every event of an element, and no other", () => {
  const source = readFileSync(join(import.meta.dirname, "../../bindings/element/upload-element.ts"), "utf8")
  const [, body = ""] = /interface UploadElementDetails<.*?\{([\s\S]*?)\n\}/.exec(source) ?? []
  const names = [...body.matchAll(/^ {2}readonly "?([\w-]+)"?:/gm)].map(([, name]) => name!)
  expect(names.length).toBeGreaterThan(5)
  expect(readNames("element events").toSorted()).toEqual(names.toSorted())
})
