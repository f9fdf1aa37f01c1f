import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { cleanEnvironment } from "./clean-environment.ts"
import type { LogEntry } from "./server-log.ts"

/** A running `sluice ingest`. */
export interface IngestProcess {
  readonly url: string
  readonly token: string
  /** Absolute. */
  readonly dataFolder: string
  /** Resolves when the process is gone, with its exit code; 0 after a clean stop, null when a signal ended it. */
  readonly exited: Promise<number | null>
  /** Stops it cleanly; tells the most resident memory it ever had, in bytes (NaN when it crashed). */
  readonly stop: () => Promise<{ readonly peakMemory: number }>
}

/** How to run it. */
export interface IngestProcessOptions {
  /** The data folder. */
  readonly folder: string
  /** 0 takes a free one. */
  readonly port: number
  readonly logLevel: "Info" | "Warning"
  readonly onLog: (level: LogEntry["level"], text: string) => void
}

const command = join(import.meta.dirname, "../src/cli/main.ts")
const levels: Record<string, LogEntry["level"]> = { warn: "warn", error: "error", fatal: "error" }

const shownElsewhere = new Set(["time", "level", "service", "message"])

/** One line of the ingest's log, as people read it. */
const toText = (entry: Record<string, unknown>): string => {
  const facts = Object.entries(entry).filter(([key]) => !shownElsewhere.has(key))
  return [entry["message"], ...facts.map(([key, value]) => `${key}=${String(value)}`)].join(" ")
}

/**
 * Starts `sluice ingest` in a process of its own, as an operator would; resolves when it listens.
 *
 * Fails: rejects with what the command printed.
 */
export const startIngestProcess = async (options: IngestProcessOptions): Promise<IngestProcess> => {
  const { folder, port, logLevel, onLog } = options
  const child = spawn(
    process.execPath,
    [command, "ingest", "--json", "--data", folder, "--port", String(port), "--log-level", logLevel],
    // It stops when the IPC channel closes: also when this process is killed, and also on Windows.
    { stdio: ["ignore", "pipe", "pipe", "ipc"], env: cleanEnvironment() },
  )
  const lines = createInterface(child.stdout!)
  // Not "close": Node never emits it for a child whose channel the parent has closed.
  const exited = Promise.all([once(child, "exit"), once(lines, "close")]).then(([[code]]): number | null => code)
  const listening = Promise.withResolvers<{ url: string; data: string; tokenFile: string }>()
  let complaint = "The ingest stopped before it listened."
  let peakMemory = Number.NaN

  const read = (line: string, level: LogEntry["level"]): void => {
    let entry: Record<string, unknown>
    try {
      entry = JSON.parse(line)
    } catch {
      if (line.startsWith("sluice: ")) complaint = line.slice("sluice: ".length)
      else onLog(level, line)
      return
    }
    if (entry["event"] === "listening") return listening.resolve(entry as never)
    if (entry["event"] === "stopped") return void (peakMemory = Number(entry["peakMemory"]))
    onLog(levels[String(entry["level"])] ?? "info", toText(entry))
  }
  lines.on("line", (line) => read(line, "info"))
  createInterface(child.stderr!).on("line", (line) => read(line, "error"))
  void exited.then(() => listening.reject(new Error(complaint)))

  const { url, data, tokenFile } = await listening.promise
  return {
    url,
    dataFolder: data,
    token: (await readFile(tokenFile, "utf8")).trim(),
    exited,
    stop: async () => {
      if (child.connected) child.disconnect()
      const timer = setTimeout(() => child.kill("SIGKILL"), 10_000)
      await exited
      clearTimeout(timer)
      return { peakMemory }
    },
  }
}
