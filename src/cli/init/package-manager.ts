import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { glance } from "./read-text.ts"

/** The commands that install packages and run scripts. */
export interface PackageManager {
  readonly name: string
  /** Adds a package; the package's name follows. */
  readonly install: string
  /** Runs a script; the script's name follows. */
  readonly run: string
}

const npm: PackageManager = { name: "npm", install: "npm install", run: "npm run" }

/** Package managers, with the files that identify them. */
const known: ReadonlyArray<PackageManager & { readonly locks: ReadonlyArray<string> }> = [
  { name: "pnpm", install: "pnpm add", run: "pnpm run", locks: ["pnpm-lock.yaml", "pnpm-workspace.yaml"] },
  { name: "yarn", install: "yarn add", run: "yarn", locks: ["yarn.lock"] },
  { name: "bun", install: "bun add", run: "bun run", locks: ["bun.lock", "bun.lockb"] },
  { ...npm, locks: ["package-lock.json", "npm-shrinkwrap.json"] },
  { name: "deno", install: "deno add npm:", run: "deno task", locks: ["deno.lock"] },
]

/** `pnpm@10.1.0+sha512…`, as in the field `packageManager` and in the caller's `npm_config_user_agent`. */
const parse = (text: unknown): PackageManager | undefined =>
  typeof text === "string" ? known.find(({ name }) => new RegExp(`^${name}(@|/|$)`).test(text)) : undefined

const readField = (folder: string): unknown => {
  try {
    return JSON.parse((glance(join(folder, "package.json")) ?? "").replace(/^\uFEFF/, ""))?.packageManager
  } catch {
    return undefined
  }
}

/**
 * The package manager of a project: by the field `packageManager` and the lock file, here or in parent folders,
 * because a workspace has them at its root; otherwise the one that runs this command, otherwise npm.
 */
export const findPackageManager = (folder: string, field: unknown): PackageManager => {
  const named = parse(field)
  if (named !== undefined) return named
  for (let at = folder; ; at = dirname(at)) {
    const found = parse(readField(at)) ?? known.find(({ locks }) => locks.some((lock) => existsSync(join(at, lock))))
    if (found !== undefined) return found
    if (dirname(at) === at || existsSync(join(at, ".git"))) break
  }
  return parse(process.env["npm_config_user_agent"]?.split(" ")[0]) ?? npm
}
