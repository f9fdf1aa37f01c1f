import type { ScanSettings } from "../../ingest.ts"
import { envName } from "../../protocol.ts"
import { parseWebhookSecret } from "../../schema/webhook-secret.ts"
import { CommandFailure } from "../command-failure.ts"
import type { SettingValues } from "../settings/settings.ts"

/**
 * The scanner that an operator has set; undefined where there is none. Its secret is a variable and nothing else: arguments
 * and files are read by others.
 *
 * Fails: with a {@link CommandFailure} that says nothing of the secret.
 */
export const chooseScanner = ({
  scanClamd,
  scanUrl,
  scanIngestUrl,
}: SettingValues<"scanClamd" | "scanUrl" | "scanIngestUrl">): ScanSettings | undefined => {
  if (scanUrl === undefined) {
    if (scanIngestUrl !== undefined)
      throw new CommandFailure("scanIngestUrl is for a scanner with a URL: set scanUrl too.")
    return scanClamd === undefined ? undefined : { clamd: scanClamd }
  }
  if (scanClamd !== undefined) {
    throw new CommandFailure("scanClamd and scanUrl are both set, and files have one scanner: leave one of them out.")
  }
  const variable = envName("scanSecret")
  const secret = process.env[variable] ?? ""
  if (secret === "") {
    throw new CommandFailure(
      `scanUrl needs a secret, which the scanner has as well: set the variable ${variable}. This makes one: echo "whsec_$(openssl rand -base64 32)"`,
    )
  }
  const parsed = parseWebhookSecret(secret)
  if (!parsed.ok) throw new CommandFailure(`The secret in ${variable} cannot be used. ${parsed.detail}`)
  return { url: scanUrl, secret, ingestUrl: scanIngestUrl }
}

/** Where a scanner is, as the log names it: a URL without its query, which may hold anything. */
export const describeScanner = (scan: ScanSettings | undefined): string | null => {
  if (scan?.url === undefined) return scan?.clamd ?? null
  const { origin, pathname } = new URL(scan.url)
  return origin + pathname
}
