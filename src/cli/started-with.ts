import { isAbsolute, join } from "node:path"
import { CommandFailure } from "./command-failure.ts"
import type { DataFolder } from "./data-folder.ts"
import { readRegularFile } from "./regular-file.ts"
import { writeNote } from "./serve/note.ts"
import type { SettingValues } from "./settings/settings.ts"

/** What other commands need to know about the settings that an ingest was started with. */
export interface StartedWith extends Pick<SettingValues, "callbackNetworks"> {
  /** The module that opens its blob store, absolute; null where files are on disk. */
  readonly store: string | null
  /** Where the scanner of held files is, as the log names it: clamd's address, or a URL without its query; null where there is none. */
  readonly scanner: string | null
}

const fileOf = ({ path }: Pick<DataFolder, "path">): string => join(path, "started-with.json")

/** Writes the settings to the data folder. If that fails, other commands only know less. */
export const noteStart = async (
  folder: DataFolder,
  { callbackNetworks, store, scanner }: StartedWith,
): Promise<void> => {
  await writeNote(fileOf(folder), JSON.stringify({ callbackNetworks, store, scanner })).catch(() => {})
}

/** The settings of the ingest that runs on a data folder, or last ran on it; undefined where none has written them. */
export const readStart = async (folder: DataFolder): Promise<StartedWith | undefined> => {
  try {
    const { callbackNetworks, store, scanner }: Partial<StartedWith> = JSON.parse(await readRegularFile(fileOf(folder)))
    if (callbackNetworks !== "any" && callbackNetworks !== "public") return undefined
    // Older versions knew files on disk alone, and noted no scanner.
    return {
      callbackNetworks,
      store: typeof store === "string" && isAbsolute(store) ? store : null,
      scanner: typeof scanner === "string" ? scanner : null,
    }
  } catch {
    return undefined
  }
}

/**
 * Fails: with a {@link CommandFailure} where the ingest of a data folder keeps its files in a store that nobody named. The
 * note alone is no reason to run code: whoever owns the folder may have written it.
 *
 * @param remedy what to do, after the sentence that names the store
 */
export const requireFilesOnDisk = async (folder: DataFolder, remedy: (store: string) => string): Promise<void> => {
  const store = (await readStart(folder))?.store ?? null
  if (store === null) return
  throw new CommandFailure(
    `The ingest of ${folder.path} keeps its files in the store ${store}, not on disk. ${remedy(store)}`,
  )
}
