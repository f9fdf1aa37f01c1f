import { Command } from "commander"
import { addDeployment, resolveDeployment } from "../deployment/deployment.ts"
import { addDefaultVerb } from "../terminal/help.ts"
import { jsonOption } from "../terminal/json-option.ts"
import type { RestoreOptions } from "./run-restore.ts"
import type { BackupOptions } from "./run-backup.ts"

const createMakeCommand = (): Command =>
  addDeployment(new Command("create"))
    .description("Makes a backup, or updates the one in that folder, while the ingest keeps running.")
    .argument("<folder>", "where the backup is, or will be")
    .option("--base <folder>", "an earlier backup: files that it already has are linked from there")
    .option("--copy", "copies files even where a link would do, on the disk of the data")
    .option("--verify", "reads every file of the backup and copies damaged ones again")
    .addOption(jsonOption())
    .addHelpText("before", "Example:\n  $ sluice backup /mnt/backup/sluice --data /srv/uploads\n")
    .action(async (folder: string, options: BackupOptions, command: Command) => {
      const deployment = await resolveDeployment(command)
      const { runBackup } = await import("./run-backup.ts")
      await runBackup(deployment, folder, options)
    })

const createVerifyCommand = (): Command =>
  new Command("verify")
    .description("Reads all of a backup and compares size and SHA-256. Exit code 1 when anything is damaged.")
    .argument("<folder>", "the backup")
    .addOption(jsonOption())
    .addHelpText("before", "Example:\n  $ sluice backup verify /mnt/backup/sluice\n")
    .action(async (folder: string, options: { json?: true }) => {
      const { runBackupVerify } = await import("./run-verify.ts")
      await runBackupVerify(folder, options)
    })

const createRestoreCommand = (): Command =>
  addDeployment(new Command("restore"))
    .description("Copies a backup into a data folder that is empty or does not exist, and compares every file.")
    .argument("<folder>", "the backup")
    .option("--leave-out-damaged", "continues without the files that are damaged in the backup")
    .addOption(jsonOption())
    .addHelpText("before", "Example:\n  $ sluice backup restore /mnt/backup/sluice --data /srv/uploads\n")
    .action(
      async (
        folder: string,
        options: { leaveOutDamaged?: true } & Omit<RestoreOptions, "leaveOut">,
        command: Command,
      ) => {
        const deployment = await resolveDeployment(command)
        const { leaveOutDamaged, json } = options
        const { runRestore } = await import("./run-restore.ts")
        await runRestore(folder, deployment, {
          ...(leaveOutDamaged && { leaveOut: true }),
          ...(json && { json }),
        })
      },
    )

/** `sluice backup [create|verify|restore]`. */
export const createBackupCommand = (): Command =>
  addDefaultVerb(
    new Command("backup")
      .summary("back up data while an ingest runs, verify, restore")
      .description("Backups of a data folder, made while an ingest runs on it."),
    createMakeCommand(),
  )
    .addCommand(createVerifyCommand())
    .addCommand(createRestoreCommand())
    .addHelpText("before", "Example:\n  $ sluice backup /mnt/backup/sluice --data /srv/uploads\n")
