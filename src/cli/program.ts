import { Command, CommanderError } from "commander"
import manifest from "../../package.json" with { type: "json" }
import { names } from "../protocol.ts"
import { CommandFailure, exitCodes } from "./command-failure.ts"
import { createAppsCommand } from "./apps/apps-command.ts"
import { createKeysCommand } from "./apps/keys-command.ts"
import { createDeliveriesCommand } from "./inspect/deliveries-command.ts"
import { createDevCommand } from "./serve/dev-command.ts"
import { createDoctorCommand } from "./doctor/doctor-command.ts"
import { createExplainCommand } from "./inspect/explain-command.ts"
import { createInitCommand } from "./init/init-command.ts"
import { createFilesCommand } from "./inspect/files-command.ts"
import { createIngestCommand } from "./serve/ingest-command.ts"
import { toPrintable } from "./terminal/printable.ts"
import { createTokenCommand } from "./token-command.ts"

/** The whole command line; run it with {@link runCommand}. What a command does is imported when it is called. */
const createProgram = (): Command =>
  new Command("sluice")
    .description("File uploads on storage you own.")
    .version(manifest.version)
    // each command reads the options behind its own name: `token explain --json` is one of `explain`
    .enablePositionalOptions()
    .addCommand(createInitCommand())
    .addCommand(createDevCommand())
    .addCommand(createIngestCommand())
    .addCommand(createTokenCommand())
    .addCommand(createAppsCommand())
    .addCommand(createKeysCommand())
    .addCommand(createFilesCommand())
    .addCommand(createDeliveriesCommand())
    .addCommand(createExplainCommand())
    .addCommand(createDoctorCommand())
    .addHelpText(
      "after",
      `
Example, in the package.json of an app:
  "dev": "sluice dev -- next dev"

Exit codes: 0 done, 1 failed, 2 wrong usage.`,
    )

const nameOf = (command: Command): string =>
  command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`

const overrideExit = (command: Command): void => {
  command.exitOverride().showHelpAfterError(`Try "${nameOf(command)} --help".`)
  command.commands.forEach(overrideExit)
}

/** An empty variable counts as not given, as it does for apps. */
const dropEmptyVariables = (env: NodeJS.ProcessEnv): void => {
  for (const [name, value] of Object.entries(env)) if (name.startsWith(names.envPrefix) && !value) delete env[name]
}

/**
 * Runs one command line.
 *
 * @returns the exit code. People's mistakes are printed as a sentence; a stack trace means a bug of ours.
 */
export const runCommand = async (args: ReadonlyArray<string>): Promise<number> => {
  const program = createProgram()
  overrideExit(program)
  dropEmptyVariables(process.env)
  try {
    await program.parseAsync(args, { from: "user" })
    return Number(process.exitCode ?? exitCodes.done)
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage
    if (!(error instanceof CommandFailure)) throw error
    console.error(`${names.word}: ${toPrintable(error.message)}`)
    return exitCodes.failed
  }
}
