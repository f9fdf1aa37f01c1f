import { spawn } from "node:child_process"

/** One thing to measure: a process that prints its figures as the last line of its output, as JSON. */
export interface Case {
  readonly name: string
  /** What is run with this process's own Node. */
  readonly args: ReadonlyArray<string>
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
}

export type Figures = Readonly<Record<string, number>>

/** Case → figure → one value a round. */
export type Rounds = ReadonlyMap<string, Readonly<Record<string, ReadonlyArray<number>>>>

/** The output of a process run to its end, with `wall`, its life in ms. Throws with what it said where it fails. */
export const runProcess = (args: ReadonlyArray<string>, options: Omit<Case, "name" | "args"> = {}) =>
  new Promise<{ readonly output: string; readonly wall: number }>((resolve, reject) => {
    const started = performance.now()
    const child = spawn(process.execPath, args, {
      cwd: options.cwd,
      env: { ...process.env, NODE_ENV: "production", NODE_NO_WARNINGS: "1", ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
    })
    let wall = 0
    let output = ""
    let complaints = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text))
    child.stderr.setEncoding("utf8").on("data", (text: string) => (complaints += text))
    child.on("error", reject)
    child.on("exit", () => (wall = performance.now() - started))
    child.on("close", (code) =>
      code === 0
        ? resolve({ output, wall })
        : reject(new Error(`${args.join(" ")} ended with ${code}:\n${complaints}${output}`)),
    )
  })

const readFigures = (output: string): Figures => JSON.parse(output.trimEnd().split("\n").at(-1) ?? "") as Figures

/**
 * Runs every case once a round, one process each, in turn; the order turns with the round, so that nobody is always
 * the one after the hungriest.
 */
export const runRounds = async (
  cases: ReadonlyArray<Case>,
  rounds: number,
  read: (run: { readonly output: string; readonly wall: number }) => Figures = ({ output }) => readFigures(output),
): Promise<Rounds> => {
  const results = new Map<string, Record<string, Array<number>>>()
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < cases.length; i++) {
      const { name, args, ...options } = cases[(i + round) % cases.length]!
      if (process.stderr.isTTY) process.stderr.write(`\r\x1b[Kround ${round + 1} of ${rounds}: ${name}`)
      const figures = read(await runProcess(args, options))
      const all = results.get(name) ?? {}
      for (const [figure, value] of Object.entries(figures)) (all[figure] ??= []).push(value)
      results.set(name, all)
    }
  }
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[K")
  return results
}
