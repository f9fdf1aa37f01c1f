import { randomUUID } from "node:crypto"
import { accessSync, constants } from "node:fs"
import { link, open, readdir, realpath, rename, rm, stat, writeFile } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { makeFolder } from "../../ingest.ts"
import { CommandFailure, describeSystemError, isSystemError, toFolderFailure } from "../command-failure.ts"
import { closeParts, findExposure, hasModes } from "../data-folder-access.ts"
import { lockDataFolder } from "../data-folder-lock.ts"
import { backupIdName, type DataFolder, giveToOwner } from "../data-folder.ts"
import { isInside } from "../is-inside.ts"
import { readRegularFile } from "../regular-file.ts"
import { flushFolder, isBackupId, type Manifest, readManifest, writeManifest } from "./manifest.ts"

/** What a file system puts into the root of a disk by itself. */
const isOfSystem = (name: string): boolean => name === "lost+found"

/**
 * What is in a folder, without what a file system puts there; undefined where there is no such folder.
 *
 * @param what what the folder is to the user
 * @param option how another is given
 */
export const listOwn = async (
  path: string,
  what = "folder",
  option = "",
): Promise<ReadonlyArray<string> | undefined> => {
  try {
    return (await readdir(path)).filter((name) => !isOfSystem(name))
  } catch (error) {
    // What is in the way is named by the one that makes the folder.
    if (isSystemError(error, "ENOENT") || isSystemError(error, "ENOTDIR")) return undefined
    throw toFolderFailure(what, path, error, option)
  }
}

/** The path without links, also of what is not there yet. */
const toReal = async (path: string): Promise<string> => {
  try {
    return await realpath(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(await toReal(parent), path.slice(parent.length))
  }
}

/** Fails: with a {@link CommandFailure} where one of two folders is the other, or lies in it. */
export const requireApart = async (backup: string, data: string): Promise<void> => {
  const [one, other] = await Promise.all([toReal(resolve(backup)), toReal(resolve(data))])
  if (isInside(one, other) || isInside(other, one)) {
    throw new CommandFailure(
      `One of ${backup} and the data folder ${data} contains the other. Choose a folder outside of it.`,
    )
  }
}

/**
 * What tells a data folder from every other: made by its first backup. One that is restored gets another one.
 *
 * It keeps a backup from being replaced by that of an empty folder, as an ingest makes it where a disk was not mounted.
 */
export const keepBackupId = async (folder: DataFolder): Promise<string> => {
  const file = join(folder.path, backupIdName)
  let isThere = true
  try {
    const id = (await readRegularFile(file)).trim()
    if (isBackupId(id)) return id
  } catch (error) {
    isThere = !isSystemError(error, "ENOENT")
    if (isThere) {
      throw new CommandFailure(`${file} cannot be read: ${describeSystemError(error)}.`)
    }
  }
  const id = randomUUID()
  const draft = `${file}.${process.pid}.part`
  try {
    const handle = await open(draft, "wx", 0o600)
    try {
      await handle.writeFile(`${id}\n`)
      await giveToOwner(handle, folder.path)
      await handle.sync()
    } finally {
      await handle.close()
    }
    // One that is no id is what a full disk has left: it is replaced. Else of two commands the first has its way.
    if (isThere) await rename(draft, file)
    else await link(draft, file)
    await flushFolder(folder.path)
  } catch (error) {
    if (isSystemError(error, "EEXIST")) return await keepBackupId(folder)
    throw new CommandFailure(`The first backup of a data folder writes ${file}: ${describeSystemError(error)}.`)
  } finally {
    await rm(draft, { force: true })
  }
  return id
}

/** Takes the lock of a backup's folder; one that nobody can write to needs none. */
export const lockBackup = (path: string): (() => void) => {
  try {
    accessSync(path, constants.W_OK)
  } catch {
    return () => {}
  }
  return lockDataFolder(
    path,
    `Another sluice command is using the backup in ${path}. Wait until it has finished, or choose another folder.`,
  )
}

/** A backup's folder, for this command alone. */
export interface OpenedBackup {
  readonly path: string
  /** Of the data folder. */
  readonly id: string
  /** The complete backup that is there, if any. */
  readonly earlier: Manifest | undefined
  /** What people should know of who could read it. */
  readonly notes: ReadonlyArray<string>
  readonly release: () => void
}

/** What a backup's folder has before anything is in it: all that a command which was killed at its very beginning has made. */
const isOfBeginning = (name: string): boolean => /^(\.gitignore|lock\.sqlite(-\w+)?|backup\.json\.part)$/.test(name)

/** Names of all we ever put into a backup's folder, and of what a file system has in its root. */
const isOwnName = (name: string): boolean =>
  isOfBeginning(name) ||
  isOfSystem(name) ||
  /^(files|backup\.json|(catalog-\d+\.sqlite|token-\d+)(-\w+)?(\.part)?(-\w+)?)$/.test(name)

/** Closes a backup to other users of this machine, as an ingest does its data folder; what people should know of that. */
const closeBackup = async (path: string): Promise<ReadonlyArray<string>> => {
  const names = (await readdir(path)).filter((name) => isOwnName(name) && !isOfSystem(name) && name !== ".gitignore")
  const files = names.filter((name) => name !== "files").map((name) => join(path, name))
  return closeParts({ path, folders: [join(path, "files")], files, isOwnName })
}

/** Fails: with a {@link CommandFailure} where the backup is one of another data folder. */
export const requireSameOrigin = (path: string, manifest: Manifest, id: string, data: string): void => {
  if (manifest.id === id) return
  throw new CommandFailure(
    `The backup in ${path} is of another data folder than ${data}, and was left as it is. ` +
      `Was a disk not mounted when the ingest started? If ${data} is the right one, choose another folder for its backup.`,
  )
}

/** Fails: with a {@link CommandFailure} where root would write into another user's folder, who can put links there. */
const requireOwnFolder = async (path: string): Promise<void> => {
  if (process.getuid?.() !== 0) return
  const { uid } = await stat(path).catch(() => ({ uid: 0 }))
  if (uid === 0 || !(await hasModes(path))) return
  throw new CommandFailure(
    `The folder ${path} belongs to another user (uid ${uid}). Make the backup as that user, or choose a folder of root's.`,
  )
}

/**
 * Opens the folder of a backup, and makes it where it is missing.
 *
 * Fails: with a {@link CommandFailure} when it holds something else, or the backup of another data folder, when another
 * command is at work on it, and when others could read or replace it.
 */
export const openBackup = async (path: string, id: string, data: string): Promise<OpenedBackup> => {
  const exposure = await findExposure(path).catch((error: unknown) => {
    throw toFolderFailure("folder", path, error)
  })
  if (exposure !== undefined) throw new CommandFailure(`The folder ${path} is not safe for a backup: ${exposure}`)
  await requireOwnFolder(path)
  const names = (await listOwn(path)) ?? []
  const manifest = await readManifest(path)
  const isFree = names.every(isOfBeginning)
  if (manifest === undefined && !isFree) {
    throw new CommandFailure(
      `${path} holds other files and no backup. Choose a folder that is empty, or does not exist.`,
    )
  }
  if (manifest !== undefined) requireSameOrigin(path, manifest, id, data)
  try {
    makeFolder(path)
    for (const [name, content] of [
      [".gitignore", "*\n"],
      ["lock.sqlite", ""],
    ] as const) {
      await writeFile(join(path, name), content, { flag: "wx", mode: 0o600 }).catch((error: unknown) => {
        if (!isSystemError(error, "EEXIST")) throw error
      })
    }
  } catch (error) {
    throw toFolderFailure("folder", path, error)
  }
  const release = lockBackup(path)
  try {
    // Again: another command may have been at work on it until now.
    const current = await readManifest(path)
    if (current !== undefined) requireSameOrigin(path, current, id, data)
    if (current === undefined) await writeManifest(path, unfinished(id))
    return {
      path,
      id,
      notes: await closeBackup(path),
      earlier: current?.state === "complete" ? current : undefined,
      release,
    }
  } catch (error) {
    release()
    throw error
  }
}

const unfinished = (id: string): Manifest => ({
  format: 1,
  state: "unfinished",
  id,
  createdAt: 0,
  version: "",
  catalog: "",
  token: null,
  catalogHash: "",
  tokenHash: null,
  files: 0,
  bytes: 0,
  leftOut: [],
})
