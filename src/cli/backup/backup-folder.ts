import { randomUUID } from "node:crypto"
import { accessSync, constants } from "node:fs"
import { link, open, readdir, realpath, rm, writeFile } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { makeFolder, flushFolder, renameFile } from "../../ingest.ts"
import { CommandFailure, describeSystemError, isSystemError, toFolderFailure } from "../command-failure.ts"
import { closeParts, findExposure, requireOwnFolder } from "../deployment/data-folder-access.ts"
import { lockDataFolder } from "../deployment/data-folder-lock.ts"
import { backupIdName, giveToOwner } from "../deployment/data-folder.ts"
import type { DataFolder } from "../deployment/deployment.ts"
import { isInside } from "../is-inside.ts"
import { readRegularFile } from "../regular-file.ts"
import { shortenSpareRoom } from "./shorten-spare-room.ts"
import { isBackupId, type Manifest, readManifest, writeManifest } from "./manifest.ts"

/** Names that a file system itself puts into the root of a disk. */
const isOfSystem = (name: string): boolean => name === "lost+found"

/**
 * The names in a folder, without those that a file system puts there; undefined where there is no such folder.
 *
 * @param what the folder's role, for messages
 * @param option how the user chooses another one
 */
export const listOwn = async (
  path: string,
  what = "folder",
  option = "",
): Promise<ReadonlyArray<string> | undefined> => {
  try {
    return (await readdir(path)).filter((name) => !isOfSystem(name))
  } catch (error) {
    // Making the folder later fails with a message about what is in the way.
    if (isSystemError(error, "ENOENT") || isSystemError(error, "ENOTDIR")) return undefined
    throw toFolderFailure(what, path, error, option)
  }
}

/** The path without links, even if it does not exist yet. */
const toReal = async (path: string): Promise<string> => {
  try {
    return await realpath(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(await toReal(parent), path.slice(parent.length))
  }
}

/** Fails: with a {@link CommandFailure} where the two folders are the same, or one contains the other. */
export const requireApart = async (backup: string, data: string): Promise<void> => {
  const [one, other] = await Promise.all([toReal(resolve(backup)), toReal(resolve(data))])
  if (isInside(one, other) || isInside(other, one)) {
    throw new CommandFailure(
      `One of ${backup} and the data folder ${data} contains the other. Choose a folder outside of it.`,
    )
  }
}

/**
 * The id that tells a data folder from every other, made by its first backup. A restored folder gets another one.
 *
 * It keeps a backup from being replaced by that of an empty folder, which an ingest makes where a disk was not
 * mounted.
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
  const write = async () => {
    const handle = await open(draft, "wx", 0o600)
    try {
      await handle.writeFile(`${id}\n`)
      await giveToOwner(handle, folder.path)
      await handle.sync()
    } finally {
      await handle.close()
    }
  }
  try {
    await write().catch(async (error: unknown) => {
      if (!isSystemError(error, "ENOSPC") || !shortenSpareRoom(folder.path)) throw error
      await rm(draft, { force: true })
      await write()
    })
    // An invalid id was left by a full disk and is replaced. Otherwise the first of two commands wins.
    if (isThere) await renameFile(draft, file)
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

/** Takes the lock of a backup's folder; a read-only folder needs none. */
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

/** A backup's folder, locked by this command. */
export interface OpenedBackup {
  readonly path: string
  /** Id of the data folder. */
  readonly id: string
  /** The complete backup in the folder, if any. */
  readonly earlier: Manifest | undefined
  /** Notes for the user on who could read it. */
  readonly notes: ReadonlyArray<string>
  readonly release: () => void
}

/** Names in a backup's folder before the first copy: everything that a command killed at its very beginning can have left. */
const isOfBeginning = (name: string): boolean => /^(\.gitignore|lock\.sqlite(-\w+)?|backup\.json\.part)$/.test(name)

/** All names that we ever put into a backup's folder, and those that a file system has in its root. */
const isOwnName = (name: string): boolean =>
  isOfBeginning(name) ||
  isOfSystem(name) ||
  /^(files|backup\.json|(catalog-\d+\.sqlite|token-\d+)(-\w+)?(\.part)?(-\w+)?)$/.test(name)

/** Closes a backup to other users of this machine, as an ingest does with its data folder. Returns notes for the user. */
const closeBackup = async (path: string): Promise<ReadonlyArray<string>> => {
  const names = (await readdir(path)).filter((name) => isOwnName(name) && !isOfSystem(name) && name !== ".gitignore")
  const files = names.filter((name) => name !== "files").map((name) => join(path, name))
  return closeParts({ path, folders: [join(path, "files")], files, isOwnName })
}

/** Fails: with a {@link CommandFailure} where the backup is of another data folder. */
export const requireSameOrigin = (path: string, manifest: Manifest, id: string, data: string): void => {
  if (manifest.id === id) return
  throw new CommandFailure(
    `The backup in ${path} is of another data folder than ${data}, and was left as it is. ` +
      `Was a disk not mounted when the ingest started? If ${data} is the right one, choose another folder for its backup.`,
  )
}

/**
 * Opens the folder of a backup, and creates it where it is missing.
 *
 * Fails: with a {@link CommandFailure} when it holds something else, or the backup of another data folder, when
 *        another command is using it, and when others could read or replace it.
 */
export const openBackup = async (path: string, id: string, data: string): Promise<OpenedBackup> => {
  const exposure = await findExposure(path).catch((error: unknown) => {
    throw toFolderFailure("folder", path, error)
  })
  if (exposure !== undefined) throw new CommandFailure(`The folder ${path} is not safe for a backup: ${exposure}`)
  await requireOwnFolder(path, "Make the backup")
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
    // Again: another command may have been using it until now.
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
