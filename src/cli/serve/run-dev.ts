import { styleText } from "node:util"
import { envName, resolveIngestUrl } from "../../protocol.ts"
import { announceIngest, toNearPath, warnOfToken } from "./announce-ingest.ts"
import { runDevServer } from "./dev-server.ts"
import { listenForIngest, PortInUse } from "./serve-ingest.ts"
import type { ResolvedSettings } from "../settings/setting-options.ts"
import type { SettingName } from "../settings/settings.ts"
import { startIngest, type StartedIngest } from "./start-ingest.ts"
import { waitForStopRequest } from "./stop-request.ts"

/** How many ports above the wanted one are tried. */
const attempts = 20

/** Listens on the wanted port, or on the next one that is free. */
const listenNearby = async (host: string, port: number) => {
  for (let tried = port; ; tried++) {
    try {
      const server = await listenForIngest(host, tried)
      if (tried !== port) console.log(`Port ${port} is in use; the ingest takes ${tried}.`)
      return server
    } catch (error) {
      if (!(error instanceof PortInUse) || tried === port + attempts || tried === 65_535) throw error
    }
  }
}

/** What the app needs to find this ingest: the token, and the URL where the token says another or none. */
const toVariables = ({ text, token, url }: StartedIngest): Record<string, string> => {
  const wanted = resolveIngestUrl(token, process.env[envName("ingestUrl")] || undefined)
  const found = resolveIngestUrl(token, url)
  const isFound = wanted.ok && found.ok && wanted.value === found.value
  return { [envName("token")]: text, ...(isFound ? undefined : { [envName("ingestUrl")]: url }) }
}

/**
 * `sluice dev`: an ingest, and the app's development server with the token in its environment. Its exit code is that of
 * the server. Without a command it runs until it is told to stop.
 */
export const runDev = async (
  { values, sources }: ResolvedSettings<SettingName>,
  command: ReadonlyArray<string>,
): Promise<void> => {
  const stopRequest = command.length === 0 ? waitForStopRequest() : undefined
  const ingest = await startIngest(values, values.logFormat ?? "text", listenNearby)
  try {
    if (stopRequest !== undefined) {
      announceIngest(ingest, sources)
      await stopRequest
      return
    }
    console.log(styleText("dim", `Sluice ingest at ${ingest.url}, data in ${toNearPath(ingest.folder.path)}`))
    warnOfToken(ingest)
    process.exitCode = await runDevServer(command, toVariables(ingest))
  } finally {
    await ingest.close()
  }
}
