import { readdirSync } from "node:fs"
import { join } from "node:path"
import type { Project } from "./read-project.ts"
import { readText } from "./read-text.ts"

const isSource = (name: string): boolean => /\.(?:[cm]?[jt]sx?|vue|svelte|astro|html?|ejs|hbs|njk|pug)$/.test(name)

/** Folders with other people's files or with build output. */
const skipped = new Set(["node_modules", "dist", "build", "out", "coverage"])

/** More than most projects have; a larger project is not read to its end. */
const mostFiles = 5000
const largestFile = 512 * 1024

/** Comments of code and of markup; the `//` of a URL is not one. */
const comments = /\/\*[\s\S]*?\*\/|<!--[\s\S]*?-->|(?<![:"'`\w])\/\/[^\n]*/g

/** Whether a text matches the pattern outside its comments. */
export const isNamed = (text: string, pattern: RegExp): boolean => pattern.test(text.replaceAll(comments, " "))

/** Whether a source file of the project, other than the given ones, matches the pattern outside its comments. */
export const isUsed = ({ folder }: Project, pattern: RegExp, except: ReadonlyArray<string>): boolean => {
  let left = mostFiles
  const look = (path: string): boolean => {
    const entries = readdirSync(join(folder, path), { withFileTypes: true })
    return entries.some((entry) => {
      const { name } = entry
      const inner = path === "" ? name : `${path}/${name}`
      if (name.startsWith(".") || skipped.has(name) || left <= 0) return false
      if (entry.isDirectory()) {
        try {
          return look(inner)
        } catch {
          return false
        }
      }
      if (!entry.isFile() || !isSource(name) || except.includes(inner)) return false
      left--
      return isNamed(readText(join(folder, inner), largestFile) ?? "", pattern)
    })
  }
  return look("")
}
