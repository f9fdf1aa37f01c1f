import { Command } from "commander"
import { envName } from "../../protocol.ts"
import { settingNames } from "./ingest-command.ts"
import { addHelpAll } from "../terminal/help.ts"
import { addSettings, resolveSettings } from "../settings/setting-options.ts"
import type { SettingName } from "../settings/settings.ts"

/** The settings that developers need first; `--help-all` shows the others too. */
const firstSettings: ReadonlySet<string> = new Set<SettingName>(["port", "host", "data", "url", "logLevel"])

/** `sluice dev`. */
export const createDevCommand = (): Command =>
  addHelpAll(addSettings(new Command("dev"), settingNames), firstSettings)
    .summary("run an ingest and your development server")
    .description(
      `Runs an ingest, and your development server with ${envName("token")} in its environment. ` +
        "Its exit code is that of the server.",
    )
    .argument("[command...]", "what starts the server; without it only the ingest runs")
    .passThroughOptions()
    .addHelpText("before", `Example, in package.json:  "dev": "sluice dev -- next dev"\n`)
    .addHelpText(
      "after",
      `
The token is that of ${envName("token")}, else the one that <data>/token keeps.
The project keeps its port (<data>/port); --port gives it another one.
NODE_ENV is development for the server where it is unset.`,
    )
    .action(async (serverCommand: ReadonlyArray<string>, _options: object, command: Command) => {
      const settings = await resolveSettings(command, settingNames)
      const { runDev } = await import("./run-dev.ts")
      await runDev(settings, serverCommand)
    })
