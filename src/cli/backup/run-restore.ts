import { constants } from "node:fs"
import { chmod, copyFile, lchown, lstat, open, rm } from "node:fs/promises"
import { join, resolve } from "node:path"
import { styleText } from "node:util"
import { createBlobCopier, dropFromSnapshot, makeFolder, flushFolder, renameFile } from "../../ingest.ts"
import { formatByteSize } from "../../protocol.ts"
import { CommandFailure, exitCodes, toFolderFailure } from "../command-failure.ts"
import { closeParts, hasModes, isOwnName, requireSafeFolder } from "../deployment/data-folder-access.ts"
import { lockDataFolder } from "../deployment/data-folder-lock.ts"
import { backupIdName, restoringName, toParts } from "../deployment/data-folder.ts"
import { type DataFolder, type Deployment, requireCatalogFile } from "../deployment/deployment.ts"
import { findIrregular, readRegularFile, walkFolder } from "../regular-file.ts"
import { createProgress } from "../terminal/progress.ts"
import { listOwn, lockBackup, requireApart } from "./backup-folder.ts"
import { copyFiles, listStored } from "./copy-files.ts"
import { explainFull, requireRoom } from "./disk-room.ts"
import { type LeftOut, type Manifest, replaceFile, requireManifest } from "./manifest.ts"
import { openReader } from "./open-reader.ts"
import { requireSound } from "./run-verify.ts"
import { showDamaged } from "./show-damaged.ts"

/** Options of a restore. */
export interface RestoreOptions {
  /** Continues without the files that are damaged in the backup. */
  readonly leaveOut?: true
  readonly json?: true
}

/** Content of the file that exists while a backup is being restored. */
const restoringText = "sluice backup restore is at work here.\n"

/** Names that only a restore puts into a data folder, not an ingest. */
const isDraft = (name: string): boolean => /^(catalog\.sqlite|token|restoring|\.gitignore)\.part(-\w+)?$/.test(name)

/**
 * Whether a folder's content was left by a restore that was killed. A file of that name alone is no proof: an empty
 * one only counts if nothing else is there yet.
 */
const isLeftOfRestore = async (path: string, names: ReadonlyArray<string>): Promise<boolean> => {
  const file = join(path, restoringName)
  if (!names.includes(restoringName)) return names.every((name) => name === `${restoringName}.part`)
  if (!(await lstat(file)).isFile()) return false
  const isBegun = names.every((name) => name === restoringName || /^lock\.sqlite(-\w+)?$/.test(name))
  const text = await readRegularFile(file)
  const isOurs = text.startsWith(restoringText) && names.every((name) => isOwnName(name) || isDraft(name))
  return (text === "" && isBegun) || isOurs
}

/** A user of this machine, and a group. */
interface Owner {
  readonly uid: number
  readonly gid: number
}

/** The user for whom an interrupted restore was made; undefined where that is the user who made it. */
const readOwner = async (path: string): Promise<Owner | undefined> => {
  const text = await readRegularFile(join(path, restoringName)).catch(() => "")
  const [, uid, gid] = /^For the user (\d+), group (\d+)\.$/m.exec(text) ?? []
  return uid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) }
}

/**
 * Root restores for the user who owns the folder. Until that is done root owns the folder, because its owner could
 * otherwise put a link where root writes.
 *
 * @returns that user; undefined where the folder is already root's, or another user restores
 */
const takeFolder = async (path: string): Promise<Owner | undefined> => {
  if (process.getuid?.() !== 0 || !(await hasModes(path))) return undefined
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    const { uid, gid } = await handle.stat()
    if (uid === 0) return undefined
    await handle.chown(0, 0)
    await handle.chmod(0o700)
    return { uid, gid }
  } finally {
    await handle.close()
  }
}

/** Lets an ingest start on a folder, and gives it to its user, the folder itself last. */
const handOver = async (path: string, owner: Owner | undefined): Promise<void> => {
  const give = async (one: string) => owner && lchown(one, owner.uid, owner.gid)
  for await (const [inner] of walkFolder(path)) await give(inner)
  await rm(join(path, restoringName))
  await flushFolder(path)
  await give(path)
}

/** A data folder that a backup is restored into, locked by this command. */
interface RestoreTarget {
  /** Whether it resumes a restore that was killed. */
  readonly isResumed: boolean
  /** Its future owner, where root restores for another user. */
  readonly owner: Owner | undefined
  /** Releases the lock. */
  readonly release: () => void
}

/** Fails: with a {@link CommandFailure} where a folder holds anything that no restore of this user has put there. */
const requireFree = async (folder: DataFolder): Promise<boolean> => {
  const { path } = folder
  const names = (await listOwn(path, "data folder", "--data")) ?? []
  if (names.length === 0) return false
  const owner = (await hasModes(path)) ? process.geteuid?.() : undefined
  const isOurs =
    (await isLeftOfRestore(path, names)) && (await findIrregular(path, owner).catch(() => path)) === undefined
  if (isOurs) return true
  throw new CommandFailure(
    `The folder ${path} is not empty. A backup is restored into an empty one, or one that does not exist: move what is there away.`,
  )
}

/** Creates the data folder, or takes an empty one, or one in which a restore was killed. */
const openTarget = async (folder: DataFolder): Promise<RestoreTarget> => {
  const { path } = folder
  try {
    await requireSafeFolder(path)
    await requireFree(folder)
    makeFolder(path)
    const taken = await takeFolder(path)
    let isResumed: boolean
    try {
      // Again: until now its owner could put something there.
      isResumed = await requireFree(folder)
    } catch (error) {
      if (taken !== undefined) await lchown(path, taken.uid, taken.gid)
      throw error
    }
    const owner = taken ?? (await readOwner(path))
    const note = owner === undefined ? "" : `For the user ${owner.uid}, group ${owner.gid}.\n`
    await replaceFile(path, restoringName, restoringText + note)
    await (await open(join(path, "lock.sqlite"), "a", 0o600)).close()
    await flushFolder(path)
    for (const warning of await closeParts(toParts(folder))) console.error(warning)
    const release = lockDataFolder(path, `Another command is using ${path} already. Wait until it has finished.`)
    return { isResumed, owner, release }
  } catch (error) {
    if (error instanceof CommandFailure) throw error
    throw toFolderFailure("data folder", path, error, "--data")
  }
}

/** The files of a backup according to its catalog, and which of them are damaged. */
interface Restored {
  readonly files: number
  readonly bytes: number
  readonly left: ReadonlyArray<LeftOut>
}

/** Restores everything; returns which files could not be restored because they are damaged in the backup. */
const restore = async (
  path: string,
  manifest: Manifest,
  folder: DataFolder,
  {
    leavesOut,
    isResumed,
    owner,
    token,
  }: Pick<RestoreTarget, "isResumed" | "owner"> & { readonly leavesOut: boolean; readonly token: string | null },
): Promise<Restored> => {
  const source = join(path, manifest.catalog)
  const catalog = openReader(source)
  const progress = createProgress("Restoring", catalog.sum().blobBytes)
  const copier = createBlobCopier({
    from: join(path, "files"),
    to: folder.blobs,
    // Files left by a restore that was killed are read again.
    isChecked: true,
    onRead: progress.advance,
  })
  try {
    await requireRoom(folder.path, source, catalog, copier, { isShared: false, copies: true })
    makeFolder(folder.blobs)
    const { damaged } = await copyFiles(catalog, copier, { checksContent: true })
    const left = damaged.map(({ key, name, reason }) => ({ key, name, reason }))
    if (damaged.length > 0 && !leavesOut) return { ...catalog.sum(), left }
    // The restore that was killed may have been of another backup.
    if (isResumed) await copier.prune(listStored(catalog))
    const draft = `${folder.catalog}.part`
    // A leftover journal would be taken for that of the new copy.
    for (const ending of ["", "-journal", "-wal", "-shm"]) await rm(draft + ending, { force: true })
    await copyFile(source, draft)
    await chmod(draft, 0o600)
    const rows = damaged.map(({ row }) => row)
    if (rows.length > 0) await dropFromSnapshot({ file: draft }, rows, Date.now())
    if (token !== null) await replaceFile(folder.path, "token", token)
    // From here on it is another data folder: its files may get the names that other files have in backups of the old one.
    await rm(join(folder.path, backupIdName), { force: true })
    await replaceFile(folder.path, ".gitignore", "*\n")
    await renameFile(draft, folder.catalog)
    await flushFolder(folder.path)
    await handOver(folder.path, owner)
    return { ...catalog.sum(), left }
  } finally {
    progress.end()
    catalog.close()
  }
}

/** `sluice backup restore`. */
export const runRestore = async (source: string, deployment: Deployment, options: RestoreOptions): Promise<void> => {
  const folder = requireCatalogFile(
    deployment,
    "A backup is restored into a data folder: leave out databaseUrl. What pg_dump wrote is restored by pg_restore.",
  )
  const path = resolve(source)
  await requireManifest(path)
  await requireApart(path, folder.path)
  const unlock = lockBackup(path)
  try {
    const manifest = await requireManifest(path)
    const { token } = await requireSound(path, manifest)
    const { release: unlockData, ...target } = await openTarget(folder)
    let restored: Restored
    try {
      restored = await restore(path, manifest, folder, { ...target, token, leavesOut: options.leaveOut ?? false })
    } catch (error) {
      throw explainFull(error, folder.path, "No ingest starts on what is there until the restore has ended.")
    } finally {
      unlockData()
    }
    const { bytes, left: damaged } = restored
    const isComplete = damaged.length === 0 || options.leaveOut === true
    if (damaged.length > 0) process.exitCode = exitCodes.failed
    const files = restored.files - damaged.length
    if (options.json) {
      const { createdAt } = manifest
      console.log(JSON.stringify({ folder: folder.path, isComplete, createdAt, files, bytes, damaged }))
      return
    }
    showDamaged(damaged, "Damaged in the backup:")
    if (!isComplete) {
      throw new CommandFailure(
        `${damaged.length} of ${restored.files} files are damaged in the backup. Restore another backup into an empty folder, ` +
          "or run this again with --leave-out-damaged: all other files are in place.",
      )
    }
    console.log(
      `${styleText("green", "Restored")} ${files} ${files === 1 ? "file" : "files"}, ${formatByteSize(bytes)}, to ${folder.path}, ` +
        `as they were at ${new Date(manifest.createdAt).toISOString()}. Each was compared with its SHA-256.`,
    )
  } finally {
    unlock()
  }
}
