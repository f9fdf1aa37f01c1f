import { formatByteSize } from "../../protocol.ts"
import { announceIngest, announceIngestAsJson } from "./announce-ingest.ts"
import { endSoon } from "./end-soon.ts"
import { isJournal } from "./journal.ts"
import { readPeakMemory } from "./peak-memory.ts"
import { outliveOutput } from "../terminal/output-failure.ts"
import { printEvent } from "../terminal/print-notice.ts"
import { givenValue, type ResolvedSettings } from "../settings/setting-options.ts"
import type { SettingName } from "../settings/settings.ts"
import { type StartedIngest, withIngest } from "./with-ingest.ts"
import { waitForStopRequest } from "./stop-request.ts"

/** `sluice ingest`: runs until it is stopped. */
export const runIngest = async (
  resolved: ResolvedSettings<SettingName>,
  options: { readonly json?: true },
): Promise<void> => {
  const { values, sources } = resolved
  const stopRequest = waitForStopRequest()
  const logFormat = values.logFormat ?? (options.json ? "json" : "text")
  const isJson = options.json || logFormat === "json"
  outliveOutput(isJson ? "json" : "text")
  const largestContent = givenValue(resolved, "largestContent")
  const settings = { ...values, largestContent, logTime: values.logTime ?? !isJournal() }
  const { requested, signal } = stopRequest
  const use = async (ingest: StartedIngest): Promise<void> => {
    if (isJson) announceIngestAsJson(ingest, sources)
    else announceIngest(ingest, sources)
    await requested
  }
  await withIngest(settings, logFormat, use, { signal, sources })
    .catch((error: unknown) => {
      // It was asked to stop before it had started.
      if (error !== signal.reason) throw error
    })
    .finally(endSoon)
  const peakMemory = readPeakMemory()
  const text = `Stopped. Peak memory: ${formatByteSize(peakMemory)}.`
  if (isJson) printEvent("stopped", "info", text, { peakMemory })
  else console.log(`\n${text}`)
}
