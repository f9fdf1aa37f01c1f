import { Command, CommanderError } from "commander"
import manifest from "../../package.json" with { type: "json" }
import { findNearest } from "../schema/unknown-variables.ts"
import { envName, names } from "../protocol.ts"
import { CommandFailure, exitCodes } from "./command-failure.ts"
import { createAppsCommand } from "./apps/apps-command.ts"
import { createBackupCommand } from "./backup/backup-command.ts"
import { createKeysCommand } from "./apps/keys-command.ts"
import { createDeliveriesCommand } from "./inspect/deliveries-command.ts"
import { createDevCommand } from "./serve/dev-command.ts"
import { createDoctorCommand } from "./doctor/doctor-command.ts"
import { createEndpointsCommand } from "./endpoints/endpoints-command.ts"
import { createExplainCommand } from "./inspect/explain-command.ts"
import { createInitCommand } from "./init/init-command.ts"
import { createFilesCommand } from "./inspect/files-command.ts"
import { createIngestCommand } from "./serve/ingest-command.ts"
import { isLoggedAsJson } from "./settings/setting-options.ts"
import { arrangeHelp } from "./terminal/help.ts"
import { printNotice } from "./terminal/print-notice.ts"
import { toPrintable } from "./terminal/printable.ts"
import { createClaimCommand } from "./remote/claim-command.ts"
import { createGetCommand } from "./remote/get-command.ts"
import { createRejectCommand, createReleaseCommand } from "./remote/judge-commands.ts"
import { createPutCommand } from "./remote/put-command.ts"
import { createRmCommand } from "./remote/rm-command.ts"
import { createTokenCommand } from "./token-command.ts"

/** The heading of the commands that talk to a running ingest as an app does. */
const byHand = "Files by hand, on a running ingest:"

/** The whole command line; run it with {@link runCommand}. The code of a command is imported when it is called. */
export const createProgram = (): Command =>
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
    .addCommand(createEndpointsCommand())
    .addCommand(createExplainCommand())
    .addCommand(createBackupCommand())
    .addCommand(createDoctorCommand())
    .addCommand(createPutCommand().helpGroup(byHand))
    .addCommand(createGetCommand().helpGroup(byHand))
    .addCommand(createRmCommand().helpGroup(byHand))
    .addCommand(createClaimCommand().helpGroup(byHand))
    .addCommand(createReleaseCommand().helpGroup(byHand))
    .addCommand(createRejectCommand().helpGroup(byHand))
    .addHelpText("before", `Example, in the package.json of an app:  "dev": "sluice dev -- next dev"\n`)
    .addHelpText("after", "\nExit codes: 0 done, 1 failed, 2 wrong usage. Also: --version, <command> --help.")

const nameOf = (command: Command): string =>
  command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`

const overrideExit = (command: Command, writeErr: (text: string) => void): void => {
  arrangeHelp(command)
  command.configureOutput({ writeErr })
  command.exitOverride().showHelpAfterError(`Try "${nameOf(command)} --help".`)
  for (const each of command.commands) overrideExit(each, writeErr)
}

/** Groups in which an argument may take the place of a verb: `keys <app>` lists, `backup <folder>` makes one. */
const groupsWithArgument: ReadonlySet<string> = new Set(["keys", "backup"])

/** Refuses an unknown verb of a group, rather than treating it as an argument of the default verb. */
const refuseUnknownVerb = (program: Command, [name, verb = ""]: ReadonlyArray<string>): void => {
  const group = program.commands.find((command) => command.name() === name)
  const verbs = group?.commands.map((command) => command.name()) ?? []
  if (group === undefined || verbs.length === 0 || groupsWithArgument.has(group.name())) return
  if (!/^[a-z][a-z-]{0,19}$/.test(verb) || [...verbs, "help"].includes(verb)) return
  const nearest = findNearest(verb, verbs)
  const hint = nearest === undefined ? `Available: ${verbs.join(", ")}.` : `(Did you mean ${nearest}?)`
  group.error(`error: unknown command '${verb}'\n${hint}`)
}

/**
 * An empty variable counts as missing, as it does for apps. The database's does not: an ingest whose secret is not there would
 * begin a catalog of its own beside that of the others.
 */
const dropEmptyVariables = (env: NodeJS.ProcessEnv): void => {
  for (const [name, value] of Object.entries(env)) {
    if (name.startsWith(names.envPrefix) && !value && name !== envName("databaseUrl")) delete env[name]
  }
}

/** Whether the output is for machines, for a command line that is wrong and so was not parsed to its end. */
const wantsJson = (args: ReadonlyArray<string>): boolean => {
  const end = args.indexOf("--")
  const own = end < 0 ? args : args.slice(0, end)
  const flag = /(?:^| )--log-format[ =](\S+)/.exec(own.join(" "))?.[1]
  if (flag !== undefined) return flag === "json"
  return process.env[envName("logFormat")] === "json" || (own[0] === "ingest" && own.includes("--json"))
}

/** An error of usage repeats what was given: of URLs without what may be a secret, the user and the query. */
const hideSecrets = (text: string): string =>
  text.replaceAll(/\/\/[^\s'"]*@/g, "//…@").replaceAll(/(https?:\/\/[^\s'"?#]*)\?[^\s'"]*/g, "$1?…")

/** Whether a catalog or a store has failed: it says so in words for its operator. */
const isOfPort = async (error: unknown): Promise<boolean> => {
  const { BlobStoreError, CatalogError } = await import("../ingest.ts")
  return CatalogError.is(error) || BlobStoreError.is(error)
}

/**
 * Runs one command line.
 *
 * @returns the exit code. User mistakes are printed as a sentence; a stack trace means a bug of ours.
 */
export const runCommand = async (args: ReadonlyArray<string>): Promise<number> => {
  const program = createProgram()
  let misuse = ""
  overrideExit(program, (text) => {
    misuse += hideSecrets(text)
  })
  dropEmptyVariables(process.env)
  let running = program
  program.hook("preAction", (_program, command) => {
    running = command
  })
  try {
    refuseUnknownVerb(program, args)
    await program.parseAsync(args, { from: "user" })
    return Number(process.exitCode ?? exitCodes.done)
  } catch (error) {
    if (error instanceof CommanderError) {
      if (wantsJson(args)) {
        if (misuse !== "") printNotice("error", misuse.replace(/^error: /, ""), "json")
      } else process.stderr.write(misuse.split("\n").map(toPrintable).join("\n"))
      return error.exitCode === 0 ? exitCodes.done : exitCodes.usage
    }
    if (!(error instanceof CommandFailure) && !(await isOfPort(error))) throw error
    const { message } = error as Error
    if (isLoggedAsJson(running)) printNotice("error", message, "json")
    else printNotice("error", `${names.word}: ${message}`, "text")
    return exitCodes.failed
  }
}
