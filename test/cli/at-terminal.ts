import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { commandFile } from "./command-file.ts"

/** Whether a terminal can be made here. */
export const hasTerminal = spawnSync("script", ["-qec", "true", "/dev/null"]).status === 0

/** Why a test is skipped where none can. */
export const lacksTerminal = "a terminal is made by `script` of util-linux, which is not here."

/** Runs the command at a terminal, as `script` makes one: types the keys once it is asked. */
export const runAtTerminal = async (
  args: ReadonlyArray<string>,
  keys: string,
  { cwd, env }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
) => {
  const command = [process.execPath, commandFile, ...args].map((word) => `'${word}'`).join(" ")
  const child = spawn("script", ["-qec", command, "/dev/null"], { cwd, env: { ...process.env, NO_COLOR: "1", ...env } })
  let stdout = ""
  let isAsked = false
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString()
    if (isAsked || !stdout.includes("[y/N]")) return
    isAsked = true
    child.stdin.write(keys)
  })
  const [code] = await once(child, "close")
  return { code: code as number | null, stdout }
}
