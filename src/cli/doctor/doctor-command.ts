import { Command, Option } from "commander"
import { envName, names } from "../../protocol.ts"
import { deploymentSettings, toDeployment } from "../deployment/deployment.ts"
import { addHelpAll } from "../terminal/help.ts"
import { jsonOption } from "../terminal/json-option.ts"
import { addSettings, resolveSettings, toArgParser } from "../settings/setting-options.ts"
import { parseHttpUrl } from "../settings/settings.ts"

const ownSettings = ["url", "callbackNetworks", "reads", "scanClamd", "scanUrl"] as const
const settingNames = [...deploymentSettings.bucket, ...ownSettings] as const

/** What the help shows without `--help-all`: the others are about a bucket. */
const firstSettings: ReadonlySet<string> = new Set(
  ["data", "databaseUrl", "s3Bucket", ...ownSettings, "config"].filter(
    (name) => name !== "reads" && name !== "callbackNetworks",
  ),
)

/** `sluice doctor`. */
export const createDoctorCommand = (): Command =>
  addHelpAll(addSettings(new Command("doctor"), settingNames), firstSettings)
    .summary("find out what is wrong with a set-up")
    .description(
      "Checks token, clock, data folder, bucket, ingest, callback URL, deliveries, scanner, and whether the app can sign uploads. Exit code 1 when one failed.",
    )
    .addOption(
      new Option("--callback-url <url>", "where the app takes callbacks (default: that of the newest upload)")
        .env(envName("callbackUrl"))
        .argParser(toArgParser(parseHttpUrl)),
    )
    .addOption(jsonOption())
    .addHelpText("before", `Example:\n  $ sluice doctor --callback-url http://localhost:3000${names.adapterPath}\n`)
    .action(async (options: { callbackUrl?: string; json?: true }, command: Command) => {
      const { values, sources } = await resolveSettings(command, settingNames)
      const isSaid = (setting: string) => sources.some(({ name }) => name === setting)
      const { runDoctor } = await import("./run-doctor.ts")
      // A folder that nobody named may be of another ingest than the one over a database.
      await runDoctor(toDeployment(values, { usesData: isSaid("data"), sources }), {
        ...options,
        url: values.url,
        scanClamd: values.scanClamd,
        scanUrl: values.scanUrl,
        callbackNetworks: isSaid("callbackNetworks") ? values.callbackNetworks : undefined,
        reads: isSaid("reads") ? values.reads : undefined,
      })
    })
