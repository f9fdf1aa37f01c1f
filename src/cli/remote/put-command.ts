import { Command } from "commander"
import { jsonOption } from "../terminal/json-option.ts"
import { addConnectionOptions } from "./app-connection.ts"
import { addPutOptions, findPutMistake, type PutOptions } from "./put-options.ts"

/** `sluice put`. */
export const createPutCommand = (): Command =>
  addConnectionOptions(addPutOptions(new Command("put")))
    .summary("upload files to a running ingest")
    .description('Uploads files, prints key and URL, compares the SHA-256. "-" is standard input.')
    .argument("<path...>")
    .addOption(jsonOption())
    .addHelpText("before", "Example:\n  $ sluice put report.pdf --custom-id report-7 --acl private\n")
    .action(async (paths: ReadonlyArray<string>, options: PutOptions, command: Command) => {
      const mistake = findPutMistake(paths, options)
      if (mistake !== undefined) command.error(`error: ${mistake}`)
      const { runPut } = await import("./run-put.ts")
      await runPut(command, paths, options)
    })
