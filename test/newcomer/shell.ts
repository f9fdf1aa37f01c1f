import { spawn } from "node:child_process"
import { once } from "node:events"
import { tmpdir } from "node:os"
import { delimiter, dirname } from "node:path"
import { stripVTControlCharacters } from "node:util"

/** What a newcomer's terminal has: this project's Node in front, and nothing else that this project or npm put there. */
const inherited = (): NodeJS.ProcessEnv => {
  const kept = Object.entries(process.env).filter(
    ([name]) =>
      !/^(NODE_ENV|NODE_OPTIONS|NODE_PATH|VITEST.*|VITE_.*|TEST.*|DEV|PROD|MODE|BASE_URL|SSR|FORCE_COLOR|SLUICE_.*|INIT_CWD|PORT|HOST|ORIGIN)$/.test(
        name,
      ) &&
      (!name.startsWith("npm_") || /^npm_config_(registry|userconfig|cache)$/.test(name)),
  )
  const path = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules"))
  return {
    ...Object.fromEntries(kept),
    PATH: [dirname(process.execPath), ...path].join(delimiter),
    CI: "true",
    NO_COLOR: "1",
    NEXT_TELEMETRY_DISABLED: "1",
    npm_config_loglevel: "error",
  }
}

/** Where a command is run, and what is in its environment. */
export interface Place {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>> | undefined
}

/** A command that did not end well: its line, and all that it printed. */
export class CommandFailed extends Error {
  constructor(line: string, ending: string, output: string) {
    super(`\`${line}\` ${ending}\n${output.trim().split("\n").slice(-40).join("\n")}`)
    this.name = "CommandFailed"
  }
}

const launch = (line: string, { cwd, env }: Place) => {
  const child = spawn(line, {
    cwd,
    env: { ...inherited(), ...env },
    shell: true,
    stdio: ["ignore", "pipe", "pipe"],
    // A process group of its own, so that what it starts can be ended with it.
    detached: true,
  })
  const printed = { all: "", out: "" }
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed.all += text
    printed.out += text
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => (printed.all += text))
  return { child, output: () => stripVTControlCharacters(printed.all), stdout: () => printed.out }
}

/** How long anything may take that comes to an end by itself: a limit for what hangs. */
const longest = 300_000

/** Runs a command line to its end. Fails: with {@link CommandFailed} where its exit code is not 0. */
export const run = async (
  line: string,
  place: Place,
): Promise<{ readonly stdout: string; readonly output: string }> => {
  const { child, output, stdout } = launch(line, place)
  const limit = setTimeout(() => process.kill(-child.pid!, "SIGKILL"), longest)
  const [code, signal] = await once(child, "close")
  clearTimeout(limit)
  if (code !== 0) throw new CommandFailed(line, `ended with ${code ?? signal}:`, output())
  return { stdout: stdout(), output: output() }
}

/** A command that goes on until it is ended. */
export interface Running {
  readonly output: () => string
  /** Waits until what it printed matches. Fails: where it ends before, or prints no such thing in time. */
  readonly prints: (pattern: RegExp, timeout?: number) => Promise<RegExpExecArray>
  /** Waits until something answers at an address with success. */
  readonly answers: (url: string, timeout?: number) => Promise<void>
  readonly end: () => Promise<void>
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Starts a command line that goes on. */
export const start = (line: string, place: Place): Running => {
  const { child, output } = launch(line, place)
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const wait = async <A>(look: () => Promise<A | null>, what: string, timeout: number): Promise<A> => {
    for (const until = Date.now() + timeout; ; await pause(100)) {
      const found = await look()
      if (found !== null) return found
      if (hasEnded()) throw new CommandFailed(line, `ended with ${child.exitCode} before ${what}:`, output())
      if (Date.now() > until) throw new CommandFailed(line, `did not get to this: ${what}.`, output())
    }
  }
  return {
    output,
    prints: (pattern, timeout = 60_000) => wait(async () => pattern.exec(output()), `it printed ${pattern}`, timeout),
    answers: async (url, timeout = 120_000) => {
      const ask = async () => {
        const response = await fetch(url, { signal: AbortSignal.timeout(timeout) }).catch(() => null)
        await response?.body?.cancel()
        return response?.ok ? true : null
      }
      await wait(ask, `it answered at ${url}`, timeout)
    },
    end: async () => {
      if (hasEnded()) return
      const ended = once(child, "close")
      // As Ctrl-C does, to all of the group; what does not heed it is killed.
      process.kill(-child.pid!, "SIGINT")
      const isOver = await Promise.race([ended.then(() => true), pause(8000).then(() => false)])
      if (isOver) return
      process.kill(-child.pid!, "SIGKILL")
      await ended
    },
  }
}

/** Whether the npm registry can be reached from here. */
export const hasRegistry = (): Promise<boolean> =>
  run("npm ping --fetch-retries=0 --fetch-timeout=10000", { cwd: tmpdir() }).then(
    () => true,
    () => false,
  )
