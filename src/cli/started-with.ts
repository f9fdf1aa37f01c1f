import { join } from "node:path"
import type { DataFolder } from "./data-folder.ts"
import { readRegularFile } from "./regular-file.ts"
import { writeNote } from "./serve/note.ts"
import type { SettingValues } from "./settings/settings.ts"

/** What other commands need to know about the settings that an ingest was started with. */
export type StartedWith = Pick<SettingValues, "callbackNetworks">

const fileOf = ({ path }: Pick<DataFolder, "path">): string => join(path, "started-with.json")

/** Writes the settings to the data folder. If that fails, other commands only know less. */
export const noteStart = async (folder: DataFolder, { callbackNetworks }: StartedWith): Promise<void> => {
  await writeNote(fileOf(folder), JSON.stringify({ callbackNetworks })).catch(() => {})
}

/** The settings of the ingest that runs on a data folder, or last ran on it; undefined where none has written them. */
export const readStart = async (folder: DataFolder): Promise<StartedWith | undefined> => {
  try {
    const { callbackNetworks }: Partial<StartedWith> = JSON.parse(await readRegularFile(fileOf(folder)))
    return callbackNetworks === "any" || callbackNetworks === "public" ? { callbackNetworks } : undefined
  } catch {
    return undefined
  }
}
