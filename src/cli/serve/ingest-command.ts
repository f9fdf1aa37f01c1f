import { Command } from "commander"
import { envName } from "../../protocol.ts"
import { configFileName } from "../settings/config-file.ts"
import { jsonOption } from "../terminal/json-option.ts"
import { addSettings, resolveSettings } from "../settings/setting-options.ts"
import { ingestSettings, type SettingName } from "../settings/settings.ts"

/** Names of all settings. */
export const settingNames = Object.keys(ingestSettings) as ReadonlyArray<SettingName>

/** `sluice ingest`. */
export const createIngestCommand = (): Command =>
  addSettings(new Command("ingest"), settingNames)
    .summary("run the service that stores the files")
    .description("Runs the ingest: takes uploads, stores them on disk and calls the app back.")
    .addOption(jsonOption())
    .addHelpText(
      "after",
      `
Durations are written "30 seconds", "10 minutes", "2 hours", "1 day" or 30s, 10m, 2h, 1d; a bare number is seconds. Sizes are written
"64KB", "4MB", "1.5GB"; a bare number is bytes.
Flags win over the environment, that over ${configFileName}, for example { "port": 4790, "unfinishedTtl": "2 days" }.
The token comes from ${envName("token")}; without it one is made on the first start and kept in <data>/token.
With ${envName("metricsToken")} set, /metrics is for those who send it (authorization: Bearer …).
SIGINT and SIGTERM stop it cleanly, a second one at once.

Example:
  $ sluice ingest --port 4790 --data .sluice --url http://localhost:4790`,
    )
    .action(async (options: { json?: true }, command: Command) => {
      const settings = await resolveSettings(command, settingNames)
      const { runIngest } = await import("./run-ingest.ts")
      await runIngest(settings, options)
    })
