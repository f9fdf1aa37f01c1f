import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import ts from "typescript"
import { expect, it } from "vitest"

const root = join(import.meta.dirname, "../..")

/** The titles given to `it`, as written. */
const readTitles = (file: string): ReadonlyArray<string> => {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest)
  const titles: Array<string> = []
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && /^it\b/.test(node.expression.getText(source))) {
      const [title] = node.arguments
      if (title !== undefined && ts.isStringLiteral(title)) titles.push(title.text)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return titles
}

it("each row of docs/reliability.md names its tests, and each test has its row", () => {
  const files = globSync("test/reliability/**/*.test.ts", { cwd: root }).filter(
    (file) => !file.endsWith("table.test.ts"),
  )
  const titles = files.flatMap((file) => readTitles(join(root, file)))
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
  expect(titles.length).toBeGreaterThan(20)
  expect(named.toSorted()).toEqual(titles.toSorted())
})
