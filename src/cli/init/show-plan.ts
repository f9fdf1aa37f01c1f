import { styleText } from "node:util"
import { toPrintable } from "../terminal/printable.ts"
import type { Plan } from "./plan.ts"
import type { Project } from "./read-project.ts"

/** Lines of the file around a change. */
const context = 2

const toShown = (line: string): string => line.split("\t").map(toPrintable).join("\t")

const toLines = (text: string): ReadonlyArray<string> => text.split(/\r?\n/)

/** The lines of a file that a single change replaces, with a few around them. */
const toHunk = (before: ReadonlyArray<string>, after: ReadonlyArray<string>): ReadonlyArray<string> => {
  let start = 0
  while (start < before.length && before[start] === after[start]) start++
  let same = 0
  while (same < before.length - start && before.at(-1 - same) === after.at(-1 - same)) same++
  const from = Math.max(start - context, 0)
  const end = before.length - same
  const until = Math.min(end + context, before.length)
  const mark = (sign: string, lines: ReadonlyArray<string>) => lines.map((line) => `${sign} ${toShown(line)}`)
  const count = until - from
  const longer = after.length - before.length
  return [
    styleText("cyan", `@@ -${from + 1},${count} +${from + 1},${count + longer} @@`),
    ...mark(" ", before.slice(from, start)),
    ...mark("-", before.slice(start, end)).map((line) => styleText("red", line)),
    ...mark("+", after.slice(start, after.length - same)).map((line) => styleText("green", line)),
    ...mark(" ", before.slice(end, until)),
  ]
}

/** Prints what would be written: new files in full, of package.json what changes. */
export const showPlan = ({ files, devScript }: Plan, { manifest }: Project): void => {
  for (const { path, text, existing } of files) {
    if (existing !== undefined) continue
    console.log(styleText("bold", `${path} (new)`))
    for (const line of toLines(text.trimEnd())) console.log(styleText("green", `+ ${line}`.trimEnd()))
    console.log()
  }
  if (devScript.action !== "changed") return
  console.log(styleText("bold", "package.json"))
  for (const line of toHunk(toLines(manifest), toLines(devScript.manifest))) console.log(line.trimEnd())
  console.log()
}
