import { spawn } from "node:child_process"
import { constants } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { CommandFailure, describeSystemError, isSystemError } from "../command-failure.ts"

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/** `node_modules/.bin` of this folder and of all its parents, before the existing path, as npm does for its scripts. */
const toSearchPath = (folder: string, path: string): string => {
  const folders = [folder]
  for (let at = folder; dirname(at) !== at; at = dirname(at)) folders.push(dirname(at))
  return [...folders.map((each) => join(each, "node_modules", ".bin")), path].join(delimiter)
}

/** The environment with these variables, and with the commands of the project's packages. */
const toEnvironment = (variables: Readonly<Record<string, string>>): NodeJS.ProcessEnv => {
  // Windows calls it Path and ignores case in its environment, but a copy of the environment does not ignore it.
  const name = Object.keys(process.env).find((each) => each.toUpperCase() === "PATH") ?? "PATH"
  return { ...process.env, ...variables, [name]: toSearchPath(process.cwd(), process.env[name] ?? "") }
}

/** Quotes for cmd.exe, the only way in which Windows starts the `.cmd` files of packages. */
const quoteForWindows = (argument: string): string =>
  /^[\w./:=@\\-]+$/.test(argument) ? argument : `"${argument.replaceAll('"', '""')}"`

const spawnCommand = (command: ReadonlyArray<string>, env: NodeJS.ProcessEnv) => {
  const [name = "", ...args] = command
  return process.platform === "win32"
    ? spawn(command.map(quoteForWindows).join(" "), { stdio: "inherit", env, shell: true })
    : spawn(name, args, { stdio: "inherit", env })
}

/**
 * Runs a development server on the same terminal until it ends, and forwards signals to it.
 *
 * @returns its exit code, or 128 + the number of the signal that ended it
 *
 * Fails: with a {@link CommandFailure} when it cannot be started.
 */
export const runDevServer = (
  command: ReadonlyArray<string>,
  variables: Readonly<Record<string, string>>,
): Promise<number> =>
  new Promise((resolve, reject) => {
    const child = spawnCommand(command, toEnvironment(variables))
    let interrupts = 0
    const forward = (signal: NodeJS.Signals): void => {
      // On a terminal Ctrl-C reaches every process of the group, and many servers end at once on a second one: the
      // first is not forwarded, later ones are.
      if (signal === "SIGINT" && process.stdin.isTTY && interrupts++ === 0) return
      child.kill(signal)
    }
    for (const signal of signals) process.on(signal, forward)
    child.once("error", (error) => {
      const reason = isSystemError(error, "ENOENT")
        ? "there is no such command. Is it installed in this project?"
        : `${describeSystemError(error)}.`
      reject(new CommandFailure(`${JSON.stringify(command[0])} cannot be started: ${reason}`))
    })
    child.once("exit", (code, signal) => {
      // Signals from now on are for us: `waitForStopRequest` or the system's own handling takes over.
      for (const each of signals) process.off(each, forward)
      resolve(code ?? 128 + constants.signals[signal!])
    })
  })
