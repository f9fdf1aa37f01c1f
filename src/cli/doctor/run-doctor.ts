import { styleText } from "node:util"
import { envName, resolveIngestUrl, type Token } from "../../protocol.ts"
import { readOwnTokens } from "../apps/own-tokens.ts"
import { findRevoked } from "../apps/revoked-token.ts"
import { checkCallbackUrl } from "./check-callback-url.ts"
import { checkDataFolder } from "./check-data-folder.ts"
import { checkDeliveries, findCallbackUrl } from "./check-deliveries.ts"
import { checkIngest } from "./check-ingest.ts"
import { checkToken } from "./check-token.ts"
import { exitCodes } from "../command-failure.ts"
import { type DataFolder, describeDataFolder } from "../data-folder.ts"
import { failed, type Finding, ok } from "./finding.ts"
import { withCatalog } from "../open-catalog.ts"
import { toPrintable } from "../terminal/printable.ts"

/** What `sluice doctor` looks at. */
export interface DoctorOptions {
  readonly data: string
  readonly url?: string | undefined
  readonly callbackUrl?: string
  readonly json?: true
}

const checkIngestOf = async (token: Token, url: string | undefined): Promise<ReadonlyArray<Finding>> => {
  const resolved = resolveIngestUrl(token, url ?? (process.env[envName("ingestUrl")] || undefined))
  return resolved.ok
    ? checkIngest(token, resolved.value)
    : [failed("Ingest", resolved.detail, "Say with --url where it is.")]
}

/** Tokens of keys that are revoked; nothing where all count. */
const checkKeys = async (folder: DataFolder, isReadable: boolean): Promise<ReadonlyArray<Finding>> => {
  if (!isReadable) return []
  const tokens = await readOwnTokens(folder)
  const revoked = await withCatalog(folder.path, (catalog) =>
    Promise.all(tokens.map((token) => findRevoked(catalog, folder, token))),
  )
  return revoked.flatMap((one) => (one === null ? [] : [failed("Key", one.message, one.advice)]))
}

/** What the catalog says of the callbacks; nothing where it cannot be read, which is another check's finding. */
const checkCallbacks = async (
  folder: DataFolder,
  given: string | undefined,
  isReadable: boolean,
): Promise<ReadonlyArray<Finding>> => {
  const [deliveries, known] = isReadable
    ? await withCatalog(folder.path, async (catalog) => [
        [await checkDeliveries(catalog)],
        await findCallbackUrl(catalog),
      ])
    : [[], undefined]
  const url = given ?? known
  const reachable =
    url === undefined
      ? [ok("Callback URL", "no upload has named one yet; --callback-url checks one")]
      : await checkCallbackUrl(url)
  return [...deliveries, ...reachable]
}

/** One clock may be asked twice and is told once, the worse answer. */
const mergeClocks = (findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> => {
  const clocks = findings.filter(({ check }) => check === "Clock")
  const worst = clocks.find(({ status }) => status === "failed") ?? clocks.find(({ status }) => status === "warning")
  const shown = worst ?? clocks[0]
  return findings.filter((finding) => finding.check !== "Clock" || finding === shown)
}

const marks = {
  ok: styleText("green", "✓"),
  warning: styleText("yellow", "!"),
  failed: styleText("red", "✗"),
} as const

/** `sluice doctor`. */
export const runDoctor = async ({ data, url, callbackUrl, json }: DoctorOptions): Promise<void> => {
  const folder = describeDataFolder(data)
  const { token, finding } = await checkToken(folder)
  const disk = await checkDataFolder(folder)
  const isReadable = disk.some(({ check, status }) => check === "Catalog" && status === "ok")
  const findings = mergeClocks([
    ok("Node.js", process.versions.node),
    finding,
    ...disk,
    ...(await checkKeys(folder, isReadable && token !== undefined)),
    ...(token === undefined ? [] : await checkIngestOf(token, url)),
    ...(await checkCallbacks(folder, callbackUrl, isReadable)),
  ])
  const isWell = findings.every(({ status }) => status !== "failed")
  if (!isWell) process.exitCode = exitCodes.failed
  if (json) {
    console.log(JSON.stringify({ ok: isWell, checks: findings }))
    return
  }
  const width = Math.max(...findings.map(({ check }) => check.length)) + 2
  for (const { check, status, message, advice } of findings) {
    console.log(`${marks[status]} ${check.padEnd(width)}${toPrintable(message)}`)
    if (advice !== null) console.log(`${" ".repeat(width + 2)}${styleText("cyan", toPrintable(advice))}`)
  }
}
