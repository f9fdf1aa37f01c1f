import { join } from "node:path"
import type { DataFolder } from "./data-folder.ts"
import { readRegularFile } from "./regular-file.ts"
import { writeNote } from "./serve/note.ts"
import type { SettingValues } from "./settings/settings.ts"

/** What commands beside an ingest need to know of the settings it was started with. */
export type StartedWith = Pick<SettingValues, "callbackNetworks">

const fileOf = ({ path }: Pick<DataFolder, "path">): string => join(path, "started-with.json")

/** Notes the settings in the data folder. Where that fails others only know less. */
export const noteStart = async (folder: DataFolder, { callbackNetworks }: StartedWith): Promise<void> => {
  await writeNote(fileOf(folder), JSON.stringify({ callbackNetworks })).catch(() => {})
}

/** The settings of the ingest that runs on a data folder, or ran there last; undefined where none has noted them. */
export const readStart = async (folder: DataFolder): Promise<StartedWith | undefined> => {
  try {
    const { callbackNetworks }: Partial<StartedWith> = JSON.parse(await readRegularFile(fileOf(folder)))
    return callbackNetworks === "any" || callbackNetworks === "public" ? { callbackNetworks } : undefined
  } catch {
    return undefined
  }
}
