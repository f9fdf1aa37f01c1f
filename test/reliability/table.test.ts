import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import ts from "typescript"
import { expect, it } from "vitest"

const root = join(import.meta.dirname, "../..")

/** The titles given to `it` and `test`, as written. */
const readTitles = (file: string): ReadonlyArray<string> => {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest)
  const titles: Array<string> = []
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && /^(it|test)\b/.test(node.expression.getText(source))) {
      const [title] = node.arguments
      if (title !== undefined && ts.isStringLiteral(title)) titles.push(title.text)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return titles
}

const find = (...patterns: ReadonlyArray<string>): ReadonlyArray<string> =>
  globSync([...patterns], { cwd: root }).filter((file) => !file.endsWith("table.test.ts"))

it("each row of docs/reliability.md names its tests, and each test of faults, and file of attacks, has its row", () => {
  const faults = find("test/reliability/**/*.test.ts", "test/scale/**/*.test.ts").flatMap((file) =>
    readTitles(join(root, file)),
  )
  const attacks = find("test/security/**/*.test.ts").map((file) => readTitles(join(root, file)))
  const named = readFileSync(join(root, "docs/reliability.md"), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .flatMap((line) =>
      [
        ...line
          .split("|")
          .at(-2)!
          .matchAll(/`([^`]+)`/g),
      ].map(([, title]) => title!),
    )
  expect(faults.length).toBeGreaterThan(20)
  expect(attacks.length).toBeGreaterThan(20)
  const titles = new Set(attacks.flat())
  expect(named.filter((title) => !titles.has(title)).toSorted()).toEqual(faults.toSorted())
  const known = new Set(named)
  expect(attacks.filter((ofFile) => !ofFile.some((title) => known.has(title)))).toEqual([])
})
