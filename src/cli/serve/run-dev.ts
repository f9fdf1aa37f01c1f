import { styleText } from "node:util"
import { envName, resolveIngestUrl } from "../../protocol.ts"
import { announceIngest, announceIngestAsJson, toNearPath, printWarnings } from "./announce-ingest.ts"
import { runDevServer } from "./dev-server.ts"
import { endSoon } from "./end-soon.ts"
import { listenForDev } from "./listen-for-dev.ts"
import { toNodeEnv } from "./node-env.ts"
import { outliveOutput } from "../terminal/output-failure.ts"
import { givenValue, type ResolvedSettings } from "../settings/setting-options.ts"
import type { SettingName } from "../settings/settings.ts"
import { type StartedIngest, withIngest } from "./with-ingest.ts"
import { waitForStopRequest } from "./stop-request.ts"

/** The hosts under which a local app is called by local users. */
const ownHosts = "localhost:*,127.0.0.1:*,[::1]:*"

/**
 * What the app needs to find this ingest: the token, and the URL if the token's is missing or different. Also what
 * this ingest needs to find an app that is tried here in production mode, where its own address is not configured yet.
 */
const toVariables = ({ text, token, url }: StartedIngest): Record<string, string> => {
  const wanted = resolveIngestUrl(token, process.env[envName("ingestUrl")] || undefined)
  const found = resolveIngestUrl(token, url)
  const isFound = wanted.ok && found.ok && wanted.value === found.value
  const isAppFound = [envName("callbackUrl"), envName("allowedHosts")].some((name) => process.env[name])
  return {
    [envName("token")]: text,
    ...(isFound ? undefined : { [envName("ingestUrl")]: url }),
    ...(isAppFound ? undefined : { [envName("allowedHosts")]: ownHosts }),
  }
}

/**
 * `sluice dev`: an ingest, and the app's development server with the token in its environment. Its exit code is that
 * of the server. Without a command it runs until it is stopped.
 */
export const runDev = async (
  resolved: ResolvedSettings<SettingName>,
  command: ReadonlyArray<string>,
): Promise<void> => {
  const { values, sources } = resolved
  const stopRequest = command.length === 0 ? waitForStopRequest() : undefined
  const isPortGiven = sources.some(({ name }) => name === "port")
  const isJson = values.logFormat === "json"
  outliveOutput(values.logFormat)
  const largestContent = givenValue(resolved, "largestContent")
  const settings = { ...values, largestContent, logTime: values.logTime ?? ("clock" as const) }
  const use = async (ingest: StartedIngest): Promise<void> => {
    if (isJson) announceIngestAsJson(ingest, sources)
    if (stopRequest !== undefined) {
      if (!isJson) announceIngest(ingest, sources)
      await stopRequest.requested
      return
    }
    if (!isJson) {
      const { folder, describe } = ingest.deployment
      const place = folder === null ? describe() : toNearPath(folder.path)
      console.log(styleText("dim", `Sluice ingest at ${ingest.url}, data in ${place}`))
      printWarnings(ingest, sources)
    }
    process.exitCode = await runDevServer(command, {
      ...toVariables(ingest),
      ...(await toNodeEnv(command, process.cwd())),
    })
  }
  await withIngest(settings, values.logFormat ?? "text", use, { listen: listenForDev(isPortGiven), sources }).finally(
    endSoon,
  )
}
