import { Command, Option } from "commander"
import { jsonOption } from "../terminal/json-option.ts"
import { frameworks } from "./frameworks.ts"
import type { InitOptions } from "./run-init.ts"

/** `sluice init`. */
export const createInitCommand = (): Command =>
  new Command("init")
    .summary("put uploads into the project of this folder")
    .description(
      "Writes a file router, the route that serves it and the page's side of it, and puts `sluice dev` in front of the " +
        "script dev in package.json. Shows first what it would write, and asks. Existing files are left as they are.",
    )
    .addOption(
      new Option("--framework <name>", "instead of the one found in package.json").choices(
        frameworks.map(({ name }) => name),
      ),
    )
    .option("--dry-run", "shows what would be written, and writes nothing")
    .option("--yes", "does not ask")
    .addOption(jsonOption())
    .addHelpText("before", "Examples:\n  $ npx sluice init\n  $ npx sluice init --framework express --dry-run\n")
    .action(async (options: InitOptions) => {
      const { runInit } = await import("./run-init.ts")
      await runInit(process.cwd(), options)
    })
