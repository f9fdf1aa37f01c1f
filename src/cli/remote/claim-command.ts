import { Command, Option } from "commander"
import { parseOwner } from "../label-options.ts"
import { toArgParser } from "../settings/setting-options.ts"
import { jsonOption } from "../terminal/json-option.ts"
import { addConnectionOptions } from "./app-connection.ts"
import type { ClaimCommandOptions } from "./run-claim.ts"

const collect = (text: string, before: ReadonlyArray<string> = []): ReadonlyArray<string> => [...before, text]

/** `sluice claim`. */
export const createClaimCommand = (): Command =>
  addConnectionOptions(
    new Command("claim")
      .addOption(
        new Option("--owner <id>", "whose they all have to be; else none is claimed").argParser(
          toArgParser(parseOwner),
        ),
      )
      .option("--slug <slug>", "the file route that they all have to have come through; else none is claimed")
      .option("--replaces <key>", "a file that is deleted in the same step; repeatable", collect),
  )
    .summary("claim files that are pending")
    .description(
      "Claims files that would be deleted otherwise, by their keys: all of them or none. " +
        '"-" reads keys from standard input, one a line.',
    )
    .argument("<key...>")
    .addOption(jsonOption())
    .addHelpText("before", "Example:\n  $ sluice files orphans --json | jq -r .files[].key | sluice claim -\n")
    .action(async (keys: ReadonlyArray<string>, options: ClaimCommandOptions, command: Command) => {
      const { runClaim } = await import("./run-claim.ts")
      await runClaim(command, keys, options)
    })
