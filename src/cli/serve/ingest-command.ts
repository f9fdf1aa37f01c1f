import { Command } from "commander"
import { envName } from "../../protocol.ts"
import { configFileName } from "../settings/config-file.ts"
import { addHelpAll } from "../terminal/help.ts"
import { jsonOption } from "../terminal/json-option.ts"
import { addSettings, resolveSettings } from "../settings/setting-options.ts"
import { ingestSettings, type SettingName } from "../settings/settings.ts"

/** Names of all settings. */
export const settingNames = Object.keys(ingestSettings) as ReadonlyArray<SettingName>

/** The settings that operators need first; `--help-all` shows the others too. */
const firstSettings: ReadonlySet<string> = new Set<SettingName | "config">([
  "port",
  "host",
  "data",
  "databaseUrl",
  "store",
  "s3Bucket",
  "url",
  "defaultAcl",
  "maxFileSize",
  "quota",
  "callbackWait",
  "callbackNetworks",
  "minimumFree",
  "metrics",
  "logLevel",
  "logFormat",
  "config",
])

/** `sluice ingest`. */
export const createIngestCommand = (): Command =>
  addHelpAll(addSettings(new Command("ingest"), settingNames), firstSettings)
    .summary("run the service that stores the files")
    .description("Runs the ingest: takes uploads, stores them and calls the app back.")
    .addOption(jsonOption())
    .addHelpText("before", "Example:\n  $ sluice ingest --port 4790 --data .sluice --url http://localhost:4790\n")
    .addHelpText(
      "after",
      `
Each is also a variable (${envName("maxFileSize")}) and a field of
${configFileName} (maxFileSize). Flags win over variables, those over it.
Durations are 30s, 10m, 2h, 1d or "10 minutes"; a bare number is seconds. Sizes
are 64KB, 4MB, 1.5GB; a bare number is bytes.
The token is that of ${envName("token")}, else <data>/token, made on the first start.
With ${envName("metricsToken")} set, /metrics asks for it as a bearer token.
SIGINT and SIGTERM stop it cleanly, a second one at once.`,
    )
    .action(async (options: { json?: true }, command: Command) => {
      const settings = await resolveSettings(command, settingNames)
      const { runIngest } = await import("./run-ingest.ts")
      await runIngest(settings, options)
    })
