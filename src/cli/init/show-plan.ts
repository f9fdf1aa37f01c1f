import { styleText } from "node:util"
import { toPrintable } from "../terminal/printable.ts"
import type { Plan } from "./plan.ts"
import type { Project } from "./read-project.ts"
import { findLinks } from "./targets.ts"

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

/**
 * Prints what would be written: new files in full, changes of existing ones; and where links lead.
 *
 * Fails: with a {@link CommandFailure} where a link leads out of the project.
 */
export const showPlan = (plan: Plan, project: Project): void => {
  const { files, edits, devScript } = plan
  const { manifest } = project
  const links = findLinks(plan, project)
  const showTitle = (path: string, ...notes: ReadonlyArray<string>) => {
    const target = links.get(path)
    const all = [...notes, ...(target === undefined ? [] : [`by a link, to ${toPrintable(target)}`])]
    console.log(styleText("bold", all.length === 0 ? path : `${path} (${all.join(", ")})`))
  }
  for (const { path, text, existing } of files) {
    if (existing !== undefined) continue
    showTitle(path, "new")
    for (const line of toLines(text.trimEnd())) console.log(styleText("green", `+ ${line}`.trimEnd()))
    console.log()
  }
  const manifests =
    devScript.action === "changed" ? [{ path: "package.json", before: manifest, after: devScript.manifest }] : []
  for (const { path, before, after } of [...edits, ...manifests]) {
    showTitle(path)
    for (const line of toHunk(toLines(before), toLines(after))) console.log(line.trimEnd())
    console.log()
  }
}
