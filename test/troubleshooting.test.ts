import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import ts from "typescript"
import { describe, expect, it, vi } from "vitest"
import { isRetryable, problemCodes, problemStatuses } from "../src/protocol/errors/problem-code.ts"
import { UploadError } from "../src/protocol.ts"
import { english } from "../src/ui/texts/english-texts.ts"

const root = join(import.meta.dirname, "..")
const page = "docs/troubleshooting.md"
const markdown = readFileSync(join(root, page), "utf8")

/** Every heading of the third level, with what stands under it. */
const sections = new Map(
  markdown.split(/^(?=#{2,3} )/m).flatMap((text): ReadonlyArray<readonly [string, string]> => {
    const [, heading, body] = /^### (.*)\n([\s\S]*)/.exec(text) ?? []
    return heading === undefined ? [] : [[heading, body!]]
  }),
)
const prefix = "Doctor: "

/** The names of the checks of `sluice doctor`, as its sources spell them: what `ok`, `warning` and `failed` are called with. */
const readChecks = (): ReadonlySet<string> => {
  const names = new Set<string>()
  for (const file of globSync("src/cli/doctor/*.ts", { cwd: root })) {
    const source = ts.createSourceFile(file, readFileSync(join(root, file), "utf8"), ts.ScriptTarget.Latest, true)
    const constants = new Map<string, ReadonlyArray<string>>()
    const calls: Array<ts.Expression> = []
    const visit = (node: ts.Node): void => {
      if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer !== undefined) {
        const { text } = node.name
        if (ts.isStringLiteral(node.initializer)) {
          constants.set(text, [...(constants.get(text) ?? []), node.initializer.text])
        }
      }
      if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.arguments[0] !== undefined) {
        if (["ok", "warning", "failed"].includes(node.expression.text)) calls.push(node.arguments[0])
      }
      ts.forEachChild(node, visit)
    }
    visit(source)
    for (const argument of calls) {
      const found = ts.isStringLiteral(argument) ? [argument.text] : constants.get(argument.getText())
      // A parameter: its value stands where the function is called.
      for (const name of found ?? []) names.add(name)
    }
  }
  return names
}

describe(page, () => {
  it("has a heading for every code, and for nothing that is none", () => {
    const codes = [...sections.keys()].filter((heading) => !heading.startsWith(prefix))
    expect(codes.toSorted()).toEqual([...problemCodes].toSorted())
  })

  it("has a heading for every check of sluice doctor, and for nothing that is none", () => {
    const checks = [...sections.keys()].filter((heading) => heading.startsWith(prefix))
    expect(checks.toSorted()).toEqual([...readChecks()].map((name) => prefix + name).toSorted())
  })

  it.each([...problemCodes])(
    "says of %s its status, whether it may pass, and what it means for each of three",
    (code) => {
      const text = sections.get(code)
      expect(text).toContain(
        `Status ${problemStatuses[code]}. ${isRetryable(code) ? "May succeed later." : "Final."}\n`,
      )
      for (const who of ["Users", "Developers", "Operators"])
        expect(text).toMatch(new RegExp(`^- \\*\\*${who}\\*\\*: \\S`, "m"))
    },
  )

  it.each([...problemCodes])("is where the help of %s points", (code) => {
    const { help } = new UploadError({ code, message: "x" })
    const [path, anchor] = help.split("#")
    expect(path).toBe(`node_modules/sluice/${page}`)
    expect([...sections.keys()].map((heading) => heading.toLowerCase())).toContain(anchor)
  })

  it("says of a callback that failed what the component says to its user", () => {
    vi.stubEnv("NODE_ENV", "production")
    const text = english.error(new UploadError({ code: "CALLBACK_FAILED", message: "The callback got 500." }))
    vi.unstubAllEnvs()
    expect(sections.get("CALLBACK_FAILED")).toContain(`- **Users**: "${text}"`)
  })

  it("names only options of the command that it has", () => {
    const sources = globSync("src/cli/**/*.ts", { cwd: root })
      .map((file) => readFileSync(join(root, file), "utf8"))
      .join("\n")
    const toField = (flag: string) => flag.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
    const flags = [...new Set([...markdown.matchAll(/`[^`\n]*?--([a-z][a-z-]+)[^`\n]*`/g)].map(([, flag]) => flag!))]
    expect(flags).toContain("callback-url")
    const unknown = flags.filter(
      (flag) => !sources.includes(`--${flag}`) && !new RegExp(`\\b${toField(flag)}:`).test(sources),
    )
    expect(unknown).toEqual([])
  })
})
