import type { BlobStore, Catalog, IngestOptions } from "../../ingest.ts"
import { envName, type LogFormat } from "../../protocol.ts"
import { findRevoked } from "../apps/revoked-token.ts"
import { settleKeptToken } from "../apps/settle-kept-token.ts"
import { requireKeys } from "../deployment/bucket-keys.ts"
import { keepToken, type KeptToken, readKeptToken } from "../deployment/data-folder.ts"
import { type DataFolder, type DeploymentSetting, nameStore, splitSettings } from "../deployment/deployment.ts"
import { noteStart, readStart } from "../deployment/started-with.ts"
import { type GivenToken, readTokenVariable } from "../deployment/tokens.ts"
import { type DeploymentCatalog, type OwnDeployment, withOwnDeployment } from "../deployment/with-deployment.ts"
import { chooseScanner, describeScanner } from "./choose-scanner.ts"
import { type IngestServer, listenForIngest } from "./serve-ingest.ts"
import type { SettingValues } from "../settings/settings.ts"

/** An ingest that answers. */
export interface StartedIngest extends GivenToken {
  /** What it runs on. */
  readonly deployment: OwnDeployment
  /** Public base URL. */
  readonly url: string
  readonly host: string
  readonly port: number
  /** Where the data folder keeps the token; null when the environment gave it. */
  readonly keptToken: KeptToken["state"] | null
  /** A warning for the user about the token; null when all is well. */
  readonly warning: string | null
  /** What they should know of the store. */
  readonly storeNotes: ReadonlyArray<string>
  readonly close: () => Promise<void>
}

/** The token to start with, after checking in the catalog whether its key is valid, and a warning for the user. */
const settle = async (
  deployment: DeploymentCatalog,
  given: GivenToken | undefined,
  kept: KeptToken | undefined,
): Promise<GivenToken & Pick<StartedIngest, "warning">> => {
  const { folder } = deployment
  // Repairs what an interrupted command left behind, or one that ran while the token was moved.
  if (given === undefined) await settleKeptToken(deployment)
  const used = (given ?? (await readKeptToken(folder)) ?? kept)!
  const source = given === undefined ? folder.tokenFile : envName("token")
  const revoked = await findRevoked(deployment, { token: used.token, source })
  return { ...used, warning: revoked && `${revoked.message} ${revoked.advice}` }
}

/** What people should know of a store: that it loses files, or that files of before are in another one. */
const describeStore = async (deployment: OwnDeployment, { abilities }: BlobStore): Promise<ReadonlyArray<string>> => {
  const { store } = deployment
  const now = nameStore(store)
  const earlier = await readStart(deployment)
  const before = earlier === undefined ? now : nameStore(earlier.store)
  return [
    ...(abilities.isDurable || store.kind !== "module"
      ? []
      : [`The store ${store.path} says that it is not durable: its files are lost when it ends.`]),
    ...(before === now
      ? []
      : [
          `The ingest of ${deployment.describe()} kept its files ${before} before, and now keeps them ${now}. ` +
            "Files that are not there cannot be read: move them, or start it as before.",
        ]),
  ]
}

/** The settings of an ingest; the time of day is for a user at a terminal. */
type IngestSettings = Omit<SettingValues, "logTime"> & Pick<IngestOptions, "logTime">

/** How an ingest runs, beside what it runs on. */
interface Manner {
  readonly settings: Omit<IngestSettings, DeploymentSetting | "scanClamd" | "scanUrl" | "scanIngestUrl">
  readonly scan: IngestOptions["scan"]
  /** The token of the environment. */
  readonly given: GivenToken | undefined
  readonly logFormat: LogFormat
  readonly listen: (host: string, port: number, folder: DataFolder) => Promise<IngestServer>
  /** Ends a start that has not come to its end. */
  readonly signal: AbortSignal | undefined
}

/** Starts an ingest. Fails: with a `CommandFailure`; then nothing is left running. */
const startIngest = async (
  deployment: OwnDeployment,
  {
    settings: { host, port, url: givenUrl, largestContent, ...options },
    scan,
    given,
    logFormat,
    listen,
    signal,
  }: Manner,
): Promise<StartedIngest> => {
  const { folder } = deployment
  let server: IngestServer | undefined
  let store: BlobStore | undefined
  let catalog: Catalog | undefined
  try {
    store = await deployment.openStore(logFormat, options.reads, signal)
    const storeNotes = await describeStore(deployment, store)
    server = await listen(host, port, folder)
    const url = givenUrl ?? `http://localhost:${server.port}`
    const kept = given === undefined ? await keepToken(folder, url) : undefined
    catalog = deployment.openCatalog(largestContent)
    const { text, token, warning } = await settle({ ...deployment, catalog }, given, kept)
    const metricsToken = process.env[envName("metricsToken")]
    const metrics = metricsToken ? { token: metricsToken } : options.metrics
    server.open({ ...options, scan, metrics, store, catalog, token: text, url, logFormat })
    // The ingest closes them from now on.
    store = catalog = undefined
    await noteStart(deployment, { ...options, scanner: describeScanner(scan) })
    const { close } = server
    return {
      deployment,
      url,
      host,
      port: server.port,
      text,
      token,
      keptToken: kept?.state ?? null,
      warning,
      storeNotes,
      close,
    }
  } catch (error) {
    await server?.close()
    await store?.close()
    await catalog?.close()
    throw error
  }
}

/**
 * Runs an ingest by its settings, with the token of the environment or the one its deployment keeps, until `use` is done.
 *
 * Fails: with a `CommandFailure`, or with the reason of the signal; then nothing is left running.
 */
export const withIngest = async (
  values: IngestSettings,
  logFormat: LogFormat,
  use: (ingest: StartedIngest) => Promise<void>,
  {
    listen = (host, port) => listenForIngest(host, port),
    signal,
  }: { readonly listen?: Manner["listen"]; readonly signal?: AbortSignal } = {},
): Promise<void> => {
  const {
    deployment,
    settings: { scanClamd, scanUrl, scanIngestUrl, ...settings },
  } = splitSettings(values)
  // Before anything is made or locked.
  const scan = chooseScanner({ scanClamd, scanUrl, scanIngestUrl })
  const given = readTokenVariable()
  if (deployment.store.kind === "s3") requireKeys()
  await withOwnDeployment(deployment, async (own) => {
    const ingest = await startIngest(own, { settings, scan, given, logFormat, listen, signal })
    try {
      await use(ingest)
    } finally {
      await ingest.close()
    }
  })
}
