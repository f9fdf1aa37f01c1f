import { Command } from "commander"
import { jsonOption } from "../terminal/json-option.ts"
import { addConnectionOptions } from "./app-connection.ts"
import type { JudgeOptions } from "./run-judge.ts"

const createJudgeCommand = (name: "release" | "reject"): Command =>
  addConnectionOptions(new Command(name))
    .argument("<key...>")
    .addOption(jsonOption())
    .action(async (keys: ReadonlyArray<string>, options: JudgeOptions, command: Command) => {
      const { runJudge } = await import("./run-judge.ts")
      await runJudge(command, name, keys, options)
    })

/** `sluice release`. */
export const createReleaseCommand = (): Command =>
  createJudgeCommand("release")
    .summary("let files be read that are held")
    .description('Releases files that are held, by their keys. "-" reads keys from standard input, one a line.')
    .addHelpText("before", "Example:\n  $ sluice files --status Held --json | jq -r .files[].key | sluice release -\n")

/** `sluice reject`. */
export const createRejectCommand = (): Command =>
  createJudgeCommand("reject")
    .summary("remove files that are held")
    .description(
      "Rejects files that are held, by their keys: their bytes are removed for good, and their app hears the reason. " +
        '"-" reads keys from standard input, one a line.',
    )
    .option("--reason <text>", "what the app, and whoever waits in a page, is told")
    .addHelpText("before", 'Example:\n  $ sluice reject <key> --reason "It is not a photo of you."\n')
