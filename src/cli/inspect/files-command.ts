import { Command, Option } from "commander"
import { fileStatuses, type FileStatus } from "../../protocol.ts"
import { addDefaultVerb } from "../terminal/help.ts"
import { jsonOption } from "../terminal/json-option.ts"
import { addPageOptions, type PageOptions } from "./page-options.ts"
import { addSettings, resolveSettings } from "../settings/setting-options.ts"

const createListCommand = (): Command =>
  addPageOptions(addSettings(new Command("list"), ["data"]))
    .description("Lists files, newest first.")
    .addOption(new Option("--status <status>", "only these").choices(fileStatuses))
    .option("--app <id>", "only this app's")
    .option("--owner <id>", "only this owner's, of the app that --app names")
    .addOption(jsonOption())
    .addHelpText("before", "Example:\n  $ sluice files list --status Failed --limit 10\n")
    .action(
      async (
        options: PageOptions & { status?: FileStatus; app?: string; owner?: string; json?: true },
        command: Command,
      ) => {
        if (options.owner !== undefined && options.app === undefined) command.error("error: --owner needs --app")
        const { values } = await resolveSettings(command, ["data"])
        const { runFilesList } = await import("./run-files.ts")
        await runFilesList(values.data, options)
      },
    )

const createShowCommand = (): Command =>
  addSettings(new Command("show"), ["data"])
    .description("Shows everything known about one file.")
    .argument("<key>", "its key or custom id")
    .addOption(jsonOption())
    .addHelpText("before", "Example:\n  $ sluice files show invoice-2026-11\n")
    .action(async (key: string, options: { json?: true }, command: Command) => {
      const { values } = await resolveSettings(command, ["data"])
      const { runFilesShow } = await import("./run-files.ts")
      await runFilesShow(values.data, key, options)
    })

const createVerifyCommand = (): Command =>
  addSettings(new Command("verify"), ["data", "store"])
    .description("Reads every stored file again and compares size and SHA-256. Exit code 1 when any is damaged.")
    .addOption(jsonOption())
    .addHelpText("before", "Example:\n  $ sluice files verify --data /srv/uploads\n")
    .action(async (options: { json?: true }, command: Command) => {
      const { values } = await resolveSettings(command, ["data", "store"])
      const { runFilesVerify } = await import("./run-files-verify.ts")
      await runFilesVerify(values, options)
    })

/** `sluice files [list|show|verify]`. */
export const createFilesCommand = (): Command =>
  addDefaultVerb(
    new Command("files")
      .summary("list, show or verify the files of an ingest")
      .description("What an ingest stores, read from its data folder, whether it runs or not."),
    createListCommand(),
  )
    .addCommand(createShowCommand())
    .addCommand(createVerifyCommand())
    .addHelpText("before", "Example:\n  $ sluice files --status Uploading\n")
