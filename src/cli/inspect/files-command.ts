import { Command, Option } from "commander"
import { fileStatuses } from "../../protocol.ts"
import type { ExportOptions } from "../export/run-files-export.ts"
import { parseOwner, parsePathPrefix } from "../label-options.ts"
import { addDefaultVerb } from "../terminal/help.ts"
import { jsonOption } from "../terminal/json-option.ts"
import { addPageOptions, limitOption } from "./page-options.ts"
import { parseFileCursor } from "./path-cursor.ts"
import type { OrphansOptions } from "./run-files-orphans.ts"
import type { ReconcileOptions } from "./run-files-reconcile.ts"
import type { ListOptions } from "./run-files.ts"
import { addDeployment, resolveDeployment } from "../deployment/deployment.ts"
import { toArgParser } from "../settings/setting-options.ts"

const ownerOption = (description: string): Option =>
  new Option("--owner <id>", description).argParser(toArgParser(parseOwner))

const createListCommand = (): Command =>
  addPageOptions(addDeployment(new Command("list")), parseFileCursor)
    .description("Lists files, newest first; with --prefix in the order of their paths.")
    .addOption(new Option("--status <status>", "only these").choices(fileStatuses))
    .option("--app <id>", "only this app's; has to be said with the two below where there are several apps")
    .addOption(ownerOption("only this owner's"))
    .addOption(
      new Option("--prefix <path>", "only those whose path begins so, such as albums/").argParser(
        toArgParser(parsePathPrefix),
      ),
    )
    .addOption(jsonOption())
    .addHelpText("before", "Example:\n  $ sluice files list --status Failed --limit 10\n")
    .action(async (options: ListOptions, command: Command) => {
      const { cursor, prefix } = options
      if (cursor !== undefined && (cursor.path === undefined) !== (prefix === undefined)) {
        command.error("error: --cursor has to be that of a page with the same --prefix, or both without")
      }
      const deployment = await resolveDeployment(command)
      const { runFilesList } = await import("./run-files.ts")
      await runFilesList(command, deployment, options)
    })

const createShowCommand = (): Command =>
  addDeployment(new Command("show"))
    .description("Shows everything known about one file.")
    .argument("<key>", "its key or custom id")
    .addOption(jsonOption())
    .addHelpText("before", "Example:\n  $ sluice files show invoice-2026-11\n")
    .action(async (key: string, options: { json?: true }, command: Command) => {
      const deployment = await resolveDeployment(command)
      const { runFilesShow } = await import("./run-files.ts")
      await runFilesShow(deployment, key, options)
    })

const createVerifyCommand = (): Command =>
  addDeployment(new Command("verify"), "files")
    .description("Reads every stored file again and compares size and SHA-256. Exit code 1 when any is damaged.")
    .addOption(jsonOption())
    .addHelpText("before", "Example:\n  $ sluice files verify --data /srv/uploads\n")
    .action(async (options: { json?: true }, command: Command) => {
      const deployment = await resolveDeployment(command, "files")
      const { runFilesVerify } = await import("./run-files-verify.ts")
      await runFilesVerify(deployment, options)
    })

const createReconcileCommand = (): Command =>
  addDeployment(new Command("reconcile"), "files")
    .description(
      "Compares the objects of a bucket with the files: which object no file has, and which file no object. " +
        "Reads no bytes. Exit code 1 when a file lacks its object.",
    )
    .option("--remove", "removes objects and unfinished uploads that are older than a day and that nothing knows of")
    .option("--yes", "with --remove: does not ask")
    .option("--adopt", "says in the bucket that it is of this catalog, where nothing there says whose it is")
    .addOption(jsonOption())
    .addHelpText("before", "Example:\n  $ sluice files reconcile --s3-bucket uploads\n")
    .action(async (options: ReconcileOptions, command: Command) => {
      if (options.yes && !options.remove) command.error("error: --yes is for --remove")
      if (options.json && options.remove && !options.yes) command.error("error: --remove --json needs --yes")
      const deployment = await resolveDeployment(command, "files")
      const { runFilesReconcile } = await import("./run-files-reconcile.ts")
      await runFilesReconcile(deployment, options)
    })

const createOrphansCommand = (): Command =>
  addDeployment(new Command("orphans"))
    .description("Lists the files that wait to be claimed, the oldest deadline first, and their sum.")
    .addOption(limitOption())
    .option("--app <id>", "only this app's")
    .addOption(ownerOption("only this owner's"))
    .addOption(jsonOption())
    .addHelpText("before", "Example:\n  $ sluice files orphans --limit 10\n")
    .action(async (options: OrphansOptions, command: Command) => {
      const deployment = await resolveDeployment(command)
      const { runFilesOrphans } = await import("./run-files-orphans.ts")
      await runFilesOrphans(command, deployment, options)
    })

const createExportCommand = (): Command =>
  addDeployment(new Command("export"), "files")
    .description(
      "Exports everything about an owner: the files under their paths or names, and files.json with every record. " +
        "Nothing is replaced; the same command again goes on where it stopped.",
    )
    .argument("<folder>", "where to: an empty one, or one with an export of this owner")
    .addOption(ownerOption("whose files").makeOptionMandatory())
    .option("--app <id>", "of which app, where there are several")
    .addOption(jsonOption())
    .addHelpText("before", "Example:\n  $ sluice files export --owner user-7 ./user-7\n")
    .action(async (target: string, options: ExportOptions, command: Command) => {
      const deployment = await resolveDeployment(command, "files")
      const { runFilesExport } = await import("../export/run-files-export.ts")
      await runFilesExport(command, deployment, target, options)
    })

/** `sluice files [list|show|verify|reconcile|orphans|export]`. */
export const createFilesCommand = (): Command =>
  addDefaultVerb(
    new Command("files")
      .summary("list, show, verify or export the files of an ingest")
      .description("What an ingest stores, read from its catalog, whether it runs or not."),
    createListCommand(),
  )
    .addCommand(createShowCommand())
    .addCommand(createVerifyCommand())
    .addCommand(createReconcileCommand())
    .addCommand(createOrphansCommand())
    .addCommand(createExportCommand())
    .addHelpText("before", "Example:\n  $ sluice files --status Uploading\n")
