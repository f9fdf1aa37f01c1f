import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import ts from "typescript"
import { doors } from "../tsup.config.ts"

const root = join(import.meta.dirname, "..")

/** A fenced block of code: which heading it stands under, and the file its first line names. */
export interface Block {
  readonly heading: string
  /** `ts`, `tsx`, `vue`, `svelte`. */
  readonly language: string
  /** What stands behind the language. */
  readonly info: string
  readonly path: string
  readonly code: string
}

/** The blocks of code of a page in Markdown. */
export const readBlocks = (markdown: string): ReadonlyArray<Block> =>
  markdown.split(/^(?=#{2,3} )/m).flatMap((section) => {
    const heading = /^#+ (.*)$/m.exec(section)?.[1] ?? ""
    return [...section.matchAll(/^```(tsx?|vue|svelte)(.*)\n([\s\S]*?)^```$/gm)].map(
      ([, language = "", info = "", code = ""]) => ({
        heading,
        language,
        info: info.trim(),
        path: /^(?:\/\/|<!--) (\S+)/.exec(code)?.[1] ?? "",
        code,
      }),
    )
  })

const sources = Object.fromEntries([...doors].map(([name, file]) => [`sluice/${name}`, [join(root, file)]]))

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2024,
  lib: ["lib.es2024.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts", "lib.dom.asynciterable.d.ts"],
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  jsx: ts.JsxEmit.ReactJSX,
  types: ["node"],
  typeRoots: [join(root, "node_modules/@types")],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  noEmit: true,
}

/** The sources and the packages, which are the same for each page: they are read and parsed once. */
const parsed = new Map<string, ts.SourceFile | undefined>()

/** A host that parses what stands outside of a folder once for all. */
const createHost = (folder: string): ts.CompilerHost => {
  const host = ts.createCompilerHost(options)
  const { getSourceFile } = host
  host.getSourceFile = (path, ...given) => {
    if (path.startsWith(folder)) return getSourceFile(path, ...given)
    if (!parsed.has(path)) parsed.set(path, getSourceFile(path, ...given))
    return parsed.get(path)
  }
  return host
}

/**
 * Type-checks files against the sources, as a strict project would. The sources themselves are left to `npm run types`.
 *
 * @param files by path, relative to a folder of their own
 * @param aliases besides the package's doors, relative to the same folder
 * @returns what is wrong, each line beginning with the path
 */
export const findTypeErrors = async (
  files: ReadonlyMap<string, string>,
  aliases: Readonly<Record<string, string>> = {},
): Promise<ReadonlyArray<string>> => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-code-blocks-"))
  try {
    await symlink(join(root, "node_modules"), join(folder, "node_modules"), "dir")
    for (const [path, code] of files) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), code)
    }
    const own = Object.entries(aliases).map(([name, path]) => [name, [join(folder, path)]])
    const names = [...files.keys()].map((path) => join(folder, path))
    const paths = { ...sources, ...Object.fromEntries(own) }
    const program = ts.createProgram(names, { ...options, paths }, createHost(folder))
    const found = [
      ...program.getOptionsDiagnostics(),
      ...program.getGlobalDiagnostics(),
      ...names.flatMap((name) => {
        const file = program.getSourceFile(name)
        return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]
      }),
    ]
    return found.map((diagnostic) => {
      const text = ts.flattenDiagnosticMessageText(diagnostic.messageText, "\n")
      return `${diagnostic.file?.fileName.replace(`${folder}/`, "") ?? ""}: ${text}`
    })
  } finally {
    await rm(folder, { recursive: true })
  }
}
