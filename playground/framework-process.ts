import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as delay } from "node:timers/promises"
import { stripVTControlCharacters } from "node:util"
import { type Framework, type FrameworkName, frameworks } from "./frameworks.ts"
import type { LogEntry } from "./server-log.ts"

/** A framework's application, running. */
export interface FrameworkProcess {
  readonly url: string
  /** Resolves when it is gone, with its exit code; null when a signal ended it. */
  readonly exited: Promise<number | null>
  readonly stop: () => Promise<void>
}

export interface FrameworkProcessOptions {
  readonly framework: FrameworkName
  /** Builds it for production first, and serves that. */
  readonly isProduction: boolean
  readonly port: number
  readonly env: NodeJS.ProcessEnv
  readonly onLog: (level: LogEntry["level"], text: string) => void
}

const host = "127.0.0.1"

/** Where a signal reaches all of a process group; Windows has none. */
const hasGroups = process.platform !== "win32"

/** Runs Node in the application's folder. */
const launch = (args: ReadonlyArray<string>, options: FrameworkProcessOptions) => {
  const child = spawn(process.execPath, args, {
    cwd: join(import.meta.dirname, options.framework),
    env: options.env,
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own: `next` leaves its servers behind when it is ended alone.
    detached: hasGroups,
  })
  for (const [stream, level] of [
    [child.stdout, "info"],
    [child.stderr, "error"],
  ] as const) {
    createInterface(stream).on("line", (line) => {
      const text = stripVTControlCharacters(line).trimEnd()
      if (text !== "") options.onLog(level, text)
    })
  }
  const exited = once(child, "exit").then(([code]): number | null => code)
  const kill = (signal: NodeJS.Signals): void => {
    try {
      if (hasGroups) process.kill(-child.pid!, signal)
      else child.kill(signal)
    } catch {
      // nobody is left
    }
  }
  // However this process ends.
  const killNow = () => kill("SIGKILL")
  process.once("exit", killNow)
  return {
    exited,
    stop: async () => {
      kill("SIGTERM")
      await Promise.race([exited, delay(5000, undefined, { ref: false })])
      killNow()
      await exited
      process.off("exit", killNow)
    },
  }
}

/** Asks for the page until it is there: a development server compiles it only then. */
const waitForPage = async (url: string, exited: Promise<unknown>): Promise<void> => {
  const stopped = exited.then(() => {
    throw new Error("The application stopped before it listened.")
  })
  for (;;) {
    const answer = await Promise.race([stopped, fetch(url).catch(() => undefined)])
    await answer?.body?.cancel()
    if (answer?.ok === true) return
    if (answer !== undefined) throw new Error(`The application's page answers ${answer.status}.`)
    await delay(100)
  }
}

/**
 * Starts a framework's application in a process group of its own; resolves when its page is there.
 *
 * Fails: rejects when it does not build or start; what it printed has gone to `onLog`.
 */
export const startFrameworkProcess = async (options: FrameworkProcessOptions): Promise<FrameworkProcess> => {
  const { framework, isProduction, port } = options
  const { title, commands }: Framework = frameworks[framework]
  const { develop, build, serve } = commands({ host, port })
  if (isProduction && build !== undefined) {
    options.onLog("info", `Building ${title} for production…`)
    const code = await launch(build, options).exited
    if (code !== 0) throw new Error(`${title} did not build.`)
  }
  const { exited, stop } = launch(isProduction ? serve : develop, options)
  const url = `http://localhost:${port}`
  try {
    await waitForPage(url, exited)
  } catch (error) {
    await stop()
    throw error
  }
  return { url, exited, stop }
}
