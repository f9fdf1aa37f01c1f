import { existsSync } from "node:fs"
import { basename, dirname, extname, join, relative } from "node:path"
import { CommandFailure, describeSystemError, isSystemError } from "../command-failure.ts"
import { findImportEnding, type ImportEnding } from "./import-ending.ts"
import { findPackageManager, type PackageManager } from "./package-manager.ts"
import { LargeFile } from "../regular-file.ts"
import { readBytes, readText } from "./read-text.ts"

/** The library of the page's components; `client`: none, only the uploader. */
export type Library = "react" | "vue" | "svelte" | "solid" | "client"

/** The project in which `sluice init` runs: what is known before anything is decided. */
export interface Project {
  readonly folder: string
  /** The text of package.json, byte for byte. */
  readonly manifest: string
  readonly scripts: Readonly<Record<string, unknown>>
  /** Packages of all kinds of dependencies. */
  readonly packages: ReadonlySet<string>
  readonly isTypeScript: boolean
  /** Whether files whose extension does not say so are modules, not CommonJS. */
  readonly isModule: boolean
  /** Whether package.json says "commonjs", rather than leaving it to Node to find out. */
  readonly isCommonJs: boolean
  readonly packageManager: PackageManager
  readonly library: Library
  /** Whether there is a file or folder, named relative to the project. */
  readonly has: (path: string) => boolean
  /** The server's main file as far as it can be determined, relative to the project; otherwise `server.ts` or `server.js`. */
  readonly entry: string
  /** The ending of relative imports in the server's files. */
  readonly imports: ImportEnding
  /** The folder of this package, relative to the project: in a workspace it is in the `node_modules` of the root. */
  readonly home: string
  /** Whether a bundler makes pages from `index.html`, with or without a server. */
  readonly hasVitePage: boolean
}

const endings = ["ts", "mts", "js", "mjs", "cjs"]

const toRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}

const readManifest = (folder: string): { text: string; value: Readonly<Record<string, unknown>> } => {
  const path = join(folder, "package.json")
  let text: string
  try {
    text = readBytes(path).toString()
  } catch (error) {
    if (error instanceof LargeFile) {
      throw new CommandFailure(`${path} is larger than 1 MiB. No package.json is: is this the folder of the project?`)
    }
    throw new CommandFailure(
      isSystemError(error, "ENOENT")
        ? `There is no package.json in ${folder}. Go to the folder of the project, or make one: npm init.`
        : `${path} cannot be read: ${describeSystemError(error)}.`,
    )
  }
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""))
  } catch (error) {
    throw new CommandFailure(`${path} is not valid JSON: ${(error as Error).message}`)
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new CommandFailure(`${path} is not a package.json: it holds no object.`)
  }
  return { text, value: toRecord(value) }
}

const libraries: ReadonlyArray<readonly [name: string, library: Library]> = [
  ["react", "react"],
  ["vue", "vue"],
  ["svelte", "svelte"],
  ["solid-js", "solid"],
]

/** The folder of this package as an import would find it; if it is not installed, where it would be. */
const findHome = (folder: string): string => {
  for (let at = folder; ; at = dirname(at)) {
    const home = join(at, "node_modules/sluice")
    if (existsSync(join(home, "package.json"))) return relative(folder, home).replaceAll("\\", "/")
    if (dirname(at) === at) return "node_modules/sluice"
  }
}

/** Scripts that run in the browser, where a server's lines must not go. */
const findPageScripts = (folder: string): ReadonlyArray<string> =>
  [...(readText(join(folder, "index.html")) ?? "").matchAll(/<script\b[^>]*\bsrc=["']?([^"'\s>]+)/g)].map(
    ([, path = ""]) => path.replace(/^\.?\//, ""),
  )

interface Sources {
  readonly main: unknown
  readonly scripts: Readonly<Record<string, unknown>>
  readonly pageScripts: ReadonlyArray<string>
}

const findEntry = ({ main, scripts, pageScripts }: Sources, has: Project["has"], isTypeScript: boolean): string => {
  const named = Object.keys(scripts).filter((name) => /server|api|serve|backend/.test(name))
  const words = ["dev", "dev:app", "start", ...named].flatMap((name) => {
    const script = scripts[name]
    return typeof script === "string" ? script.split(/[\s"']+/) : []
  })
  const usual = ["src/", ""].flatMap((folder) =>
    ["server", "index", "app", "main"].flatMap((name) => endings.map((ending) => `${folder}${name}.${ending}`)),
  )
  const isInside = (path: string) => !path.startsWith("/") && !path.split(/[\\/]/).includes("..")
  const isSource = (path: string) => endings.includes(extname(path).slice(1)) && !/\.config\.\w+$/.test(path)
  const found = [...words, ...(typeof main === "string" ? [main] : []), ...usual]
    .map((path) => path.replace(/^\.\//, ""))
    // What a build makes is no place to write into.
    .find(
      (path) =>
        isInside(path) &&
        isSource(path) &&
        !/^(dist|build|out)\//.test(path) &&
        !pageScripts.includes(path) &&
        has(path),
    )
  // There, src/ belongs to the page.
  return found ?? `${has("src") && pageScripts.length === 0 ? "src/" : ""}server.${isTypeScript ? "ts" : "js"}`
}

/**
 * Reads the project in a folder.
 *
 * Fails: with a {@link CommandFailure} where there is no readable package.json.
 */
export const readProject = (folder: string): Project => {
  const { text, value } = readManifest(folder)
  const has = (path: string) => existsSync(join(folder, path))
  const scripts = toRecord(value["scripts"])
  const packages = new Set(
    ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"].flatMap((kind) =>
      Object.keys(toRecord(value[kind])),
    ),
  )
  // With jsconfig.json, TypeScript only checks the comments of JavaScript.
  const isSaid = has("tsconfig.json") || (packages.has("typescript") && !has("jsconfig.json"))
  const pageScripts = findPageScripts(folder)
  const entry = findEntry({ main: value["main"], scripts, pageScripts }, has, isSaid)
  // Node runs a server in TypeScript, whether a package or a setting speaks of it or not.
  const isTypeScript = isSaid || /\.m?ts$/.test(entry)
  return {
    folder,
    manifest: text,
    scripts,
    packages,
    isTypeScript,
    isModule: value["type"] === "module",
    isCommonJs: value["type"] === "commonjs",
    packageManager: findPackageManager(folder, value["packageManager"]),
    library: libraries.find(([name]) => packages.has(name))?.[1] ?? "client",
    has,
    entry,
    imports: isTypeScript
      ? findImportEnding({ folder, scripts, packages, entry })
      : { ending: ".js", needsSetting: false },
    home: findHome(folder),
    hasVitePage: packages.has("vite") && has("index.html"),
  }
}

/** The folder of a path with its `/`, or an empty text. */
export const folderOf = (path: string): string => (dirname(path) === "." ? "" : `${dirname(path)}/`)

/** Any file with that name, whatever its extension: frameworks would load both. */
export const findTwin = ({ has }: Project, path: string): string | undefined => {
  const stem = `${folderOf(path)}${basename(path, extname(path))}`
  return [path, ...["ts", "tsx", "mts", "js", "jsx", "mjs"].map((ending) => `${stem}.${ending}`)].find(has)
}
