import { join, resolve } from "node:path"
import type { Command } from "commander"
import { addSettings, resolveSettings } from "../settings/setting-options.ts"
import type { SettingValues } from "../settings/settings.ts"

/** Where an ingest keeps everything it owns. All paths are absolute. */
export interface DataFolder {
  readonly path: string
  /** The blob store's folder. */
  readonly blobs: string
  /** The SQLite catalog. */
  readonly catalog: string
  /** The token's text and a newline. All files have mode 0600, folders 0700. */
  readonly tokenFile: string
}

/** Where the bytes of files are: on disk in the data folder, or in what a module opens, whose path is absolute. */
export type StoreChoice = { readonly kind: "disk" } | { readonly kind: "module"; readonly path: string }

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
    tokenFile: join(root, "token"),
  }
}

/** The settings that say which deployment is meant, for a command that reads its catalog alone, and for one that reads files too. */
export const deploymentSettings = { catalog: ["data"], files: ["data", "store"] } as const

/** A setting that says which deployment is meant. */
export type DeploymentSetting = (typeof deploymentSettings.files)[number]

/** The deployment that settings are about; nothing is touched. A command that reads no files has no store to name. */
export const toDeployment = ({ data, store }: SettingValues<"data"> & Partial<SettingValues<"store">>): Deployment => {
  const folder = describeDataFolder(data)
  return {
    folder,
    store: store === undefined ? { kind: "disk" } : { kind: "module", path: resolve(store) },
    describe: () => folder.path,
  }
}

/** Takes the settings of an ingest apart: what it runs on, and how. */
export const splitSettings = <Values extends SettingValues<DeploymentSetting>>({
  data,
  store,
  ...settings
}: Values) => ({
  deployment: toDeployment({ data, store }),
  settings,
})

/** Gives a command the options that say which deployment is meant. */
export const addDeployment = (command: Command, needs: keyof typeof deploymentSettings = "catalog"): Command =>
  addSettings(command, deploymentSettings[needs])

/** The deployment that a command is about. Fails: with a `CommandFailure`, as {@link resolveSettings} does. */
export const resolveDeployment = async (
  command: Command,
  needs: keyof typeof deploymentSettings = "catalog",
): Promise<Deployment> => toDeployment((await resolveSettings(command, deploymentSettings[needs])).values)
