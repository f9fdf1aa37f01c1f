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

const withoutComments = (text: string): string => text.replaceAll(comments, " ")

/** Whether a text matches the pattern outside its comments. */
export const isNamed = (text: string, pattern: RegExp): boolean => pattern.test(withoutComments(text))

/** A source file of the project. */
export interface Source {
  /** Relative to the project, with `/`. */
  readonly path: string
  /** Without its comments. */
  readonly text: string
}

/** The source files of the project other than the given ones, each read when it is asked for. */
export function* readSources({ folder }: Project, except: ReadonlyArray<string>): Generator<Source> {
  let left = mostFiles
  function* look(path: string): Generator<Source> {
    let entries
    try {
      entries = readdirSync(join(folder, path), { withFileTypes: true })
    } catch (error) {
      if (path === "") throw error
      return
    }
    for (const entry of entries) {
      const { name } = entry
      const inner = path === "" ? name : `${path}/${name}`
      if (name.startsWith(".") || skipped.has(name) || left <= 0) continue
      if (entry.isDirectory()) yield* look(inner)
      else if (entry.isFile() && isSource(name) && !except.includes(inner)) {
        left--
        yield { path: inner, text: withoutComments(readText(join(folder, inner), largestFile) ?? "") }
      }
    }
  }
  yield* look("")
}

/** Whether a source file of the project, other than the given ones, matches the pattern outside its comments. */
export const isUsed = (project: Project, pattern: RegExp, except: ReadonlyArray<string>): boolean => {
  for (const { text } of readSources(project, except)) if (pattern.test(text)) return true
  return false
}
