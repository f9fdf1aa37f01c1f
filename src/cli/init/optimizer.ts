import { join } from "node:path"
import type { Framework } from "./framework.ts"
import type { PlannedEdit } from "./planned-file.ts"
import type { Project } from "./read-project.ts"
import { readText } from "./read-text.ts"

/** What a configuration says to Vite. */
const setting = `optimizeDeps: { exclude: ["sluice"] }`

/** The beginning of a configuration to which a line can be added. */
const begin = /defineNuxtConfig\(\s*\{/g

const isSaid = (text: string): boolean => /\bexclude\s*:\s*\[[^\]]*["']sluice["']/.test(text)

const findConfig = ({ folder, has }: Project, { config, findsLate }: Framework) => {
  if (findsLate !== true) return undefined
  const path = ["ts", "mts", "js", "mjs"].map((ending) => `${config}.${ending}`).find(has)
  const text = path === undefined ? undefined : readText(join(folder, path))
  return path === undefined || text === undefined ? undefined : { path, text }
}

/**
 * Keeps the package out of Vite's optimizer, where that finds its doors one after the other: each time it bundles all anew,
 * and a page that loads meanwhile asks for chunks that are gone.
 *
 * @returns undefined where nothing is to be done, and where the configuration says something of Vite already
 */
export const planOptimizer = (project: Project, framework: Framework): PlannedEdit | undefined => {
  const found = findConfig(project, framework)
  if (found === undefined || /\bvite\b/.test(found.text)) return undefined
  const { path, text } = found
  const [first, ...others] = text.matchAll(begin)
  if (first === undefined || others.length > 0) return undefined
  const end = first.index + first[0].length
  const newline = text.includes("\r\n") ? "\r\n" : "\n"
  const rest = text.slice(end)
  const indent = /^\s*\n([ \t]+)/.exec(rest)?.[1] ?? "  "
  const line = `${newline}${indent}vite: { ${setting} },`
  return { path, before: text, after: text.slice(0, end) + line + (/^\r?\n/.test(rest) ? "" : newline) + rest }
}

/** What is left to people, where the configuration says something of Vite that {@link planOptimizer} leaves alone. */
export const toOptimizerStep = (project: Project, framework: Framework): string | undefined => {
  const found = findConfig(project, framework)
  if (found === undefined || isSaid(found.text) || planOptimizer(project, framework) !== undefined) return undefined
  return `Add to vite in ${found.path}: ${setting}. Without it the first pages in development reload, and the log complains of chunks.`
}
