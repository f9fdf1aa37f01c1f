import { Command } from "commander"
import { envName } from "../../protocol.ts"
import { settingNames } from "./ingest-command.ts"
import { addSettings, resolveSettings } from "../settings/setting-options.ts"

/** `sluice dev`. */
export const createDevCommand = (): Command =>
  addSettings(new Command("dev"), settingNames)
    .summary("run an ingest and your development server")
    .description(
      `Runs an ingest, and your development server with ${envName("token")} in its environment. ` +
        "Its exit code is that of the server.",
    )
    .argument("[command...]", "what starts the server; without it only the ingest runs")
    .passThroughOptions()
    .addHelpText(
      "after",
      `
The token is the one of ${envName("token")} where that is set, else the one that <data>/token keeps.
Where the port is in use the next free one is taken.

Example, in package.json:
  "dev": "sluice dev -- next dev"`,
    )
    .action(async (serverCommand: ReadonlyArray<string>, _options: object, command: Command) => {
      const settings = await resolveSettings(command, settingNames)
      const { runDev } = await import("./run-dev.ts")
      await runDev(settings, serverCommand)
    })
