import { Command, Option } from "commander"
import { parseOwner, parsePathPrefix } from "../label-options.ts"
import { toArgParser } from "../settings/setting-options.ts"
import { jsonOption } from "../terminal/json-option.ts"
import { addConnectionOptions } from "./app-connection.ts"
import type { RmOptions } from "./rm-options.ts"

const collect = (text: string, before: ReadonlyArray<string> = []): ReadonlyArray<string> => [...before, text]

/** What is wrong with files and options together; undefined where nothing is. */
const findMistake = (keys: ReadonlyArray<string>, options: RmOptions): string | undefined => {
  const { owner, prefix, customId = [], force } = options
  const isNamed = keys.length > 0 || customId.length > 0
  if (owner === undefined && prefix === undefined) {
    return isNamed ? undefined : "name the keys of files, or say --custom-id, --owner or --prefix"
  }
  if (isNamed) return "--owner and --prefix delete all such files: name no files beside them"
  return force ? "--force is for files that are named. To delete without being asked: --yes" : undefined
}

/** `sluice rm`. */
export const createRmCommand = (): Command =>
  addConnectionOptions(
    new Command("rm")
      .option("--custom-id <id>", "all files with this custom id; repeatable", collect)
      .addOption(new Option("--owner <id>", "all files of this owner").argParser(toArgParser(parseOwner)))
      .addOption(
        new Option("--prefix <path>", "all whose path begins so, such as albums/").argParser(
          toArgParser(parsePathPrefix),
        ),
      )
      .option("-f, --force", "a file that is not there is no failure")
      .option("--yes", "with --owner or --prefix: does not ask"),
  )
    .summary("delete files of a running ingest")
    .description(
      "Deletes files by their keys, and says which were not there (exit code 1). " +
        '"-" reads keys from standard input, one a line. By --owner, --prefix or what is both it deletes any number, ' +
        "after asking, and waits until it is done.",
    )
    .argument("[key...]")
    .addOption(jsonOption())
    .addHelpText(
      "before",
      "Examples:\n  $ sluice put test.txt --json | jq -r .key | sluice rm -\n  $ sluice rm --owner user-7 --prefix albums/summer/\n",
    )
    .action(async (keys: ReadonlyArray<string>, options: RmOptions, command: Command) => {
      const mistake = findMistake(keys, options)
      if (mistake !== undefined) command.error(`error: ${mistake}`)
      const { owner, prefix } = options
      if (owner === undefined && prefix === undefined) {
        const { runRm } = await import("./run-rm.ts")
        return runRm(command, keys, options)
      }
      const { runRmSelection } = await import("./run-rm-selection.ts")
      await runRmSelection(command, options)
    })
