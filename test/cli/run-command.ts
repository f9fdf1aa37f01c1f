import { type ChildProcess, spawn, type StdioOptions } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { parseToken, type Token } from "../../src/protocol.ts"
import { compileCache } from "../compile-cache.ts"
import { commandFile } from "./command-file.ts"

/** How the command is run. */
export interface CommandOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly input?: string
  /** Opens an IPC channel, as `fork` does. */
  readonly hasChannel?: boolean
  /** For node itself. */
  readonly execArgv?: ReadonlyArray<string>
  /** Who runs it; only root may say. */
  readonly uid?: number
}

/** A command that runs. */
export interface RunningCommand {
  readonly child: ChildProcess
  /** The next line of standard output that the predicate accepts. Rejects when the command ends before. */
  readonly line: (accepts: (line: string) => boolean) => Promise<string>
  /** Everything it printed until now. */
  readonly printed: () => { readonly stdout: string; readonly stderr: string }
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>
}

/** Starts the real `sluice` command, without the `SLUICE_*` variables of whoever runs the tests. */
export const startCommand = (args: ReadonlyArray<string>, options: CommandOptions = {}): RunningCommand => {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("SLUICE_"))
  const stdio: StdioOptions = ["pipe", "pipe", "pipe", ...(options.hasChannel ? (["ipc"] as const) : [])]
  const child = spawn(process.execPath, [...(options.execArgv ?? []), commandFile, ...args], {
    stdio,
    env: { ...Object.fromEntries(inherited), ...compileCache, NO_COLOR: "1", ...options.env },
    ...(options.cwd !== undefined && { cwd: options.cwd }),
    ...(options.uid !== undefined && { uid: options.uid, gid: options.uid }),
  })
  child.stdin!.end(options.input ?? "")
  let stdout = ""
  let stderr = ""
  child.stderr!.on("data", (chunk: Buffer) => (stderr += chunk.toString()))
  const lines: Array<string> = []
  const waiting = new Set<() => void>()
  const output = createInterface(child.stdout!).on("line", (line) => {
    stdout += `${line}\n`
    lines.push(line)
    for (const wake of waiting) wake()
  })
  // Not "close": Node never emits it for a child whose channel the parent has closed.
  const ended = Promise.all([once(child, "exit"), once(output, "close"), once(child.stderr!, "close")]).then(
    ([[code]]) => ({ code: code as number | null, stdout, stderr }),
  )
  const line: RunningCommand["line"] = (accepts) =>
    new Promise((resolve, reject) => {
      const look = () => {
        const found = lines.find(accepts)
        if (found === undefined) return
        waiting.delete(look)
        resolve(found)
      }
      waiting.add(look)
      look()
      void ended.then(({ code }) => reject(new Error(`The command ended with code ${code}:\n${stdout}${stderr}`)))
    })
  return { child, line, printed: () => ({ stdout, stderr }), ended }
}

/** Runs the real `sluice` command to its end. */
export const runCommand = (args: ReadonlyArray<string>, options?: CommandOptions): RunningCommand["ended"] =>
  startCommand(args, options).ended

/** What a command prints as JSON; it must say nothing else, and end with code 0. */
export const askCommand = async (args: ReadonlyArray<string>, options?: CommandOptions): Promise<any> => {
  const { code, stdout, stderr } = await runCommand([...args, "--json"], options)
  if (code !== 0 || stderr !== "") throw new Error(`${args.join(" ")} ended with ${code}:\n${stderr}`)
  return JSON.parse(stdout)
}

/** The token that a command printed. */
export const readPrintedToken = (text: string): Token => {
  const parsed = parseToken(text)
  if (!parsed.ok) throw new Error(parsed.detail)
  return parsed.value
}
