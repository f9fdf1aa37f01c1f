import type { Dirent } from "node:fs"
import { opendir } from "node:fs/promises"
import { join } from "node:path"
import type { Catalog } from "../../ingest.ts"
import { isSystemError } from "../command-failure.ts"
import type { OwnDeployment } from "../deployment/open-deployment.ts"

/** Files of the catalog that are looked at for one whose bytes are on disk: the others may be in the catalog itself. */
const lookedAt = 500

/** Whether a folder has an entry that is meant; one that is not there has none. */
const has = async (folder: string, isMeant: (entry: Dirent) => Promise<boolean> | boolean): Promise<boolean> => {
  try {
    for await (const entry of await opendir(folder)) if (await isMeant(entry)) return true
  } catch (error) {
    if (!isSystemError(error, "ENOENT") && !isSystemError(error, "ENOTDIR")) throw error
  }
  return false
}

/** Whether a folder of a disk store has a blob, finished or not. */
const hasBlobs = (folder: string): Promise<boolean> =>
  has(
    folder,
    ({ name }) =>
      /^[0-9a-f]{2}$/.test(name) && has(join(folder, name), (blob) => /^[0-9a-f]{62}(\.|$)/.test(blob.name)),
  )

/** Whether a catalog knows of any file, and of one whose bytes should be in the store. */
const readCatalog = async (catalog: Pick<Catalog, "list" | "listReclaimable">) => {
  const files = await catalog.list({ limit: lookedAt })
  return {
    knowsAny: files.length > 0 || (await catalog.listReclaimable(1)).length > 0,
    needsBlobs: files.some(({ status, isInline, size }) => status === "Uploaded" && !isInline && size > 0),
  }
}

/**
 * A sentence where a folder is full of files of which the catalog knows none, and where the catalog knows files and the folder has none:
 * one of both is not that of the other, or was lost. What cannot be read the ingest says itself.
 */
export const compareFiles = async (
  { store, folder, describe }: OwnDeployment,
  catalog: Pick<Catalog, "list" | "listReclaimable">,
): Promise<ReadonlyArray<string>> => {
  if (store.kind !== "disk" || folder === null) return []
  const { knowsAny, needsBlobs } = await readCatalog(catalog)
  if (knowsAny && !needsBlobs) return []
  const isFull = await hasBlobs(folder.blobs).catch(() => needsBlobs)
  if (isFull && !knowsAny) {
    return [
      `${folder.blobs} has files, and the catalog of ${describe()} knows none: it is new, or was lost or replaced. Nobody can read those files. Stop the ingest and restore the catalog that belongs to them before anything is uploaded.`,
    ]
  }
  if (isFull || !needsBlobs) return []
  return [
    `The catalog of ${describe()} knows files, and ${folder.blobs} has none: it is new, or not mounted. Those files cannot be read. Put back the folder that belongs to the catalog.`,
  ]
}
