import { findUnknownOption } from "../../protocol/unknown-option.ts"
import { parseClamdAddress } from "../../schema/clamd-address.ts"
import { findUrlMistake } from "../../schema/http-url.ts"
import { parseWebhookSecret } from "../../schema/webhook-secret.ts"
import { isLocalUrl } from "../../server-kit/public-address.ts"

/** A clamd of ClamAV. */
export interface ClamdScanSettings {
  /** Its address: `unix:/var/run/clamav/clamd.ctl` or `tcp://127.0.0.1:3310`. */
  readonly clamd: string
  readonly url?: undefined
}

/** A scanner that is asked by HTTP. */
export interface UrlScanSettings {
  /** Where files that are held are announced: an https URL, or an http URL of your own network. */
  readonly url: string
  /** What those requests are signed with: `whsec_` and 24 to 64 random bytes in base64. */
  readonly secret: string
  /**
   * The base URL at which the scanner reaches the ingest.
   * @default undefined (the ingest's `url`)
   */
  readonly ingestUrl?: string | undefined
  readonly clamd?: undefined
}

/** What looks into files that are held, and gives the verdict. */
export type ScanSettings = ClamdScanSettings | UrlScanSettings

/** Whether strangers on the way to the scanner could read files that are held, and release them. */
export const isScanExposed = ({ url }: ScanSettings): boolean =>
  url !== undefined && new URL(url).protocol === "http:" && !isLocalUrl(new URL(url))

const names = ["clamd", "url", "secret", "ingestUrl"] as const satisfies ReadonlyArray<
  keyof ClamdScanSettings | keyof UrlScanSettings
>

/** What is wrong with a base URL. */
const findBaseMistake = (url: string): string | undefined =>
  findUrlMistake(url) ?? (/[?#]/.test(url) ? "Expected a URL without query and fragment" : undefined)

/**
 * What is wrong with the scanner of an ingest; undefined where nothing is. It holds nothing of the secret, and of the
 * scanner's URL neither, which may hold one.
 *
 * @param url the ingest's own public URL
 */
export const findScanMistake = (scan: ScanSettings, url: string | undefined): string | undefined => {
  const unknown = findUnknownOption(scan, names)
  if (unknown !== undefined) return `scan: ${unknown}`
  if (scan.clamd !== undefined && scan.url !== undefined) {
    return "scan has both clamd and url: it is one scanner, so leave one of them out."
  }
  if (scan.url === undefined) {
    const address = parseClamdAddress(scan.clamd)
    return address.ok ? undefined : `scan.clamd is "${scan.clamd}". ${address.detail}`
  }
  const mistake = findUrlMistake(scan.url)
  if (mistake !== undefined) return `scan.url cannot be used. ${mistake}.`
  const secret = parseWebhookSecret(scan.secret)
  if (!secret.ok) return `scan.secret cannot be used. ${secret.detail}`
  if (scan.ingestUrl !== undefined) {
    const wrong = findBaseMistake(scan.ingestUrl)
    return wrong && `scan.ingestUrl cannot be used. ${wrong}.`
  }
  return url === undefined
    ? "scan.url needs the ingest's url, or scan.ingestUrl: the scanner is told where to read a file."
    : undefined
}
