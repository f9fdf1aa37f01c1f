import { dirname, join } from "node:path"
import { glance } from "./read-text.ts"

/** The ending of a relative import that Node or `tsc` resolves, not a bundler; and whether the compiler needs a setting for it. */
export interface ImportEnding {
  readonly ending: "" | ".js" | ".ts"
  /** Whether the compiler accepts imports that end in `.ts` only with a setting. */
  readonly needsSetting: boolean
}

/** The parts of a project that tell what runs its TypeScript. */
interface Evidence {
  readonly folder: string
  readonly scripts: Readonly<Record<string, unknown>>
  readonly packages: ReadonlySet<string>
  /** The server's main file, relative to the folder. */
  readonly entry: string
}

/** More tsconfig files than anybody chains with `extends`. */
const longestChain = 8

/** Removes comments from JSON and keeps strings; `tsc --init` writes every setting, most of them in a comment. */
const stripComments = (text: string): string =>
  text.replaceAll(/"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (match) => (match.startsWith('"') ? match : ""))

/**
 * A tsconfig.json with those that it extends and those that it only references, the nearest first, without comments;
 * undefined where there is none.
 */
const readConfigs = (folder: string): string | undefined => {
  const texts: Array<string> = []
  const read = (path: string): void => {
    const text = glance(path)
    if (text === undefined || texts.length >= longestChain) return
    const config = stripComments(text)
    texts.push(config)
    const [, references = ""] = /"references"\s*:\s*\[([^\]]*)\]/.exec(config) ?? []
    for (const [, name = ""] of references.matchAll(/"path"\s*:\s*"(\.[^"]*)"/g)) {
      const file = join(dirname(path), name)
      read(file.endsWith(".json") ? file : join(file, "tsconfig.json"))
    }
    const [, list = ""] = /"extends"\s*:\s*("[^"]*"|\[[^\]]*\])/.exec(config) ?? []
    for (const [, name = ""] of list.matchAll(/"([^"]+)"/g)) {
      const base = name.startsWith(".") ? join(dirname(path), name) : join(folder, "node_modules", name)
      for (const file of [base, `${base}.json`, join(base, "tsconfig.json")]) read(file)
    }
  }
  read(join(folder, "tsconfig.json"))
  return texts.length === 0 ? undefined : texts.join("\n")
}

const isOn = (configs: string, name: string): boolean => new RegExp(`"${name}"\\s*:\\s*true`).test(configs)

/** Tools that compile TypeScript, or load it instead of Node: all of them find a `.ts` file for an import that ends in `.js`. */
const compilers =
  /^(tsx|ts-node|ts-node-dev|tsc|tsc-watch|tsup|tsdown|esbuild|swc|swc-node|babel|babel-node|jiti|vite-node|rollup|webpack|nest)$/

/** Options of Node that are followed by a value. */
const withValue =
  /^(-r|--require|--import|--loader|--experimental-loader|-C|--conditions|--env-file|--env-file-if-exists|--watch-path)$/

/** The words of each command of a script. */
const toCommands = (script: unknown): ReadonlyArray<ReadonlyArray<string>> =>
  typeof script === "string"
    ? script.split(/&&|\|\|?|[;&]/).map((command) => command.split(/[\s"']+/).filter((word) => word !== ""))
    : []

/** `tsx`, `./node_modules/.bin/tsx`, `ts-node/esm`, `@swc-node/register`. */
const isCompiling = (words: ReadonlyArray<string>): boolean =>
  words.some((word) =>
    word
      .replace("@", "")
      .split(/[/\\]/)
      .some((part) => compilers.test(part)),
  )

/** Whether Node itself runs a TypeScript file: it strips the types, and takes file names literally. */
const isNodeOnTypeScript = (words: ReadonlyArray<string>): boolean => {
  const at = words.findIndex((word) => /(^|[/\\])node(\.exe)?$/.test(word))
  if (at < 0 || isCompiling(words)) return false
  for (let i = at + 1; i < words.length; i++) {
    const word = words[i]!
    if (withValue.test(word)) i++
    else if (!word.startsWith("-")) return /\.[cm]?ts$/.test(word)
  }
  return false
}

/** How relative imports have to end for the tool that runs the project's TypeScript, and for its compiler. */
export const findImportEnding = ({ folder, scripts, packages, entry }: Evidence): ImportEnding => {
  const configs = readConfigs(folder)
  if (configs === undefined) return { ending: ".ts", needsSetting: false }
  if (isOn(configs, "allowImportingTsExtensions") || isOn(configs, "rewriteRelativeImportExtensions")) {
    return { ending: ".ts", needsSetting: false }
  }
  const commands = Object.values(scripts).flatMap(toCommands)
  const source = glance(join(folder, entry)) ?? ""
  if (commands.some(isNodeOnTypeScript) || /\bfrom\s+["']\.{1,2}\/[^"'\n]+\.[cm]?ts["']/.test(source)) {
    return { ending: ".ts", needsSetting: true }
  }
  if (/"moduleResolution"\s*:\s*"bundler"|"module"\s*:\s*"preserve"/i.test(configs))
    return { ending: "", needsSetting: false }
  const isCompiled =
    /"outDir"\s*:/.test(configs) || commands.some(isCompiling) || [...packages].some((name) => isCompiling([name]))
  // Then only Node is left to run it.
  return isCompiled ? { ending: ".js", needsSetting: false } : { ending: ".ts", needsSetting: true }
}
