import type { BlobStore, IngestOptions } from "../../ingest.ts"
import { envName, type LogFormat } from "../../protocol.ts"
import { findRevoked } from "../apps/revoked-token.ts"
import { settleKeptToken } from "../apps/settle-kept-token.ts"
import {
  type DataFolder,
  keepToken,
  type KeptToken,
  openDataFolder,
  type OpenedDataFolder,
  readKeptToken,
} from "../data-folder.ts"
import { openStore, toStorePath } from "../open-store.ts"
import { noteStart, readStart } from "../started-with.ts"
import { hasCatalog, openCatalog } from "../open-catalog.ts"
import { chooseScanner, describeScanner } from "./choose-scanner.ts"
import { type GivenToken, readTokenVariable } from "./given-token.ts"
import { type IngestServer, listenForIngest } from "./serve-ingest.ts"
import type { SettingValues } from "../settings/settings.ts"

/** An ingest that answers. */
export interface StartedIngest extends GivenToken {
  /** Public base URL. */
  readonly url: string
  readonly host: string
  readonly port: number
  readonly folder: OpenedDataFolder
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
  folder: DataFolder,
  given: GivenToken | undefined,
  kept: KeptToken | undefined,
): Promise<GivenToken & Pick<StartedIngest, "warning">> => {
  if (!(await hasCatalog(folder))) return { ...(given ?? kept)!, warning: null }
  // This process holds the folder's lock, so it migrates the catalog to its own schema.
  const catalog = openCatalog(folder.catalog)
  try {
    // Repairs what an interrupted command left behind, or one that ran while the token was moved.
    if (given === undefined) await settleKeptToken(catalog, folder)
    const used = (given ?? (await readKeptToken(folder)) ?? kept)!
    const source = given === undefined ? folder.tokenFile : envName("token")
    const revoked = await findRevoked(catalog, folder, { token: used.token, source })
    return { ...used, warning: revoked && `${revoked.message} ${revoked.advice}` }
  } finally {
    await catalog.close()
  }
}

/** What people should know of a store: that it loses files, or that files of before are in another one. */
const describeStore = async (
  folder: DataFolder,
  { abilities }: BlobStore,
  path: string | null,
): Promise<ReadonlyArray<string>> => {
  const earlier = await readStart(folder)
  const nameOf = (store: string | null): string => (store === null ? "on disk" : `in the store ${store}`)
  return [
    ...(abilities.isDurable ? [] : [`The store ${path} says that it is not durable: its files are lost when it ends.`]),
    ...(earlier === undefined || earlier.store === path
      ? []
      : [
          `The ingest of ${folder.path} kept its files ${nameOf(earlier.store)} before, and now keeps them ${nameOf(path)}. ` +
            "Files that are not there cannot be read: move them, or start it as before.",
        ]),
  ]
}

/** The settings of an ingest; the time of day is for a user at a terminal. */
type StartSettings = Omit<SettingValues, "logTime"> & Pick<IngestOptions, "logTime">

/**
 * Runs an ingest by its settings, with the token of the environment or the one its data folder keeps.
 *
 * Fails: with a `CommandFailure`; then nothing is left running.
 */
export const startIngest = async (
  { host, port, data, store: storePath, url: givenUrl, scanClamd, scanUrl, scanIngestUrl, ...options }: StartSettings,
  logFormat: LogFormat,
  listen: (host: string, port: number, folder: DataFolder) => Promise<IngestServer> = (address, wanted) =>
    listenForIngest(address, wanted),
): Promise<StartedIngest> => {
  const scan = chooseScanner({ scanClamd, scanUrl, scanIngestUrl })
  const given = readTokenVariable()
  const folder = await openDataFolder(data)
  let server: IngestServer | undefined
  let store: BlobStore | undefined
  try {
    store = await openStore(storePath, folder, logFormat)
    const storeNotes = await describeStore(folder, store, toStorePath(storePath))
    server = await listen(host, port, folder)
    const url = givenUrl ?? `http://localhost:${server.port}`
    const kept = given === undefined ? await keepToken(folder, url) : undefined
    const { text, token, warning } = await settle(folder, given, kept)
    const metricsToken = process.env[envName("metricsToken")]
    const metrics = metricsToken ? { token: metricsToken } : options.metrics
    server.open({ ...options, scan, metrics, folder, store, token: text, url, logFormat })
    // The ingest closes it from now on.
    store = undefined
    await noteStart(folder, { ...options, store: toStorePath(storePath), scanner: describeScanner(scan) })
    const { close } = server
    return {
      url,
      host,
      port: server.port,
      folder,
      text,
      token,
      keptToken: kept?.state ?? null,
      warning,
      storeNotes,
      close,
    }
  } catch (error) {
    try {
      await server?.close()
      await store?.close()
    } finally {
      folder.release()
    }
    throw error
  }
}
