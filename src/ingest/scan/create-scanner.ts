import type { Send } from "../../http/transport.ts"
import { parseClamdAddress } from "../../schema/clamd-address.ts"
import { parseWebhookSecret } from "../../schema/webhook-secret.ts"
import type { Settings } from "../settings.ts"
import { createClamd } from "./clamd.ts"
import { createHeldUrls, type HeldUrls } from "./held-urls.ts"
import type { Scanner } from "./scanner.ts"
import { createUrlScanner } from "./url-scanner.ts"

/**
 * The scanner of an ingest's settings, which were checked before, and the URLs by which it reaches files; undefined where
 * they name none.
 */
export const createScanner = (
  { scan, scanTimeout: timeout, url }: Pick<Settings, "scan" | "scanTimeout" | "url">,
  ports: { readonly send: Send; readonly now: () => number },
): { readonly scanner: Scanner; readonly urls?: HeldUrls } | undefined => {
  if (scan === undefined) return undefined
  if (scan.url === undefined) {
    const address = parseClamdAddress(scan.clamd)
    return address.ok ? { scanner: createClamd(address.value, scan.clamd, timeout) } : undefined
  }
  const key = parseWebhookSecret(scan.secret)
  const base = (scan.ingestUrl ?? url)?.replace(/\/+$/, "")
  if (!key.ok || base === undefined) return undefined
  const urls = createHeldUrls(key.value)
  const { url: asked, secret } = scan
  return { scanner: createUrlScanner({ url: asked, secret, key: key.value, base, timeout, urls, ...ports }), urls }
}
