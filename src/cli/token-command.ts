import { Command, Option } from "commander"
import { envName, type Outcome } from "../protocol.ts"
import type { NewToken } from "./create-token.ts"
import { addDeployment, resolveDeployment } from "./deployment/deployment.ts"
import { jsonOption } from "./terminal/json-option.ts"
import { runTokenCreate, runTokenExplain } from "./run-token.ts"
import { toArgParser } from "./settings/setting-options.ts"
import { ingestSettings, parseBaseUrl } from "./settings/settings.ts"

const defaultIngestUrl = `http://localhost:${ingestSettings.port.initial}`

const parseName = (text: string): Outcome<string> =>
  text.trim() === ""
    ? { ok: false, code: "INVALID_CONFIG", detail: "Expected a text that is not empty." }
    : { ok: true, value: text }

const createExplainCommand = (): Command =>
  addDeployment(new Command("explain"), "token")
    .addHelpText("before", "Example:\n  $ sluice token explain\n")
    .description("Says what a token holds, or which of its fields is wrong (exit code 1). The key stays hidden.")
    .argument(
      "[token]",
      `"-" reads standard input; when absent ${envName("token")}, then the one the data folder keeps`,
    )
    .addOption(jsonOption())
    .action(async (argument: string | undefined, options: { json?: true }, command: Command) => {
      await runTokenExplain(argument, await resolveDeployment(command, "token"), options)
    })

/** `sluice token`, `sluice token explain`. */
export const createTokenCommand = (): Command =>
  new Command("token")
    .summary("make or explain a token")
    .description("Makes a token with a new secret key. Standard output gets nothing else.")
    .enablePositionalOptions()
    .addOption(new Option("--app-id <id>", "id of the app (default: generated)").argParser(toArgParser(parseName)))
    .addOption(
      new Option("--ingest-url <url>", "where the ingest is")
        .argParser(toArgParser(parseBaseUrl))
        .default(defaultIngestUrl),
    )
    .addOption(
      new Option("--region <name>", "fills {region} in the URL").argParser(toArgParser(parseName)).default("local"),
    )
    .addOption(jsonOption())
    .allowExcessArguments()
    .action((options: NewToken & { json?: true }, command: Command) => {
      // commander's own message would repeat the argument, and that may be a secret
      if (command.args.length > 0) command.error("error: to explain a token write `sluice token explain <token>`")
      runTokenCreate(options)
    })
    .addCommand(createExplainCommand())
    .addHelpText(
      "before",
      `Examples:
  $ export ${envName("token")}="$(sluice token --app-id my-app)"
  $ sluice token explain
`,
    )
