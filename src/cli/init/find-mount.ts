import { posix } from "node:path"
import { readSources, type Source } from "./find-use.ts"
import type { Project } from "./read-project.ts"

/** Imports of types, which nothing is left of when the code runs. */
const typeImports = /\b(?:import|export)\s+(?:type\b[^"';]*?|\{(?:\s*type\s[^,}]*,?)*\s*\}\s*)from\s*["'][^"'\n]*["']/g

const isTest = (path: string): boolean => /\.(?:test|spec)\.\w+$/.test(path)

/** What makes a file a server of its own. */
const servers = /\b(?:listen|serve|createServer)\s*\(|\bexport\s+default\b[^;]*\bfetch\b/

const stemOf = (path: string): string => path.replace(/\.\w+$/, "")

/** What a file imports by a relative path, without extensions. */
const importsOf = ({ path, text }: Source): ReadonlyArray<string> =>
  [...text.matchAll(/["'](\.{1,2}\/[^"'\n]+)["']/g)].map(([, specifier = ""]) =>
    stemOf(posix.join(posix.dirname(path), specifier)),
  )

/** The file and all that it imports, and what those import. */
const followImports = (start: Source, sources: ReadonlyArray<Source>): ReadonlySet<Source> => {
  const reached = new Set([start])
  for (const source of reached) {
    const stems = new Set(importsOf(source))
    for (const other of sources) {
      const stem = stemOf(other.path)
      if (stems.has(stem) || stems.has(stem.replace(/\/index$/, ""))) reached.add(other)
    }
  }
  return reached
}

/**
 * Whether a file of the project mounts the handler of the router: it imports the router's code, and is the server, or a part of
 * one. Another server of the project is none.
 *
 * @param router its file, relative to the project
 * @param ours   files that `sluice init` writes
 */
export const isMounted = (project: Project, router: string, ours: ReadonlyArray<string>): boolean => {
  const sources = [...readSources(project, ours)]
    .filter(({ path }) => !isTest(path))
    .map(({ path, text }) => ({ path, text: text.replaceAll(typeImports, " ") }))
  // An alias leads wherever the project's bundler says.
  const mounting = sources.filter(
    (source) => importsOf(source).includes(stemOf(router)) || /["'](?!\.)[^"'\n]*\bupload-router["']/.test(source.text),
  )
  if (mounting.length === 0) return false
  const entry = sources.find(({ path }) => path === project.entry)
  if (entry === undefined) return true
  const reached = followImports(entry, sources)
  return mounting.some((source) => reached.has(source) || !servers.test(source.text))
}
