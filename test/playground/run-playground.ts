import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"

/** A playground that runs as `npm start` runs it, with a data folder of its own and on free ports. */
export interface RunningPlayground {
  /** Resolves with the first match in what it prints; rejects when it ends before. */
  readonly prints: (pattern: RegExp) => Promise<RegExpExecArray>
  readonly interrupt: () => void
  /** What runs of it and of all it has started, by the environment that they share; Linux tells, others have none. */
  readonly processes: () => Promise<ReadonlyArray<string>>
  readonly ended: Promise<{ readonly code: number | null; readonly output: string }>
}

const findProcesses = async (variable: string): Promise<ReadonlyArray<string>> => {
  const ids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(
    ids.map(async (id) => {
      const environment = await readFile(`/proc/${id}/environ`, "utf8").catch(() => "")
      if (!environment.includes(variable)) return []
      return [(await readFile(`/proc/${id}/cmdline`, "utf8").catch(() => id)).replaceAll("\0", " ")]
    }),
  )
  return found.flat()
}

/**
 * Starts `playground/start.ts` with these arguments.
 *
 * @param env beside the settings of another Sluice app, which must not matter
 */
export const startPlayground = async (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
): Promise<RunningPlayground> => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-playground-"))
  // What the test runner sets would change what a framework does.
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(SLUICE_.*|NODE_OPTIONS|VITEST.*|VITE_.*|TEST|DEV|PROD|MODE|BASE_URL|SSR)$/.test(name),
  )
  const child = spawn(process.execPath, [join(import.meta.dirname, "../../playground/start.ts"), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...Object.fromEntries(inherited),
      NO_COLOR: "1",
      PLAYGROUND_DATA: folder,
      PORT: "0",
      SLUICE_PORT: "0",
      SLUICE_TOKEN: "of another app",
      SLUICE_INGEST_URL: "http://127.0.0.1:1",
      ...env,
    },
  })
  let output = ""
  const looking = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr]) {
    createInterface(stream).on("line", (line) => {
      output += `${line}\n`
      for (const look of looking) look()
    })
  }
  const ended = once(child, "close").then(async ([code]) => {
    await rm(folder, { recursive: true, force: true })
    return { code: code as number | null, output }
  })
  return {
    prints: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(output)
          if (match === null) return
          looking.delete(look)
          resolve(match)
        }
        looking.add(look)
        look()
        void ended.then(({ code }) => reject(new Error(`It ended with code ${code} without ${pattern}:\n${output}`)))
      }),
    interrupt: () => child.kill("SIGINT"),
    processes: () => findProcesses(`PLAYGROUND_DATA=${folder}\0`),
    ended,
  }
}
