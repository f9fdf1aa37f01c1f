import { styleText } from "node:util"
import { envName, names, resolveIngestUrl, type Token } from "../../protocol.ts"
import { readOwnTokens } from "../deployment/tokens.ts"
import { findRevoked } from "../apps/revoked-token.ts"
import { checkAccess } from "./check-access.ts"
import { checkBucketOf, checkBucketRules } from "./check-bucket.ts"
import { checkCallbackUrl } from "./check-callback-url.ts"
import type { CallbackFindings, Known } from "./check-callbacks.ts"
import { checkDatabase } from "./check-database.ts"
import { checkDataFolder } from "./check-data-folder.ts"
import { checkDeliveries, findCallbackUrl } from "./check-deliveries.ts"
import { checkEndpoints } from "./check-endpoints.ts"
import { checkIngest } from "./check-ingest.ts"
import { checkHeld, checkScanner } from "./check-scanner.ts"
import { checkToken } from "./check-token.ts"
import { exitCodes } from "../command-failure.ts"
import { type Deployment, nameStore, type StoreChoice } from "../deployment/deployment.ts"
import { failed, type Finding, ok, warning } from "./finding.ts"
import { withDeployment } from "../deployment/with-deployment.ts"
import { findKeys } from "../deployment/bucket-keys.ts"
import { findForeignOwner } from "../deployment/bucket-owner.ts"
import { readStart } from "../deployment/started-with.ts"
import { toPrintable } from "../terminal/printable.ts"

/** The options of `sluice doctor`. */
export interface DoctorOptions {
  readonly url?: string | undefined
  readonly callbackUrl?: string
  /** As given for the ingest; undefined: as it was noted when it started. */
  readonly callbackNetworks: "public" | "any" | undefined
  /** As `callbackNetworks`. */
  readonly reads: "proxy" | "redirect" | undefined
  readonly scanClamd?: string | undefined
  readonly scanUrl?: string | undefined
  readonly json?: true
}

/** The findings about the ingest, and its URL if that is the one that the ingest has for itself. */
const checkIngestOf = async (
  token: Token,
  url: string | undefined,
): Promise<{ readonly found: ReadonlyArray<Finding>; readonly ingestUrl?: string }> => {
  const resolved = resolveIngestUrl(token, url ?? (process.env[envName("ingestUrl")] || undefined))
  if (!resolved.ok) return { found: [failed("Ingest", resolved.detail, "Say with --url where it is.")] }
  const found = await checkIngest(token, resolved.value)
  const isProven = found.some(({ check, status }) => check === "Ingest" && status === "ok")
  return { found, ...(isProven && { ingestUrl: resolved.value }) }
}

/** A foreign store is opened by the ingest alone: the doctor runs no code that a note in the data folder names. */
const checkStore = async (
  deployment: Deployment,
  store: StoreChoice,
  reads: "proxy" | "redirect",
  isReadable: boolean,
  callbackUrl: string | undefined,
): Promise<ReadonlyArray<Finding>> => {
  if (store.kind === "disk") return []
  if (store.kind === "s3") {
    const found = await checkBucketOf(store, reads === "redirect")
    // A database that does not answer says nothing of whose a bucket is, and one that fails was reported. Without a catalog it is another's.
    const isKnown = isReadable || deployment.database === null
    const wasTried = found.status !== "failed" && "credentials" in findKeys()
    const foreign = wasTried && isKnown ? await findForeignOwner(store, deployment) : undefined
    if (foreign !== undefined) return [failed("Bucket", foreign.reason, foreign.advice)]
    // Its pages are where its callbacks go, as a rule.
    const pageOrigin = URL.parse(callbackUrl ?? "")?.origin
    return found.status === "failed" ? [found] : [found, ...(await checkBucketRules(store, pageOrigin))]
  }
  return [ok("Store", `files are ${nameStore(store)}, which was not looked at: /ready of the ingest asks it`)]
}

/** Tokens whose keys are revoked; empty where all are valid. */
const checkKeys = async (deployment: Deployment, isReadable: boolean): Promise<ReadonlyArray<Finding>> => {
  if (!isReadable) return []
  const tokens = await readOwnTokens(deployment)
  const revoked = await withDeployment(deployment, "reads", (open) =>
    Promise.all(tokens.map((token) => findRevoked(open, token))),
  )
  return revoked.flatMap((one) => (one === null ? [] : [failed("Key", one.message, one.advice)]))
}

/** What the catalog says about the token's app. An app that it does not list is the ingest's own, or does not exist. */
const readApp = async (
  deployment: Deployment,
  { appId, apiKey }: Token,
  ownAppId: string | undefined,
  isPublic: boolean,
): Promise<Pick<Known, "rules" | "furtherKeys" | "isOnlyApp">> => {
  const apps = await withDeployment(deployment, "reads", ({ catalog }) => catalog.listApps())
  const app = apps.find(({ id }) => id === appId)
  // An ingest whose token is not in its data folder may have any app as its own.
  const isPublicOnly = isPublic && ownAppId !== undefined && ownAppId !== appId
  return {
    rules: app && { appId, callbackOrigins: app.callbackOrigins, isPublicOnly },
    furtherKeys: (app?.keys ?? []).flatMap((key) => (key.apiKey === apiKey ? [] : (key.apiKey ?? []))),
    isOnlyApp:
      ownAppId === undefined ? apps.length === 0 : [ownAppId, ...apps.map(({ id }) => id)].every((id) => id === appId),
  }
}

/** What the catalog says about the callbacks; nothing where it cannot be read, which another check reports. */
const checkCallbacks = async (
  deployment: Deployment,
  url: string | undefined,
  isReadable: boolean,
  asked: Known,
  isGiven: boolean,
): Promise<ReadonlyArray<Finding>> => {
  const { token } = asked
  /** Where the address was mended since, nobody has told the catalog. */
  const explain = (finding: Finding): Finding =>
    isGiven || finding.status !== "failed"
      ? finding
      : {
          ...finding,
          advice:
            `${finding.advice ?? ""} This is where the newest upload is called back. If the app names another address by now, check that: --callback-url.`.trim(),
        }
  const { found, callbackUrl }: CallbackFindings =
    url === undefined
      ? {
          found: [
            warning(
              "Callback URL",
              `No upload has named one yet, so it was not checked whether a route handler takes callbacks, and whether the app can sign uploads.`,
              `Say where the app takes them: --callback-url https://app.example${names.adapterPath}. In production the app needs ${envName("callbackUrl")} or ${envName("allowedHosts")}.`,
            ),
          ],
        }
      : await checkCallbackUrl(url, asked)
  const findings = found.map(explain)
  if (!isReadable) return findings
  const present = token && callbackUrl !== undefined ? { appId: token.appId, callbackUrl } : undefined
  const sent = await withDeployment(deployment, "reads", async (open) => {
    const endpoints = await checkEndpoints(open.catalog)
    return [await checkDeliveries(open, present), ...(endpoints === undefined ? [] : [endpoints])]
  })
  return [...sent, ...findings]
}

/** Whether held files get their verdict. */
const checkHolds = async (
  deployment: Deployment,
  scanner: string | undefined,
  isReadable: boolean,
): Promise<ReadonlyArray<Finding>> => {
  const answers = await checkScanner(scanner)
  const held = isReadable
    ? await withDeployment(deployment, "reads", (open) => checkHeld(open, scanner !== undefined))
    : undefined
  return [answers, held].filter((finding) => finding !== undefined)
}

/** One clock may be checked twice, but is reported once, with the worse result. */
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
export const runDoctor = async (
  deployment: Deployment,
  { url, callbackUrl, callbackNetworks, reads, scanClamd, scanUrl, json }: DoctorOptions,
): Promise<void> => {
  const { folder } = deployment
  const started = await readStart(deployment)
  // What was said goes before what was noted.
  const store = deployment.store.kind === "disk" && started !== undefined ? started.store : deployment.store
  const networks = callbackNetworks ?? started?.callbackNetworks ?? "public"
  const { token, ownAppId, finding } = await checkToken(deployment)
  const disk =
    deployment.database === null
      ? await checkDataFolder(deployment.folder, started?.minimumFree)
      : await checkDatabase(deployment)
  const isReadable = disk.some(({ check, status }) => check === "Catalog" && status === "ok")
  const { found, ingestUrl } = token === undefined ? { found: [] } : await checkIngestOf(token, url)
  const app =
    isReadable && token !== undefined
      ? await readApp(deployment, token, ownAppId, networks === "public")
      : { rules: undefined, furtherKeys: [], isOnlyApp: false }
  const known =
    callbackUrl ??
    (isReadable
      ? await withDeployment(deployment, "reads", ({ catalog }) => findCallbackUrl(catalog, token?.appId))
      : undefined)
  const findings = mergeClocks([
    ok("Node.js", process.versions.node),
    finding,
    ...disk,
    ...(await checkStore(deployment, store, reads ?? started?.reads ?? "proxy", isReadable, known)),
    ...(folder === null ? [] : [await checkAccess(folder)]),
    ...(await checkKeys(deployment, isReadable && token !== undefined)),
    ...found,
    ...(await checkCallbacks(deployment, known, isReadable, { token, ingestUrl, ...app }, callbackUrl !== undefined)),
    ...(await checkHolds(deployment, scanClamd ?? scanUrl ?? started?.scanner ?? undefined, isReadable)),
  ])
  const isWell = findings.every(({ status }) => status !== "failed")
  if (!isWell) process.exitCode = exitCodes.failed
  if (json) {
    console.log(JSON.stringify({ ok: isWell, checks: findings }))
    return
  }
  const width = Math.max(...findings.map(({ check }) => check.length)) + 2
  const indent = " ".repeat(width + 2)
  for (const { check, status, message, advice, help } of findings) {
    console.log(`${marks[status]} ${check.padEnd(width)}${toPrintable(message)}`)
    if (advice !== null) console.log(`${indent}${styleText("cyan", toPrintable(advice))}`)
    if (help !== null) console.log(`${indent}${styleText("dim", help)}`)
  }
}
