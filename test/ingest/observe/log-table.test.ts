import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import ts from "typescript"
import { describe, expect, it } from "vitest"

const root = join(import.meta.dirname, "../../..")

/** A text of the sources; what is put in later is a hole. */
const readParts = (node: ts.Expression): ReadonlyArray<string> => {
  if (ts.isStringLiteralLike(node)) return [node.text]
  if (!ts.isTemplateExpression(node)) return []
  return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)]
}

/** Which argument of a call is a message of the log; undefined for other calls. */
const findMessage = ({ expression, arguments: given }: ts.CallExpression): ts.Expression | undefined => {
  const name = expression.getText()
  if (/^log(?:Debug|Info|Warning|Error|Failure)$/.test(name)) return given[0]
  if (/(^|\.)limitedLog\.log$/.test(name)) return given[2]
  return name === "write" ? given[1] : undefined
}

/** All messages of the ingest's log, each as its parts around the holes. */
const readMessages = (): ReadonlyArray<ReadonlyArray<string>> => {
  const found: Array<ReadonlyArray<string>> = []
  for (const file of globSync("src/{ingest,server-kit}/**/*.ts", { cwd: root })) {
    const source = ts.createSourceFile(file, readFileSync(join(root, file), "utf8"), ts.ScriptTarget.Latest, true)
    const visit = (node: ts.Node): void => {
      if (ts.isCallExpression(node)) {
        const message = findMessage(node)
        const parts = message === undefined ? [] : readParts(message)
        if (parts.length > 0) found.push(parts)
      }
      node.forEachChild(visit)
    }
    visit(source)
  }
  return found
}

const page = readFileSync(join(root, "docs/operating.md"), "utf8")
const section = page.slice(page.indexOf("\n## Log\n"), page.indexOf("\n## Traces\n"))

/** The messages of the page; one that ends with `…` is cut. */
const documented = section.split("\n").flatMap((line) => /^\| (.*?[.…])\s+\| \w+\s+\|/.exec(line)?.[1] ?? [])

const isOf = (row: string, parts: ReadonlyArray<string>): boolean => {
  if (row.endsWith(" …")) return parts[0]!.startsWith(row.slice(0, -1).trimEnd())
  const pattern = parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")).join(".+")
  return new RegExp(`^${pattern}$`).test(row)
}

describe("the table of the log", () => {
  const messages = readMessages()

  it("is read whole", () => {
    expect(messages.length).toBeGreaterThan(30)
    expect(documented.length).toBeGreaterThan(30)
  })

  it("has every message that the ingest writes", () => {
    const lacking = messages.filter((parts) => !documented.some((row) => isOf(row, parts)))
    expect(lacking.map((parts) => parts.join("${…}"))).toEqual([])
  })

  it("has no message that the ingest does not write", () => {
    const indirect = /^More .* than are logged one by one\.$/
    const unknown = documented.filter((row) => !indirect.test(row) && !messages.some((parts) => isOf(row, parts)))
    expect(unknown).toEqual([])
  })
})
