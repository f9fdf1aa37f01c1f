import { Command, CommanderError, InvalidArgumentError, Option } from "commander"
import manifest from "../../package.json" with { type: "json" }
import { envName, names } from "../protocol.ts"
import { CommandFailure, exitCodes } from "./command-failure.ts"
import type { NewToken } from "./create-token.ts"
import type { IngestOptions } from "./ingest-command.ts"
import { runTokenCreate, runTokenExplain } from "./token-command.ts"

const defaultIngestUrl = "http://localhost:4790"
const defaultData = `.${names.word}`
const logLevels = ["All", "Trace", "Debug", "Info", "Warning", "Error", "Fatal", "None"]

const parsePort = (text: string): number => {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new InvalidArgumentError("A port is a number from 0 to 65535.")
  return port
}

const parseBaseUrl = (text: string): string => {
  const url = URL.parse(text.replaceAll("{region}", "region"))
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new InvalidArgumentError(`Write it like ${defaultIngestUrl}.`)
  }
  if (url.search !== "" || url.hash !== "" || url.username !== "") {
    throw new InvalidArgumentError("It must hold no query, fragment or user name.")
  }
  return text.replace(/\/+$/, "")
}

const parseName = (text: string): string => {
  if (text.trim() === "") throw new InvalidArgumentError("It must not be empty.")
  return text
}

const option = (flags: string, description: string, name?: string): Option => {
  const made = new Option(flags, description)
  return name === undefined ? made : made.env(envName(name))
}

const jsonOption = () => option("--json", "JSON lines, for scripts")

const createIngestCommand = (): Command =>
  new Command("ingest")
    .summary("run the service that stores the files")
    .description("Runs the ingest: takes uploads, stores them on disk and calls the app back.")
    .addOption(option("--port <number>", "0 takes any free one", "port").argParser(parsePort).default(4790))
    .addOption(option("--host <address>", "0.0.0.0 opens it to other machines", "host").default("127.0.0.1"))
    .addOption(option("--data <folder>", "files, catalog and token", "data").default(defaultData))
    .addOption(
      option("--url <url>", "how apps and browsers reach it (default: http://localhost:<port>)", "url").argParser(
        parseBaseUrl,
      ),
    )
    .addOption(option("--log-level <level>", "how much is logged", "logLevel").choices(logLevels).default("Info"))
    .addOption(option("--log-format <format>", "for people or machines", "logFormat").choices(["text", "json"]))
    .addOption(jsonOption())
    .addHelpText(
      "after",
      `
The token comes from ${envName("token")}; without it one is made on the first start and kept in <data>/token.
SIGINT and SIGTERM stop it cleanly, a second one at once.

Example:
  $ sluice ingest --port 4790 --data .sluice --url http://localhost:4790`,
    )
    .action(async (options: IngestOptions) => {
      const { runIngest } = await import("./ingest-command.ts")
      await runIngest(options)
    })

const createTokenCommand = (): Command => {
  const explain = new Command("explain")
    .description("Says what a token holds, or which of its fields is wrong (exit code 1). The key stays hidden.")
    .argument(
      "[token]",
      `"-" reads standard input; when absent ${envName("token")}, then the one the data folder keeps`,
    )
    .addOption(option("--data <folder>", "of an ingest", "data").default(defaultData))
    .addOption(jsonOption())
    .action((argument: string | undefined, options: { data: string; json?: true }) =>
      runTokenExplain({ argument, ...options }),
    )
  return new Command("token")
    .summary("make or explain a token")
    .description("Makes a token with a new secret key. Standard output gets nothing else.")
    .enablePositionalOptions()
    .addOption(option("--app-id <id>", "whose files they are (default: made up)").argParser(parseName))
    .addOption(option("--ingest-url <url>", "where the ingest is").argParser(parseBaseUrl).default(defaultIngestUrl))
    .addOption(option("--region <name>", "fills {region} in the URL").argParser(parseName).default("local"))
    .addOption(jsonOption())
    .allowExcessArguments()
    .action((options: NewToken & { json?: true }, command: Command) => {
      // commander's own message would repeat the argument, and that may be a secret
      if (command.args.length > 0) command.error("error: to explain a token write `sluice token explain <token>`")
      runTokenCreate(options)
    })
    .addCommand(explain)
    .addHelpText(
      "after",
      `
Examples:
  $ export ${envName("token")}="$(sluice token --app-id my-app)"
  $ sluice token explain`,
    )
}

/** The whole command line; run it with {@link runCommand}. */
const createProgram = (): Command =>
  new Command("sluice")
    .description("File uploads on storage you own.")
    .version(manifest.version)
    // each command reads the options behind its own name: `token explain --json` is one of `explain`
    .enablePositionalOptions()
    .addCommand(createIngestCommand())
    .addCommand(createTokenCommand())
    .addHelpText("after", "\nExit codes: 0 done, 1 failed, 2 wrong usage.")

const overrideExit = (command: Command): void => {
  command.exitOverride().showHelpAfterError(`Try "${nameOf(command)} --help".`)
  command.commands.forEach(overrideExit)
}

const nameOf = (command: Command): string =>
  command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`

/**
 * Runs one command line.
 *
 * @returns the exit code. People's mistakes are printed as a sentence; a stack trace means a bug of ours.
 */
export const runCommand = async (args: ReadonlyArray<string>): Promise<number> => {
  const program = createProgram()
  overrideExit(program)
  try {
    await program.parseAsync(args, { from: "user" })
    return Number(process.exitCode ?? exitCodes.done)
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage
    if (!(error instanceof CommandFailure)) throw error
    console.error(`sluice: ${error.message}`)
    return exitCodes.failed
  }
}
