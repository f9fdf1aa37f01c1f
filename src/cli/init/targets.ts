import { existsSync, lstatSync, realpathSync } from "node:fs"
import { basename, dirname, join, relative } from "node:path"
import { CommandFailure, describeSystemError, isSystemError } from "../command-failure.ts"
import { isInside } from "../is-inside.ts"
import type { Plan } from "./plan.ts"
import type { Project } from "./read-project.ts"
import { glance } from "./read-text.ts"

/** Whether a folder is configured to have projects below it. pnpm's file may hold only settings. */
const isWorkspace = (folder: string): boolean => {
  const names = (file: string, pattern: RegExp) => pattern.test(glance(join(folder, file)) ?? "")
  return (
    names("package.json", /"workspaces"\s*:/) ||
    names("pnpm-workspace.yaml", /^packages\s*:/m) ||
    ["deno.json", "deno.jsonc"].some((file) => names(file, /"workspace"\s*:/))
  )
}

/** The root of the workspace that a folder is in, searched for inside its repository; otherwise the folder itself. */
const findRoot = (folder: string): string => {
  for (let at = folder; ; at = dirname(at)) {
    if (isWorkspace(at)) return at
    if (dirname(at) === at || existsSync(join(at, ".git"))) return folder
  }
}

/** The location of a path, existing or not, after all links on the way are followed. */
const follow = (path: string): string => {
  try {
    return realpathSync(path)
  } catch (error) {
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
    if (isLink || !isSystemError(error, "ENOENT") || dirname(path) === path) throw error
    return join(follow(dirname(path)), basename(path))
  }
}

/** The paths that a plan writes, each relative to the project, with `/`. */
const pathsOf = ({ files, edits, devScript }: Plan): ReadonlyArray<string> => [
  ...files.filter(({ existing }) => existing === undefined).map(({ path }) => path),
  ...edits.map(({ path }) => path),
  ...(devScript.action === "changed" ? ["package.json"] : []),
]

/**
 * Where a plan writes through a link, either a link itself or in a linked folder: by path, both relative to the
 * project.
 *
 * Fails: with a {@link CommandFailure} where a link leads out of the project and its workspace, or nowhere.
 */
export const findLinks = (plan: Plan, { folder }: Project): ReadonlyMap<string, string> => {
  const home = realpathSync(folder)
  const root = findRoot(home)
  const links = new Map<string, string>()
  for (const path of pathsOf(plan)) {
    let target: string
    try {
      target = follow(join(home, path))
    } catch (error) {
      // Making the folder later fails with a message about what is in the way.
      if (isSystemError(error, "ENOTDIR")) continue
      const reason = isSystemError(error, "ENOENT") ? "a link on its way leads nowhere" : describeSystemError(error)
      throw new CommandFailure(`${path} cannot be written: ${reason}. Nothing was written.`)
    }
    if (target === join(home, path)) continue
    if (!isInside(root, target)) {
      throw new CommandFailure(
        `${path} is, or is in, a link that leads to ${target}, outside ${root === home ? "the project" : `the workspace ${root}`}. ` +
          "Nothing was written. Put a file or folder of the project's own in the place of the link, and run `sluice init` again.",
      )
    }
    links.set(path, relative(home, target).replaceAll("\\", "/"))
  }
  return links
}
