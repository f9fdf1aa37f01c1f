import { resolve } from "node:path"
import { styleText } from "node:util"
import { formatByteSize } from "../../protocol.ts"
import { exitCodes } from "../command-failure.ts"
import { type Deployment, requireCatalogFile } from "../deployment/deployment.ts"
import { requireCatalog } from "../deployment/open-catalog.ts"
import { keepBackupId, openBackup, requireApart, requireSameOrigin } from "./backup-folder.ts"
import { explainFull, isSameDisk } from "./disk-room.ts"
import { makeBackup, type MadeBackup } from "./make-backup.ts"
import { requireManifest } from "./manifest.ts"
import { openReader } from "./open-reader.ts"
import { requireFilesOnDisk } from "../deployment/started-with.ts"
import { showDamaged } from "./show-damaged.ts"

/** Options of a backup. */
export interface BackupOptions {
  /** The folder of an earlier backup: files that it has are linked, not copied. */
  readonly base?: string
  /** Copies even where a link would do. */
  readonly copy?: true
  /** Reads every file of it. */
  readonly verify?: true
  readonly json?: true
}

const say = (made: MadeBackup, path: string, isShared: boolean): void => {
  const { copied, copiedBytes, linked, kept, removed, manifest } = made
  const { files, bytes } = manifest
  console.log(
    `${styleText("green", "Backed up")} ${files} ${files === 1 ? "file" : "files"}, ${formatByteSize(bytes)}, to ${path}: ` +
      `${copied} copied (${formatByteSize(copiedBytes)}), ${linked} linked, ${kept} were there, ${removed} removed.`,
  )
  if (isShared) {
    console.error(
      `This backup is on the same disk as the data: it survives a mistake, but not the loss of the disk. Copy ${path} elsewhere.`,
    )
  }
}

/** What copies a catalog that is no file of ours. */
const databaseRemedy =
  "Back it up by means of PostgreSQL (pg_dump, or base backups with WAL), and then what keeps the files: node_modules/sluice/docs/backup.md says in which order."

/** `sluice backup <folder>`. */
export const runBackup = async (deployment: Deployment, target: string, options: BackupOptions): Promise<void> => {
  const folder = requireCatalogFile(deployment, databaseRemedy)
  const path = resolve(target)
  await requireApart(path, folder.path)
  await requireCatalog(folder)
  await requireFilesOnDisk(
    deployment,
    () =>
      "A backup copies files on disk. Back that store up by means of its own, and the data folder while the ingest is stopped.",
  )
  openReader(folder.catalog).close()
  const id = await keepBackupId(folder)
  if (options.base !== undefined) {
    requireSameOrigin(resolve(options.base), await requireManifest(resolve(options.base)), id, folder.path)
  }
  const opened = await openBackup(path, id, folder.path)
  for (const note of opened.notes) console.error(note)
  try {
    const isShared = await isSameDisk(path, folder.path)
    const made = await makeBackup(folder, opened, {
      base: options.base,
      mayLink: isShared && options.copy === undefined,
      isChecked: options.verify ?? false,
      isShared,
    })
    const { leftOut, createdAt, files, bytes } = made.manifest
    if (leftOut.length > 0) process.exitCode = exitCodes.failed
    if (options.json) {
      const { copied, copiedBytes, linked, kept, removed } = made
      const counts = { files, bytes, copied, copiedBytes, linked, kept, removed }
      console.log(JSON.stringify({ folder: path, createdAt, ...counts, leftOut, sameDisk: isShared }))
      return
    }
    say(made, path, isShared)
    showDamaged(leftOut, "Left out, because the ingest itself has lost them:")
  } catch (error) {
    const remains =
      opened.earlier === undefined
        ? "There is no complete backup in it yet; the next run resumes where this one stopped."
        : `The backup of ${new Date(opened.earlier.createdAt).toISOString()} in it is still complete.`
    throw explainFull(error, path, remains)
  } finally {
    opened.release()
  }
}
