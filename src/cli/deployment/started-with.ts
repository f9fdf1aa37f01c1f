import { isAbsolute } from "node:path"
import { CommandFailure } from "../command-failure.ts"
import { type BucketChoice, type Deployment, nameStore, nameStoreOptions, type StoreChoice } from "./deployment.ts"
import { findNote } from "./notes.ts"
import type { SettingValues } from "../settings/settings.ts"

/** What other commands need to know about the settings that an ingest was started with. */
export interface StartedWith extends Pick<SettingValues, "callbackNetworks" | "reads"> {
  readonly store: StoreChoice
  /** Where the scanner of held files is, as the log names it: clamd's address, or a URL without its query; null where there is none. */
  readonly scanner: string | null
  /** Its public URL, and the id of its own app's key; null in what older versions noted. */
  readonly url: string | null
  readonly keyId: string | null
  /** Bytes that it keeps free on the disk; undefined in what older versions noted. */
  readonly minimumFree?: number | undefined
}

const noteOf = (deployment: Deployment) => findNote(deployment, "started-with")

/** A store as it is noted: null, the path of a module, or a bucket as it is. */
const toNote = (store: StoreChoice): null | string | BucketChoice => {
  if (store.kind === "disk") return null
  return store.kind === "module" ? store.path : store
}

const fromNote = (note: unknown): StoreChoice => {
  if (typeof note === "string" && isAbsolute(note)) return { kind: "module", path: note }
  const { kind, endpoint, region, bucket, prefix, addressing } = (note ?? {}) as {
    readonly [name in keyof BucketChoice]?: unknown
  }
  const texts = [endpoint, region, bucket, prefix].filter((text) => typeof text === "string")
  if (kind !== "s3" || texts.length < 4) return { kind: "disk" }
  const [at, of, name, below] = texts as [string, string, string, string]
  const isVirtual = addressing === "virtual-host"
  return { kind, endpoint: at, region: of, bucket: name, prefix: below, addressing: isVirtual ? addressing : "path" }
}

/** Notes the settings: of several ingests those of the last one that started. If that fails, other commands only know less. */
export const noteStart = async (
  deployment: Deployment,
  { callbackNetworks, reads, scanner, url, keyId, minimumFree }: Omit<StartedWith, "store">,
): Promise<void> => {
  const note = { callbackNetworks, reads, scanner, url, keyId, minimumFree, store: toNote(deployment.store) }
  await noteOf(deployment)
    .write(JSON.stringify(note))
    .catch(() => {})
}

/** The settings of the ingest that runs on a deployment, or last ran on it; undefined where none has written them. */
export const readStart = async (deployment: Deployment): Promise<StartedWith | undefined> => {
  try {
    const noted = await noteOf(deployment).read()
    if (noted === undefined) return undefined
    const {
      callbackNetworks,
      reads,
      store,
      scanner,
      url,
      keyId,
      minimumFree,
    }: { readonly [name in keyof StartedWith]?: unknown } = JSON.parse(noted)
    if (callbackNetworks !== "any" && callbackNetworks !== "public") return undefined
    // Older versions knew files on disk alone, and noted neither scanner, reads, URL nor key.
    return {
      callbackNetworks,
      reads: reads === "redirect" ? reads : "proxy",
      store: fromNote(store),
      scanner: typeof scanner === "string" ? scanner : null,
      url: typeof url === "string" ? url : null,
      keyId: typeof keyId === "string" ? keyId : null,
      ...(typeof minimumFree === "number" && { minimumFree }),
    }
  } catch {
    return undefined
  }
}

const isSame = (one: StoreChoice, other: StoreChoice): boolean => nameStore(one) === nameStore(other)

/**
 * Fails: with a {@link CommandFailure} where files of a deployment are in a bucket and another store is named, or the other way
 * round: none of them would be found, and those that are deleted would stay. Modules are not told apart, because a path may
 * change.
 *
 * @param what    cannot be done, `Files could not be read`
 * @param hasFiles whether there are any
 * @param more    what else can be done, a sentence
 */
export const requireSameStore = async (
  deployment: Deployment,
  what: string,
  hasFiles: () => boolean | Promise<boolean>,
  more: (howToRemove: string) => string = () => "",
): Promise<void> => {
  const { store } = deployment
  const before = (await readStart(deployment))?.store
  if (before === undefined || isSame(before, store) || (before.kind !== "s3" && store.kind !== "s3")) return
  if (!(await hasFiles())) return
  const how = before.kind === "disk" ? "without --s3-bucket and --store" : `with ${nameStoreOptions(before)}`
  throw new CommandFailure(
    `The ingest of ${deployment.describe()} keeps its files ${nameStore(before)}, and not ${nameStore(store)}. ${what}: run it ${how}.${more(noteOf(deployment).howToRemove)}`,
  )
}

/**
 * Fails: with a {@link CommandFailure} where the ingest of a deployment keeps its files in a store that nobody named. The
 * note alone is no reason to run code: whoever owns the folder may have written it.
 *
 * @param remedy what to do, after the sentence that names the store, given the options that name it
 */
export const requireFilesOnDisk = async (
  deployment: Deployment,
  remedy: (options: string) => string,
): Promise<void> => {
  if (deployment.store.kind !== "disk") return
  const store = (await readStart(deployment))?.store
  if (store === undefined || store.kind === "disk") return
  throw new CommandFailure(
    `The ingest of ${deployment.describe()} keeps its files ${nameStore(store)}, not on disk. ${remedy(nameStoreOptions(store))}`,
  )
}
