import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Where npm has put a runtime that is a package. */
const installed = (name: string): string => join(import.meta.dirname, "../../node_modules/.bin", name)

export const bun = installed("bun")
export const deno = installed("deno")

/** Arguments of Deno in front of a program's own: all is allowed, nothing is read but the program. */
export const denoRun = ["run", "--allow-all", "--no-config", "--no-lock"]

/** A folder that is gone after use. */
export const createFolder = async (): Promise<{ readonly folder: string; readonly remove: () => Promise<void> }> => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-runtime-"))
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}

/** How workerd runs a worker. */
export interface WorkerOptions {
  /** Decides what the worker finds: from 2026-08-04 on `nodejs_compat` is the default. */
  readonly compatibilityDate: string
  readonly compatibilityFlags?: ReadonlyArray<string>
  /** Text bindings. */
  readonly env?: Readonly<Record<string, string>>
}

const text = (value: string): string => JSON.stringify(value)

/** Starts workerd with the worker `worker.mjs` of a folder, on a free port. */
export const startWorker = async (
  folder: string,
  { compatibilityDate, compatibilityFlags = [], env = {} }: WorkerOptions,
): Promise<{ readonly origin: string; readonly output: () => string; readonly close: () => Promise<void> }> => {
  const bindings = Object.entries(env).map(([name, value]) => `(name = ${text(name)}, text = ${text(value)})`)
  await writeFile(
    join(folder, "worker.capnp"),
    `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["public", "private", "local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);

const worker :Workerd.Worker = (
  modules = [(name = "worker.mjs", esModule = embed "worker.mjs")],
  compatibilityDate = ${text(compatibilityDate)},
  compatibilityFlags = [${compatibilityFlags.map(text).join(", ")}],
  bindings = [${bindings.join(", ")}],
);
`,
  )
  const child = spawn(installed("workerd"), ["serve", "--control-fd=1", "worker.capnp"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (chunk) => (output += chunk))
  const port = await new Promise<string>((resolve, reject) => {
    child.stdout.on("data", () => {
      const listening = /"event":"listen".*"port":(\d+)/.exec(output)
      if (listening !== null) resolve(listening[1]!)
    })
    child.once("exit", (code) => reject(new Error(`workerd ended with ${code}:\n${output}`)))
  })
  return {
    origin: `http://127.0.0.1:${port}`,
    output: () => output,
    close: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, "exit")
      child.kill("SIGKILL")
      await ended
    },
  }
}
