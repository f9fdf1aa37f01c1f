import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { closeSync, existsSync, openSync, readFileSync } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fetchWindowsNode } from "./fetch-node.ts"

/** A program of Windows that runs. */
export interface RunningProgram {
  readonly child: ChildProcess
  /** All that it has printed. */
  readonly output: () => string
  readonly ended: Promise<{ readonly code: number | null; readonly output: string }>
}

/** Runs Windows' own Node on this machine. */
export interface Wine {
  /** What it prints goes into a file of the folder it runs in, because Wine knows no pipes as Node opens them. */
  readonly start: (args: ReadonlyArray<string>, options: WineOptions) => RunningProgram
  readonly run: (args: ReadonlyArray<string>, options: WineOptions) => RunningProgram["ended"]
}

export interface WineOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
}

/** Windows' `C:`, made by Wine. */
const prefix = join(import.meta.dirname, "../../node_modules/.cache/wine")

const inherited = Object.entries(process.env).filter(([name]) => !/^(SLUICE_|NODE_|VITEST)/.test(name))
const environment = { ...Object.fromEntries(inherited), WINEPREFIX: prefix, WINEDEBUG: "-all", NO_COLOR: "1" }

const runWine = async (args: ReadonlyArray<string>): Promise<string | undefined> => {
  const child = spawn("wine", args, { env: environment, stdio: "ignore" })
  try {
    const [code] = await once(child, "exit")
    return code === 0 ? undefined : `wine ${args.join(" ")} ended with ${code}`
  } catch {
    return "wine (of Debian: apt-get install wine)"
  }
}

/** Makes the prefix the first time, as Windows 10: Node runs on nothing older. */
const makePrefix = async (): Promise<string | undefined> => {
  const made = join(prefix, "made")
  if (existsSync(made)) return undefined
  await mkdir(prefix, { recursive: true })
  const missing = await runWine(["reg", "add", "HKCU\\Software\\Wine", "/v", "Version", "/d", "win10", "/f"])
  if (missing === undefined) await writeFile(made, "")
  return missing
}

let count = 0

/** Windows' Node under Wine, or why there is none here. */
export const openWine = async (): Promise<Wine | { readonly missing: string }> => {
  const node = await fetchWindowsNode()
  if (typeof node !== "string") return node
  const missing = await makePrefix()
  if (missing !== undefined) return { missing }
  const shim = join(import.meta.dirname, "without-keep-alive.cjs")
  const start: Wine["start"] = (args, { cwd, env = {} }) => {
    const file = join(cwd, `printed-${process.pid}-${++count}.txt`)
    const printed = openSync(file, "w")
    const child = spawn("wine", [node, "--no-warnings", "--require", shim, ...args], {
      cwd,
      env: { ...environment, ...env },
      stdio: ["ignore", printed, printed],
    })
    closeSync(printed)
    const output = () => readFileSync(file, "utf8")
    return { child, output, ended: once(child, "exit").then(([code]) => ({ code, output: output() })) }
  }
  return { start, run: (args, options) => start(args, options).ended }
}
