import { join, resolve } from "node:path"
import type { Command } from "commander"
import { CommandFailure } from "../command-failure.ts"
import { addHelpAll } from "../terminal/help.ts"
import { addSettings, resolveSettings } from "../settings/setting-options.ts"
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

/**
 * What an ingest runs on and commands work on: which catalog, which store, which tokens. Nothing of it is open yet: that
 * is what `withDeployment` and `withOwnDeployment` do.
 */
export interface Deployment {
  /** Catalog, token and lock are in it, and so are the files where the store is the disk. */
  readonly folder: DataFolder
  /** The disk where nothing else was said. */
  readonly store: StoreChoice
  /** What messages call it. */
  readonly describe: () => string
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
  catalog: ["data"],
  files: ["data", "store", "s3Bucket", "s3Endpoint", "s3Region", "s3Prefix", "s3Addressing"],
  /** For one that looks at a bucket, and runs no code of others. */
  bucket: ["data", "s3Bucket", "s3Endpoint", "s3Region", "s3Prefix", "s3Addressing"],
} as const

/** A setting that says which deployment is meant. */
export type DeploymentSetting = (typeof deploymentSettings.files)[number]

/** Settings that say where files are. A command that reads none has no store to name. */
type StoreSettings = Partial<SettingValues<Exclude<DeploymentSetting, "data">>>

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
 * Fails: with a {@link CommandFailure} where they name no store that can be.
 */
export const toDeployment = ({ data, ...settings }: SettingValues<"data"> & StoreSettings): Deployment => {
  const folder = describeDataFolder(data)
  return { folder, store: chooseStore(settings), describe: () => folder.path }
}

/** Takes the settings of an ingest apart: what it runs on, and how. */
export const splitSettings = <Values extends SettingValues<DeploymentSetting>>({
  data,
  store,
  s3Bucket,
  s3Endpoint,
  s3Region,
  s3Prefix,
  s3Addressing,
  ...settings
}: Values) => ({
  deployment: toDeployment({ data, store, s3Bucket, s3Endpoint, s3Region, s3Prefix, s3Addressing }),
  settings,
})

/** What the help shows of these settings without `--help-all`: the others are about a bucket. */
const firstSettings: ReadonlySet<string> = new Set(["data", "store", "s3Bucket", "config"])

/** Gives a command the options that say which deployment is meant. */
export const addDeployment = (command: Command, needs: keyof typeof deploymentSettings = "catalog"): Command => {
  const withSettings = addSettings(command, deploymentSettings[needs])
  return needs === "catalog" ? withSettings : addHelpAll(withSettings, firstSettings)
}

/** The deployment that a command is about. Fails: with a `CommandFailure`, as {@link resolveSettings} does. */
export const resolveDeployment = async (
  command: Command,
  needs: keyof typeof deploymentSettings = "catalog",
): Promise<Deployment> => toDeployment((await resolveSettings(command, deploymentSettings[needs])).values)
