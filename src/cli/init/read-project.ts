import { existsSync } from "node:fs"
import { readFile, stat } from "node:fs/promises"
import { basename, dirname, extname, join } from "node:path"
import { CommandFailure, describeSystemError, isSystemError } from "../command-failure.ts"
import type { Library } from "./framework.ts"
import { findPackageManager, type PackageManager } from "./package-manager.ts"

/** The project `sluice init` stands in: what is known of it before anything is decided. */
export interface Project {
  readonly folder: string
  /** The text of package.json, byte for byte. */
  readonly manifest: string
  readonly scripts: Readonly<Record<string, unknown>>
  /** Of all kinds of dependencies. */
  readonly packages: ReadonlySet<string>
  readonly isTypeScript: boolean
  /** What files without an ending of their own kind are: modules, or CommonJS. */
  readonly isModule: boolean
  readonly packageManager: PackageManager
  readonly library: Library
  /** Whether there is a file or folder, named relative to the project. */
  readonly has: (path: string) => boolean
  /** The server's own file as far as can be told, relative to the project; `server.ts` or `server.js` where it cannot. */
  readonly entry: string
  /** Behind a relative import that Node or `tsc` resolves, not a bundler. */
  readonly importEnding: string
}

/** More than any package.json that people wrote. */
const largestManifest = 1024 * 1024

const endings = ["ts", "mts", "js", "mjs", "cjs"]

const toRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}

const readManifest = async (folder: string): Promise<{ text: string; value: Readonly<Record<string, unknown>> }> => {
  const path = join(folder, "package.json")
  let text: string
  try {
    if ((await stat(path)).size > largestManifest) {
      throw new CommandFailure(`${path} is larger than 1 MiB. No package.json is: is this the folder of the project?`)
    }
    text = await readFile(path, "utf8")
  } catch (error) {
    if (error instanceof CommandFailure) throw error
    throw new CommandFailure(
      isSystemError(error, "ENOENT")
        ? `There is no package.json in ${folder}. Go to the folder of the project, or make one: npm init.`
        : `${path} cannot be read: ${isSystemError(error, "EISDIR") ? "it is a folder" : describeSystemError(error)}.`,
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

const findEntry = (
  { main, scripts }: { readonly main: unknown; readonly scripts: Readonly<Record<string, unknown>> },
  has: Project["has"],
  isTypeScript: boolean,
): string => {
  const words = [scripts["dev"], scripts["dev:app"], scripts["start"]].flatMap((script) =>
    typeof script === "string" ? script.split(/\s+/) : [],
  )
  const usual = ["src/", ""].flatMap((folder) =>
    ["server", "index", "app", "main"].flatMap((name) => endings.map((ending) => `${folder}${name}.${ending}`)),
  )
  const isInside = (path: string) => !path.startsWith("/") && !path.split(/[\\/]/).includes("..")
  const isSource = (path: string) => endings.includes(extname(path).slice(1)) && !/\.config\.\w+$/.test(path)
  const found = [...words, ...(typeof main === "string" ? [main] : []), ...usual]
    .map((path) => path.replace(/^\.\//, ""))
    // What a build makes is no place to write into.
    .find((path) => isInside(path) && isSource(path) && !/^(dist|build|out)\//.test(path) && has(path))
  return found ?? `${has("src") ? "src/" : ""}server.${isTypeScript ? "ts" : "js"}`
}

/** How TypeScript, and whoever runs its files, want relative imports to end. */
const findImportEnding = async (folder: string): Promise<string> => {
  const text = await readFile(join(folder, "tsconfig.json"), "utf8").catch(() => undefined)
  if (text === undefined || /"(allowImportingTsExtensions|rewriteRelativeImportExtensions)"\s*:\s*true/.test(text)) {
    return ".ts"
  }
  return /"moduleResolution"\s*:\s*"bundler"/i.test(text) ? "" : ".js"
}

/**
 * Reads the project in a folder.
 *
 * Fails: with a {@link CommandFailure} where there is no package.json that can be read.
 */
export const readProject = async (folder: string): Promise<Project> => {
  const { text, value } = await readManifest(folder)
  const has = (path: string) => existsSync(join(folder, path))
  const scripts = toRecord(value["scripts"])
  const packages = new Set(
    ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"].flatMap((kind) =>
      Object.keys(toRecord(value[kind])),
    ),
  )
  const isTypeScript = has("tsconfig.json") || packages.has("typescript")
  return {
    folder,
    manifest: text,
    scripts,
    packages,
    isTypeScript,
    isModule: value["type"] === "module",
    packageManager: await findPackageManager(folder, value["packageManager"]),
    library: libraries.find(([name]) => packages.has(name))?.[1] ?? "client",
    has,
    entry: findEntry({ main: value["main"], scripts }, has, isTypeScript),
    importEnding: isTypeScript ? await findImportEnding(folder) : ".js",
  }
}

/** The folder of a path with its `/`, or nothing. */
export const folderOf = (path: string): string => (dirname(path) === "." ? "" : `${dirname(path)}/`)

/** Any file of that name, whatever its ending: frameworks would take both. */
export const findTwin = ({ has }: Project, path: string): string | undefined => {
  const stem = `${folderOf(path)}${basename(path, extname(path))}`
  return [path, ...["ts", "tsx", "mts", "js", "jsx", "mjs"].map((ending) => `${stem}.${ending}`)].find(has)
}
