import { rm } from "node:fs/promises"
import { join } from "node:path"
import { makeFolder } from "../../ingest.ts"
import { listOwn, requireApart } from "../backup/backup-folder.ts"
import { CommandFailure, toFolderFailure } from "../command-failure.ts"
import { closeParts, findExposure, requireOwnFolder } from "../deployment/data-folder-access.ts"
import type { DataFolder } from "../deployment/deployment.ts"
import { type ExportHeader, indexName, isDraft, openIndex, partName, readIndexHeader } from "./export-index.ts"

/** The folder of an export. */
export interface OpenedExport {
  /** Whether an earlier export of the same owner has left files there. */
  readonly isResumed: boolean
  /** Notes for the user on who could read it. */
  readonly notes: ReadonlyArray<string>
}

/** Whether there is an export of this owner in a folder. Fails: with a {@link CommandFailure} where anything else is. */
const findEarlier = async (path: string, { appId, owner }: ExportHeader): Promise<boolean> => {
  const names = (await listOwn(path)) ?? []
  const earlier = await readIndexHeader(path)
  if (earlier === undefined && names.every(isDraft)) return false
  const advice = "Choose a folder that is empty, or does not exist. Nothing was changed."
  if (earlier === undefined || earlier === null) {
    throw new CommandFailure(`${path} holds other files and no export. ${advice}`)
  }
  if (earlier.appId === appId && earlier.owner === owner) return true
  throw new CommandFailure(
    `${path} holds the export of another owner, ${JSON.stringify(earlier.owner)} of the app ${earlier.appId}. ${advice}`,
  )
}

/**
 * Opens the folder of an export, for this user alone, and creates it where it is missing. From then on it says whose it is.
 *
 * Fails: with a {@link CommandFailure} where it holds anything else, or others could put links there.
 */
export const openExport = async (
  path: string,
  data: DataFolder | null,
  header: ExportHeader,
): Promise<OpenedExport> => {
  if (data !== null) await requireApart(path, data.path)
  const exposure = await findExposure(path, "").catch((error: unknown) => {
    throw toFolderFailure("folder", path, error)
  })
  if (exposure !== undefined) throw new CommandFailure(`The folder ${path} is not safe for personal data: ${exposure}`)
  await requireOwnFolder(path, "Make the export")
  const isResumed = await findEarlier(path, header)
  try {
    makeFolder(path)
    await rm(join(path, partName), { force: true })
    if (!isResumed) await (await openIndex(path, { ...header, isComplete: false })).commit()
    // A folder that held nothing is closed; in any other one are things of others by now.
    const isOurs = (name: string): boolean => !isResumed && name === indexName
    return { isResumed, notes: await closeParts({ path, folders: [], files: [], isOwnName: isOurs }) }
  } catch (error) {
    if (error instanceof CommandFailure) throw error
    throw toFolderFailure("folder", path, error)
  }
}
