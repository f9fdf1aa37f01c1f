import { join } from "node:path"
import type { Framework } from "./framework.ts"
import type { PlannedEdit } from "./planned-file.ts"
import type { Project } from "./read-project.ts"
import { readText } from "./read-text.ts"

/** What a configuration says to Vite. */
const setting = `optimizeDeps: { exclude: ["sluice"] }`

const isSaid = (text: string): boolean => /\bexclude\s*:\s*\[[^\]]*["']sluice["']/.test(text)

const findConfig = ({ folder, has }: Project, { findsLate }: Framework) => {
  if (findsLate === undefined) return undefined
  const path = ["ts", "mts", "js", "mjs"].map((ending) => `${findsLate.file}.${ending}`).find(has)
  const text = path === undefined ? undefined : readText(join(folder, path))
  return path === undefined || text === undefined ? undefined : { ...findsLate, path, text }
}

/**
 * Keeps the package out of Vite's optimizer, where that finds its doors one after the other: each time it bundles all anew,
 * and a page that loads meanwhile asks for chunks that are gone.
 *
 * @returns undefined where nothing is to be done, and where the configuration says something of Vite already
 */
export const planOptimizer = (project: Project, framework: Framework): PlannedEdit | undefined => {
  const found = findConfig(project, framework)
  if (found === undefined) return undefined
  const { path, text, call, property } = found
  if (new RegExp(`\\b${property ?? "optimizeDeps"}\\b`).test(text)) return undefined
  // Where a line can be added.
  const [first, ...others] = text.matchAll(new RegExp(`\\b${call}\\(\\s*\\{`, "g"))
  if (first === undefined || others.length > 0) return undefined
  const end = first.index + first[0].length
  const newline = text.includes("\r\n") ? "\r\n" : "\n"
  const rest = text.slice(end)
  const indent = /^\s*\n([ \t]+)/.exec(rest)?.[1] ?? "  "
  const line = `${newline}${indent}${property === undefined ? setting : `${property}: { ${setting} }`},`
  return { path, before: text, after: text.slice(0, end) + line + (/^\r?\n/.test(rest) ? "" : newline) + rest }
}

/** What is left to people, where the configuration says something of Vite that {@link planOptimizer} leaves alone. */
export const toOptimizerStep = (project: Project, framework: Framework): string | undefined => {
  const found = findConfig(project, framework)
  if (found === undefined || isSaid(found.text) || planOptimizer(project, framework) !== undefined) return undefined
  const place = found.property === undefined ? found.path : `${found.property} in ${found.path}`
  return `Add to ${place}: ${setting}. Without it the first pages in development reload, and the log complains of chunks.`
}
