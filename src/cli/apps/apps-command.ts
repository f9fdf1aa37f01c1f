import { Command, Option } from "commander"
import { addDefaultVerb } from "../terminal/help.ts"
import { jsonOption } from "../terminal/json-option.ts"
import { addDeployment, resolveDeployment } from "../deployment/deployment.ts"
import { toArgParser } from "../settings/setting-options.ts"
import { parseBaseUrl } from "../settings/settings.ts"
import { addAppOptions, type AppOptions, parseAppId, toAppSettings } from "./app-options.ts"

interface JsonOption {
  readonly json?: true
}

/** `--ingest-url` of commands that print a token. */
export const ingestUrlOption = (): Option =>
  new Option("--ingest-url <url>", "where the token says the ingest is").argParser(toArgParser(parseBaseUrl))

/** `--out` and `--force` of commands that make a token. */
export const addOutOptions = (command: Command): Command =>
  command
    .option("--out <file>", "writes the token there instead, for you alone")
    .option("--force", "with --out: replaces a file that is there")

/** What {@link addDeployment} and {@link ingestUrlOption} add to a command's options. */
export interface PlaceOptions extends JsonOption {
  readonly ingestUrl?: string
  readonly config?: string
  readonly out?: string
  readonly force?: true
}

const createListCommand = (): Command =>
  addDeployment(new Command("list"))
    .description("Lists the apps of an ingest: its own, and those that were made.")
    .addOption(jsonOption())
    .addHelpText("before", "Example:\n  $ sluice apps list --data /srv/uploads\n")
    .action(async (options: JsonOption, command: Command) => {
      const deployment = await resolveDeployment(command)
      const { runAppsList } = await import("./run-apps.ts")
      await runAppsList(deployment, options)
    })

const createCreateCommand = (): Command =>
  addOutOptions(addAppOptions(addDeployment(new Command("create"))))
    .description("Makes an app with its first key. Prints its token, and nothing else.")
    .argument("[id]", "id of the app (default: generated)", toArgParser(parseAppId))
    .addOption(ingestUrlOption())
    .addOption(jsonOption())
    .addHelpText(
      "before",
      "Example:\n  $ sluice apps create acme --name 'Acme Ltd' --quota 10GB --callback-origin https://acme.example --out acme.token\n",
    )
    .action(async (id: string | undefined, options: AppOptions & PlaceOptions, command: Command) => {
      const deployment = await resolveDeployment(command)
      const { runAppsCreate } = await import("./run-apps-create.ts")
      await runAppsCreate(deployment, options, id, toAppSettings(options))
    })

const createShowCommand = (): Command =>
  addDeployment(new Command("show"))
    .description("Shows everything known about one app, except its secrets.")
    .argument("<id>", "of the app")
    .addOption(jsonOption())
    .addHelpText("before", "Example:\n  $ sluice apps show acme\n")
    .action(async (id: string, options: JsonOption, command: Command) => {
      const deployment = await resolveDeployment(command)
      const { runAppsShow } = await import("./run-apps.ts")
      await runAppsShow(deployment, id, options)
    })

const createSetCommand = (): Command =>
  addAppOptions(addDeployment(new Command("set")))
    .description("Changes settings of an app. A running ingest applies them within about a second.")
    .argument("<id>", "of the app")
    .addOption(jsonOption())
    .addHelpText(
      "before",
      "Examples:\n  $ sluice apps set acme --quota 50GB\n  $ sluice apps set acme --default-acl default --callback-origin any\n",
    )
    .action(async (id: string, options: AppOptions & JsonOption, command: Command) => {
      const changes = toAppSettings(options)
      if (Object.keys(changes).length === 0) command.error("error: name a setting to change, as in --quota 50GB")
      const deployment = await resolveDeployment(command)
      const { runAppsSet } = await import("./run-apps.ts")
      await runAppsSet(deployment, id, changes, options)
    })

const createDeleteCommand = (): Command =>
  addDeployment(new Command("delete"))
    .description("Deletes an app and its keys at once. Refused while it has files.")
    .argument("<id>", "of the app")
    .addOption(jsonOption())
    .addHelpText("before", "Example:\n  $ sluice apps delete acme\n")
    .action(async (id: string, options: JsonOption, command: Command) => {
      const deployment = await resolveDeployment(command)
      const { runAppsDelete } = await import("./run-apps.ts")
      await runAppsDelete(deployment, id, options)
    })

/** `sluice apps [list|create|show|set|delete]`. */
export const createAppsCommand = (): Command =>
  addDefaultVerb(
    new Command("apps")
      .summary("list, make or change the apps of an ingest")
      .description(
        "The apps whose files an ingest takes: each has its own keys, files, quota, default ACL and allowed callbacks. " +
          "Works on the data folder, whether an ingest runs on it or not.",
      ),
    createListCommand(),
  )
    .addCommand(createCreateCommand())
    .addCommand(createShowCommand())
    .addCommand(createSetCommand())
    .addCommand(createDeleteCommand())
    .addHelpText("before", "Example:\n  $ sluice apps create acme --out acme.token\n")
