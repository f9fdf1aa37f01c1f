import { formatByteSize } from "../../protocol.ts"
import { splitSettings } from "../deployment/deployment.ts"
import { withOwnDeployment } from "../deployment/with-deployment.ts"
import { announceIngest, announceIngestAsJson } from "./announce-ingest.ts"
import { isJournal } from "./journal.ts"
import { readPeakMemory } from "./peak-memory.ts"
import type { ResolvedSettings } from "../settings/setting-options.ts"
import type { SettingName } from "../settings/settings.ts"
import { startIngest } from "./start-ingest.ts"
import { waitForStopRequest } from "./stop-request.ts"

/** `sluice ingest`: runs until it is stopped. */
export const runIngest = async (
  { values, sources }: ResolvedSettings<SettingName>,
  options: { readonly json?: true },
): Promise<void> => {
  const stopRequest = waitForStopRequest()
  const { deployment, settings } = splitSettings(values)
  const logFormat = settings.logFormat ?? (options.json ? "json" : "text")
  const isJson = options.json || logFormat === "json"
  await withOwnDeployment(deployment, async (own) => {
    const logTime = settings.logTime ?? !isJournal()
    const ingest = await startIngest(own, { ...settings, logTime }, logFormat)
    try {
      if (isJson) announceIngestAsJson(ingest, sources)
      else announceIngest(ingest, sources)
      await stopRequest
    } finally {
      await ingest.close()
    }
  })
  const peakMemory = readPeakMemory()
  if (isJson) console.log(JSON.stringify({ event: "stopped", peakMemory }))
  else console.log(`\nStopped. Peak memory: ${formatByteSize(peakMemory)}.`)
}
