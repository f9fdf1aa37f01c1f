import { Command } from "commander"
import { jsonOption } from "../terminal/json-option.ts"
import { addConnectionOptions } from "./app-connection.ts"
import type { RmOptions } from "./rm-options.ts"

/** `sluice rm`. */
export const createRmCommand = (): Command =>
  addConnectionOptions(new Command("rm").option("-f, --force", "a file that is not there is no failure"))
    .summary("delete files of a running ingest")
    .description(
      "Deletes files by their keys, and says which were not there (exit code 1). " +
        '"-" reads keys from standard input, one a line.',
    )
    .argument("<key...>")
    .addOption(jsonOption())
    .addHelpText("before", "Example:\n  $ sluice put test.txt --json | jq -r .key | sluice rm -\n")
    .action(async (keys: ReadonlyArray<string>, options: RmOptions, command: Command) => {
      const { runRm } = await import("./run-rm.ts")
      await runRm(command, keys, options)
    })
