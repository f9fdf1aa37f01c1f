import { dirname, join } from "node:path"
import { glance } from "./read-text.ts"

/** Behind a relative import that Node or `tsc` resolves, not a bundler; and whether the compiler has to be told of it. */
export interface ImportEnding {
  readonly ending: "" | ".js" | ".ts"
  /** The compiler takes imports that end in `.ts` where its configuration says so. */
  readonly needsSetting: boolean
}

/** The project as far as it tells who runs its TypeScript. */
interface Evidence {
  readonly folder: string
  readonly scripts: Readonly<Record<string, unknown>>
  readonly packages: ReadonlySet<string>
  /** The server's own file, relative to the folder. */
  readonly entry: string
}

/** More files that extend each other than people have. */
const longestChain = 8

/** Comments of JSON go, texts stay; `tsc --init` writes every setting there is, most of them in a comment. */
const stripComments = (text: string): string =>
  text.replaceAll(/"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (match) => (match.startsWith('"') ? match : ""))

/** A tsconfig.json with what it extends and what it only refers to, the nearest first, without comments; undefined where there is none. */
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

/** What makes JavaScript of TypeScript, or loads it in Node's place: all of them find a `.ts` file behind `.js`. */
const compilers =
  /^(tsx|ts-node|ts-node-dev|tsc|tsc-watch|tsup|tsdown|esbuild|swc|swc-node|babel|babel-node|jiti|vite-node|rollup|webpack|nest)$/

/** Options of Node that are followed by a value of their own. */
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

/** Whether Node itself runs a file of TypeScript: it strips the types, and takes names of files as they are. */
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

/** How whoever runs the project's TypeScript, and its compiler, want relative imports to end. */
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
  if (/"moduleResolution"\s*:\s*"bundler"/i.test(configs)) return { ending: "", needsSetting: false }
  const isCompiled =
    /"outDir"\s*:/.test(configs) || commands.some(isCompiling) || [...packages].some((name) => isCompiling([name]))
  // Nobody else is there to run it.
  return isCompiled ? { ending: ".js", needsSetting: false } : { ending: ".ts", needsSetting: true }
}
