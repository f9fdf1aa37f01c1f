import { Command } from "commander"
import { jsonOption } from "../terminal/json-option.ts"
import { addConnectionOptions } from "./app-connection.ts"
import type { GetOptions } from "./get-options.ts"

/** `sluice get`. */
export const createGetCommand = (): Command =>
  addConnectionOptions(
    new Command("get")
      .option("-o, --out <file>", 'or a folder; "-" is standard output (default: its stored name)')
      .option("--force", "replaces a file that is there")
      .option("--held", "also takes a file that waits for a verdict, by its key: nobody has looked at what is in it")
      .option("--no-verify", "also takes a file whose SHA-256 the ingest does not say"),
  )
    .summary("download a file from a running ingest")
    .description(
      "Downloads a file, compares its SHA-256, and prints where it is. What was broken off stays in <file>.part, " +
        "and the next get of the same file goes on from there.",
    )
    .argument("<key>", "its key or custom id")
    .addOption(jsonOption())
    .addHelpText("before", "Example:\n  $ sluice get report-7 -o report.pdf\n")
    .action(async (key: string, options: GetOptions, command: Command) => {
      if (options.json && options.out === "-") command.error('error: --json and -o "-" both need standard output')
      const { runGet } = await import("./run-get.ts")
      await runGet(command, key, options)
    })
