import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"

/** How a program is run. */
export interface ProgramOptions {
  readonly cwd: string
  /** What runs it; this project's Node unless given. */
  readonly runtime?: string | undefined
  readonly env?: Readonly<Record<string, string>>
}

const launch = (args: ReadonlyArray<string>, { cwd, env, runtime = process.execPath }: ProgramOptions) => {
  // NODE_ENV and others of the test runner would change what the program does.
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(NODE_ENV|NODE_OPTIONS|VITEST.*|VITE_.*|TEST|DEV|PROD|MODE|BASE_URL|SSR)$/.test(name),
  )
  const child = spawn(runtime, args, {
    cwd,
    env: { ...Object.fromEntries(inherited), ...env },
    stdio: ["ignore", "pipe", "pipe"],
    // A process group of its own, so that what it starts can be ended with it.
    detached: true,
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text))
  return { child, output: () => output }
}

/** Runs a program to its end, and gives what it printed. Fails: rejects with all of that when its exit code is not 0. */
export const runProgram = async (args: ReadonlyArray<string>, options: ProgramOptions): Promise<string> => {
  const { child, output } = launch(args, options)
  const [code] = await once(child, "close")
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}:\n${output()}`)
  return output()
}

const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, "exit")
  process.kill(-child.pid!, "SIGKILL")
  await ended
}

/** Starts a server and waits until it has printed the port it listens on. */
export const startProgram = async (
  args: ReadonlyArray<string>,
  options: ProgramOptions,
): Promise<{ readonly origin: string; readonly output: () => string; readonly close: () => Promise<void> }> => {
  const { child, output } = launch(args, options)
  const port = await new Promise<string>((resolve, reject) => {
    const look = () => {
      const found = /http:\/\/[^\s/]+:(\d+)/.exec(output().replaceAll(/\u001b\[\d+m/g, ""))
      if (found !== null) resolve(found[1]!)
    }
    child.stdout.on("data", look)
    child.stderr.on("data", look)
    child.once("exit", (code) => reject(new Error(`${args.join(" ")} ended with ${code}:\n${output()}`)))
  })
  return { origin: `http://127.0.0.1:${port}`, output, close: () => end(child) }
}
