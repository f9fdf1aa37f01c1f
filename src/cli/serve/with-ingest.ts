import { type BlobStore, type Catalog, createKeyId, type IngestOptions } from "../../ingest.ts"
import { envName, type LogFormat } from "../../protocol.ts"
import { CommandFailure } from "../command-failure.ts"
import { findRevoked } from "../apps/revoked-token.ts"
import { settleKeptToken } from "../apps/settle-kept-token.ts"
import { requireKeys } from "../deployment/bucket-keys.ts"
import { keepToken, type KeptToken, readKeptToken } from "../deployment/data-folder.ts"
import {
  type DataFolder,
  type DeploymentSetting,
  nameStore,
  type Sources,
  splitSettings,
} from "../deployment/deployment.ts"
import { noteStart, readStart } from "../deployment/started-with.ts"
import { type GivenToken, readTokenVariable } from "../deployment/tokens.ts"
import type { DeploymentCatalog, OwnDeployment } from "../deployment/open-deployment.ts"
import { withOwnDeployment } from "../deployment/with-deployment.ts"
import { compareFiles } from "./compare-files.ts"
import { compareIngests } from "./compare-ingests.ts"
import { chooseScanner, describeScanner } from "./choose-scanner.ts"
import { toLocalUrl } from "./local-url.ts"
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
  /** What was done with the token that the data folder keeps; null when the environment gave it. */
  readonly keptToken: KeptToken["state"] | null
  /** A warning for the user about the token; null when all is well. */
  readonly warning: string | null
  /** What they should know of the store, and of other ingests beside it. */
  readonly notes: ReadonlyArray<string>
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
  const source = given === undefined && folder !== null ? folder.tokenFile : envName("token")
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

/**
 * The settings of an ingest; the time of day is for a user at a terminal. How large files the catalog keeps is undefined where
 * nobody has said it: that depends on its kind.
 */
type IngestSettings = Omit<SettingValues, "logTime" | "largestContent"> &
  Pick<IngestOptions, "logTime"> & { readonly largestContent: number | undefined }

/** How an ingest runs, beside what it runs on. */
interface Manner {
  readonly settings: Omit<IngestSettings, DeploymentSetting | "scanClamd" | "scanUrl" | "scanIngestUrl">
  readonly scan: IngestOptions["scan"]
  /** The token of the environment. */
  readonly given: GivenToken | undefined
  readonly logFormat: LogFormat
  readonly listen: (host: string, port: number, folder: DataFolder | null) => Promise<IngestServer>
}

/** Starts an ingest. Fails: with a `CommandFailure`; then nothing is left running. */
const startIngest = async (
  deployment: OwnDeployment,
  { settings: { host, port, url: givenUrl, largestContent, ...options }, scan, given, logFormat, listen }: Manner,
): Promise<StartedIngest> => {
  const { folder } = deployment
  let server: IngestServer | undefined
  let store: BlobStore | undefined
  let catalog: Catalog | undefined
  try {
    store = await deployment.openStore(options.reads)
    const storeNotes = await describeStore(deployment, store)
    server = await listen(host, port, folder)
    const url = givenUrl ?? toLocalUrl(host, server.port)
    const kept = given === undefined && folder !== null ? await keepToken(folder, url) : undefined
    catalog = await deployment.openCatalog(largestContent)
    const { text, token, warning } = await settle({ ...deployment, catalog }, given, kept)
    const keyId = createKeyId(token.apiKey)
    const differences = await compareIngests(deployment, catalog, { url, keyId })
    const lacks = await compareFiles(deployment, catalog)
    const metricsToken = process.env[envName("metricsToken")]
    const metrics = metricsToken ? { token: metricsToken } : options.metrics
    server.open({ ...options, scan, metrics, store, catalog, token: text, url, logFormat })
    // The ingest closes them from now on.
    store = catalog = undefined
    await noteStart(deployment, { ...options, scanner: describeScanner(scan), url, keyId })
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
      notes: [...storeNotes, ...lacks, ...differences],
      close,
    }
  } catch (error) {
    await server?.close()
    await store?.close()
    await catalog?.close()
    throw error
  }
}

/** Fails: with a {@link CommandFailure} where there is no token, and no folder to keep a new one in. */
const requireToken = (folder: DataFolder | null, given: GivenToken | undefined): void => {
  if (folder !== null || given !== undefined) return
  const variable = envName("token")
  throw new CommandFailure(
    `${variable} is not set. Ingests over one database and one bucket keep no token: make one with \`sluice token --ingest-url <their public URL>\`, and set it for all of them and for the app's server.`,
  )
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
    sources,
  }: { readonly listen?: Manner["listen"]; readonly signal?: AbortSignal; readonly sources?: Sources } = {},
): Promise<void> => {
  const {
    deployment,
    settings: { scanClamd, scanUrl, scanIngestUrl, ...settings },
  } = splitSettings(values, sources)
  // Before anything is made or locked.
  const scan = chooseScanner({ scanClamd, scanUrl, scanIngestUrl })
  const given = readTokenVariable()
  if (deployment.store.kind === "s3") requireKeys()
  requireToken(deployment.folder, given)
  await withOwnDeployment(deployment, { logFormat, signal }, async (own) => {
    const ingest = await startIngest(own, { settings, scan, given, logFormat, listen })
    try {
      await use(ingest)
    } finally {
      await ingest.close()
    }
  })
}
