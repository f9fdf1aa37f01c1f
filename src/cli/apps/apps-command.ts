import { Command, Option } from "commander"
import { jsonOption } from "../terminal/json-option.ts"
import { addSettings, resolveSettings, toArgParser } from "../settings/setting-options.ts"
import { parseBaseUrl } from "../settings/settings.ts"
import { addAppOptions, type AppOptions, parseAppId, toAppSettings } from "./app-options.ts"

interface JsonOption {
  readonly json?: true
}

/** `--ingest-url` of commands that print a token. */
export const ingestUrlOption = (): Option =>
  new Option("--ingest-url <url>", "where the token says the ingest is (default: as the ingest's own token)").argParser(
    toArgParser(parseBaseUrl),
  )

/** What {@link addSettings} and {@link ingestUrlOption} leave among a command's options. */
export interface PlaceOptions extends JsonOption {
  readonly ingestUrl?: string
  readonly config?: string
}

const createListCommand = (): Command =>
  addSettings(new Command("list"), ["data"])
    .description("Lists the apps of an ingest: its own, and those that were made.")
    .addOption(jsonOption())
    .addHelpText("after", "\nExample:\n  $ sluice apps list --data /srv/uploads")
    .action(async (options: JsonOption, command: Command) => {
      const { values } = await resolveSettings(command, ["data"])
      const { runAppsList } = await import("./run-apps.ts")
      await runAppsList(values.data, options)
    })

const createCreateCommand = (): Command =>
  addAppOptions(addSettings(new Command("create"), ["data"]))
    .description("Makes an app with its first key. Standard output gets its token and nothing else.")
    .argument("[id]", "what its files go by (default: made up)", toArgParser(parseAppId))
    .addOption(ingestUrlOption())
    .addOption(jsonOption())
    .addHelpText(
      "after",
      "\nExample:\n  $ sluice apps create acme --name 'Acme Ltd' --quota 10GB --callback-origin https://acme.example > acme.token",
    )
    .action(async (id: string | undefined, options: AppOptions & PlaceOptions, command: Command) => {
      const { values } = await resolveSettings(command, ["data"])
      const { runAppsCreate } = await import("./run-apps-create.ts")
      await runAppsCreate({ ...options, ...values }, id, toAppSettings(options))
    })

const createShowCommand = (): Command =>
  addSettings(new Command("show"), ["data"])
    .description("Shows all that is known of one app, never a secret.")
    .argument("<id>", "of the app")
    .addOption(jsonOption())
    .addHelpText("after", "\nExample:\n  $ sluice apps show acme")
    .action(async (id: string, options: JsonOption, command: Command) => {
      const { values } = await resolveSettings(command, ["data"])
      const { runAppsShow } = await import("./run-apps.ts")
      await runAppsShow(values.data, id, options)
    })

const createSetCommand = (): Command =>
  addAppOptions(addSettings(new Command("set"), ["data"]))
    .description("Changes settings of an app. A running ingest goes by them within about a second.")
    .argument("<id>", "of the app")
    .addOption(jsonOption())
    .addHelpText(
      "after",
      "\nExamples:\n  $ sluice apps set acme --quota 50GB\n  $ sluice apps set acme --default-acl default --callback-origin any",
    )
    .action(async (id: string, options: AppOptions & JsonOption, command: Command) => {
      const changes = toAppSettings(options)
      if (Object.keys(changes).length === 0) command.error("error: say what is to be changed, as in --quota 50GB")
      const { values } = await resolveSettings(command, ["data"])
      const { runAppsSet } = await import("./run-apps.ts")
      await runAppsSet(values.data, id, changes, options)
    })

const createDeleteCommand = (): Command =>
  addSettings(new Command("delete"), ["data"])
    .description("Forgets an app with its keys, at once. Refused while it has files.")
    .argument("<id>", "of the app")
    .addOption(jsonOption())
    .addHelpText("after", "\nExample:\n  $ sluice apps delete acme")
    .action(async (id: string, options: JsonOption, command: Command) => {
      const { values } = await resolveSettings(command, ["data"])
      const { runAppsDelete } = await import("./run-apps.ts")
      await runAppsDelete(values.data, id, options)
    })

/** `sluice apps [list|create|show|set|delete]`. */
export const createAppsCommand = (): Command =>
  new Command("apps")
    .summary("list, make or change the apps of an ingest")
    .description(
      "The apps whose files an ingest takes: each has its own keys, files, quota, default ACL and allowed callbacks. " +
        "Works on the data folder, whether an ingest runs on it or not.",
    )
    .addCommand(createListCommand(), { isDefault: true })
    .addCommand(createCreateCommand())
    .addCommand(createShowCommand())
    .addCommand(createSetCommand())
    .addCommand(createDeleteCommand())
    .addHelpText("after", "\nExample:\n  $ sluice apps create acme > acme.token")
