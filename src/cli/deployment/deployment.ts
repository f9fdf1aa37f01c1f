import { join, resolve } from "node:path"
import type { Command } from "commander"
import { envName } from "../../protocol.ts"
import { CommandFailure } from "../command-failure.ts"
import { nameDatabase } from "../settings/database-url.ts"
import { addHelpAll } from "../terminal/help.ts"
import { addSettings, resolveSettings, type SettingSource } from "../settings/setting-options.ts"
import { ingestSettings, type SettingValues } from "../settings/settings.ts"

/** Where an ingest keeps everything it owns. All paths are absolute. */
export interface DataFolder {
  readonly path: string
  /** The blob store's folder. */
  readonly blobs: string
  /** The SQLite catalog. */
  readonly catalog: string
  /** How far unfinished files are that go to a bucket. */
  readonly journal: string
  /** The token's text and a newline. All files have mode 0600, folders 0700. */
  readonly tokenFile: string
}

/** A bucket of an S3-compatible store. */
export interface BucketChoice {
  readonly kind: "s3"
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  /** Empty, or with a slash at its end. */
  readonly prefix: string
  readonly addressing: "path" | "virtual-host"
}

/** Where the bytes of files are: on disk in the data folder, in what a module opens, whose path is absolute, or in a bucket. */
export type StoreChoice = { readonly kind: "disk" } | { readonly kind: "module"; readonly path: string } | BucketChoice

/** A database of PostgreSQL that has a catalog in it. */
export interface DatabaseChoice {
  /** With its password: it is shown to nobody. */
  readonly url: string
  readonly schema: string
  /** Host and database, for sentences: `db.example/uploads`. */
  readonly place: string
  /** Where the URL was given: `SLUICE_DATABASE_URL`, `--database-url`, or the path of a configuration file. */
  readonly source: string
}

interface DeploymentBase {
  /** The disk where nothing else was said. */
  readonly store: StoreChoice
  /** What messages call it. */
  readonly describe: () => string
}

/** A deployment whose catalog is in its data folder, with token and lock, and the files where the store is the disk. */
export interface FolderDeployment extends DeploymentBase {
  readonly folder: DataFolder
  readonly database: null
}

/** A deployment whose catalog is in a database. */
export interface DatabaseDeployment extends DeploymentBase {
  /** Token and lock are in it, and files where the store is the disk; null: nothing of it is on this machine. */
  readonly folder: DataFolder | null
  readonly database: DatabaseChoice
}

/**
 * What an ingest runs on and commands work on: which catalog, which store, which tokens. Nothing of it is open yet: that
 * is what `withDeployment` and `withOwnDeployment` do.
 */
export type Deployment = FolderDeployment | DatabaseDeployment

/**
 * The data folder of a deployment.
 *
 * Fails: with a {@link CommandFailure} where it has none.
 */
export const requireFolder = ({ folder, describe }: Deployment): DataFolder => {
  if (folder !== null) return folder
  throw new CommandFailure(`The ingests of ${describe()} have no data folder: say with --data which one is meant.`)
}

/**
 * The data folder of a deployment whose catalog is in it.
 *
 * @param remedy what to do where it is in a database, a sentence
 *
 * Fails: with a {@link CommandFailure} where it is in a database.
 */
export const requireCatalogFile = ({ folder, database, describe }: Deployment, remedy: string): DataFolder => {
  if (database === null) return folder
  throw new CommandFailure(`The catalog is in ${describe()}. ${remedy}`)
}

/** The paths of a data folder; nothing is touched. */
export const describeDataFolder = (path: string): DataFolder => {
  const root = resolve(path)
  return {
    path: root,
    blobs: join(root, "files"),
    catalog: join(root, "catalog.sqlite"),
    journal: join(root, "journal.sqlite"),
    tokenFile: join(root, "token"),
  }
}

/** The settings that say which deployment is meant, for a command that reads its catalog alone, and for one that reads files too. */
export const deploymentSettings = {
  /** For one that asks a running ingest, and needs its token alone. */
  token: ["data"],
  catalog: ["data", "databaseUrl", "databaseSchema"],
  files: [
    "data",
    "databaseUrl",
    "databaseSchema",
    "store",
    "s3Bucket",
    "s3Endpoint",
    "s3Region",
    "s3Prefix",
    "s3Addressing",
  ],
  /** For one that looks at a bucket, and runs no code of others. */
  bucket: ["data", "databaseUrl", "databaseSchema", "s3Bucket", "s3Endpoint", "s3Region", "s3Prefix", "s3Addressing"],
} as const

/** A setting that says which deployment is meant. */
export type DeploymentSetting = (typeof deploymentSettings.files)[number]

/** Settings that say where files are. A command that reads none has no store to name. */
type StoreSettings = Partial<SettingValues<Exclude<DeploymentSetting, "data" | "databaseUrl" | "databaseSchema">>>

/** Where settings were given. */
export type Sources = ReadonlyArray<Pick<SettingSource, "name" | "source">>

/** Settings that say where the catalog is. */
type CatalogSettings = SettingValues<"data"> & Partial<SettingValues<"databaseUrl" | "databaseSchema">>

/** Fails: with a {@link CommandFailure} where two stores are named, or a part of one. */
const chooseStore = ({ store, s3Bucket, s3Endpoint, s3Region, s3Prefix, s3Addressing }: StoreSettings): StoreChoice => {
  if (s3Bucket === undefined) {
    const part = s3Endpoint === undefined ? s3Prefix && "s3Prefix" : "s3Endpoint"
    if (part !== undefined) throw new CommandFailure(`${part} is for a bucket: set s3Bucket too.`)
    return store === undefined ? { kind: "disk" } : { kind: "module", path: resolve(store) }
  }
  if (store !== undefined) {
    throw new CommandFailure("store and s3Bucket are both set, and files are in one place: leave one of them out.")
  }
  const region = s3Region ?? ingestSettings.s3Region.initial
  return {
    kind: "s3",
    endpoint: s3Endpoint ?? `https://s3.${region}.amazonaws.com`,
    region,
    bucket: s3Bucket,
    prefix: s3Prefix ?? "",
    addressing: s3Addressing ?? "path",
  }
}

/** What a sentence says of files that are there: `on disk`, `in the store /srv/my-store.ts`, `in the bucket files of …`. */
export const nameStore = (store: StoreChoice): string => {
  if (store.kind === "disk") return "on disk"
  if (store.kind === "module") return `in the store ${store.path}`
  const { bucket, endpoint, prefix } = store
  return `in the bucket ${bucket} of ${endpoint}${prefix === "" ? "" : `, below ${prefix}`}`
}

/** The options that name a store, for another command. */
export const nameStoreOptions = (store: StoreChoice): string => {
  if (store.kind === "disk") return ""
  if (store.kind === "module") return `--store ${store.path}`
  const { bucket, endpoint, region, prefix, addressing } = store
  const isDefault = addressing === ingestSettings.s3Addressing.initial
  return [
    `--s3-bucket ${bucket} --s3-endpoint ${endpoint} --s3-region ${region}`,
    ...(prefix === "" ? [] : [`--s3-prefix ${prefix}`]),
    ...(isDefault ? [] : [`--s3-addressing ${addressing}`]),
  ].join(" ")
}

/**
 * The deployment that settings are about; nothing is touched.
 *
 * @param manner.usesData whether a data folder belongs to a catalog that is in a database: it does where files are on disk
 *
 * Fails: with a {@link CommandFailure} where they name no store that can be.
 */
export const toDeployment = (
  { data, databaseUrl, databaseSchema, ...settings }: CatalogSettings & StoreSettings,
  { usesData = true, sources = [] }: { readonly usesData?: boolean; readonly sources?: Sources } = {},
): Deployment => {
  const folder = describeDataFolder(data)
  const store = chooseStore(settings)
  if (databaseUrl === undefined) return { folder, database: null, store, describe: () => folder.path }
  const place = nameDatabase(databaseUrl)
  return {
    folder: usesData && store.kind !== "s3" ? folder : null,
    database: {
      url: databaseUrl,
      schema: databaseSchema ?? ingestSettings.databaseSchema.initial,
      place,
      source: sources.find(({ name }) => name === "databaseUrl")?.source ?? envName("databaseUrl"),
    },
    store,
    describe: () => `PostgreSQL ${place}`,
  }
}

/** Takes the settings of an ingest apart: what it runs on, and how. */
export const splitSettings = <Values extends SettingValues<DeploymentSetting>>(
  {
    data,
    databaseUrl,
    databaseSchema,
    store,
    s3Bucket,
    s3Endpoint,
    s3Region,
    s3Prefix,
    s3Addressing,
    ...settings
  }: Values,
  sources: Sources = [],
) => ({
  deployment: toDeployment(
    { data, databaseUrl, databaseSchema, store, s3Bucket, s3Endpoint, s3Region, s3Prefix, s3Addressing },
    { sources },
  ),
  settings,
})

/** What the help shows of these settings without `--help-all`: the others are about a bucket. */
const firstSettings: ReadonlySet<string> = new Set(["data", "databaseUrl", "store", "s3Bucket", "config"])

/** Gives a command the options that say which deployment is meant. */
export const addDeployment = (command: Command, needs: keyof typeof deploymentSettings = "catalog"): Command => {
  const withSettings = addSettings(command, deploymentSettings[needs])
  if (needs !== "catalog" && needs !== "token") return addHelpAll(withSettings, firstSettings)
  for (const option of withSettings.options) option.hideHelp(option.attributeName() === "databaseSchema")
  return withSettings
}

/** The deployment that a command is about. Fails: with a `CommandFailure`, as {@link resolveSettings} does. */
export const resolveDeployment = async (
  command: Command,
  needs: keyof typeof deploymentSettings = "catalog",
): Promise<Deployment> => {
  const { values, sources } = await resolveSettings(command, deploymentSettings[needs])
  // One that reads no files does not know where they are: a folder that nobody named may be of another ingest.
  return toDeployment(values, { usesData: needs !== "catalog" || sources.some(({ name }) => name === "data"), sources })
}
