import type { Send } from "../../http/transport.ts"
import { parseClamdAddress } from "../../schema/clamd-address.ts"
import { parseWebhookSecret } from "../../schema/webhook-secret.ts"
import type { Settings } from "../settings.ts"
import { createClamd } from "./clamd.ts"
import { createHeldUrls, type HeldUrls } from "./held-urls.ts"
import type { Scanner } from "./scanner.ts"
import { createUrlScanner } from "./url-scanner.ts"

/** The URLs for a scanner that is asked by HTTP; undefined where there is none. */
export const createUrlsOf = ({ scan }: Pick<Settings, "scan">): HeldUrls | undefined => {
  const secret = scan?.secret === undefined ? undefined : parseWebhookSecret(scan.secret)
  return secret?.ok ? createHeldUrls(secret.value) : undefined
}

/** The scanner of an ingest's settings, which were checked before; undefined where they name none. */
export const createScanner = (
  { scan, scanTimeout: timeout, url }: Pick<Settings, "scan" | "scanTimeout" | "url">,
  { urls, send, now }: { readonly urls: HeldUrls | undefined; readonly send: Send; readonly now: () => number },
): Scanner | undefined => {
  if (scan === undefined) return undefined
  if (scan.url === undefined) {
    const address = parseClamdAddress(scan.clamd)
    return address.ok ? createClamd(address.value, scan.clamd, timeout) : undefined
  }
  const key = parseWebhookSecret(scan.secret)
  const base = (scan.ingestUrl ?? url)?.replace(/\/+$/, "")
  return key.ok && base !== undefined && urls !== undefined
    ? createUrlScanner({ url: scan.url, secret: scan.secret, key: key.value, base, timeout, urls, send, now })
    : undefined
}
