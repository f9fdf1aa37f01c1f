import { readdirSync } from "node:fs"
import { join } from "node:path"
import type { Project } from "./read-project.ts"
import { readText } from "./read-text.ts"

const isSource = (name: string): boolean => /\.(?:[cm]?[jt]sx?|vue|svelte|astro|html?|ejs|hbs|njk|pug)$/.test(name)

/** Folders that hold what others wrote or what a build made. */
const skipped = new Set(["node_modules", "dist", "build", "out", "coverage"])

/** More than the sources of most projects; one that is larger is not read to its end. */
const mostFiles = 5000
const largestFile = 512 * 1024

/** Comments of code and of markup; a URL's `//` begins none. */
const comments = /\/\*[\s\S]*?\*\/|<!--[\s\S]*?-->|(?<![:"'`\w])\/\/[^\n]*/g

/** Whether a text names something outside its comments. */
export const isNamed = (text: string, pattern: RegExp): boolean => pattern.test(text.replaceAll(comments, " "))

/** Whether a source file of the project, other than the given ones, names something outside its comments. */
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
