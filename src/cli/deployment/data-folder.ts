import { type FileHandle, open, readdir, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { flushFolder, makeFolder, renameFile } from "../../ingest.ts"
import { encodeToken, envName, parseToken, type Token } from "../../protocol.ts"
import { CommandFailure, describeSystemError, isSystemError, toFolderFailure } from "../command-failure.ts"
import { closeParts, isOwnName, type PrivateParts, requireSafeFolder } from "./data-folder-access.ts"
import { lockDataFolder, lockFile } from "./data-folder-lock.ts"
import { type DataFolder, describeDataFolder } from "./deployment.ts"
import { createToken } from "../create-token.ts"
import { readRegularFile } from "../regular-file.ts"

/** The parts of a data folder: blobs, catalog and token. */
export const toParts = ({ path, blobs, catalog, journal, tokenFile }: DataFolder): PrivateParts => ({
  path,
  folders: [blobs],
  files: [...[catalog, journal].flatMap((file) => [file, `${file}-wal`, `${file}-shm`]), lockFile({ path }), tokenFile],
  isOwnName,
})

/** A data folder that was opened, and is locked by this process. */
interface OpenedDataFolder {
  /** Releases the lock. */
  readonly release: () => void
  /** Notes for the user on who could read it. */
  readonly notes: ReadonlyArray<string>
}

/** The file with the id of a data folder; it exists once a backup was made. */
export const backupIdName = "backup-id"

/** The file whose room the catalog gets when the disk is full. */
export const spareRoomName = "spare-room"

/** The file that exists while a backup is being restored into a data folder. */
export const restoringName = "restoring"

/** Fails: with a {@link CommandFailure} where an ingest must not run: on a backup, and on an incomplete restore. */
const requireData = async (path: string): Promise<void> => {
  const names = await readdir(path)
  if (names.includes("backup.json")) {
    throw new CommandFailure(
      `${path} holds a backup, not a data folder. Restore it first: sluice backup restore ${path} --data <folder>`,
    )
  }
  if (names.includes(restoringName)) {
    throw new CommandFailure(
      `A backup was being restored into ${path}, and that has not finished. Run \`sluice backup restore\` again to resume it.`,
    )
  }
}

/**
 * Makes the data folder where it is missing, closed to other users and ignored by git, and makes this process its
 * owner. A folder that is open to others is closed.
 *
 * Fails: with a {@link CommandFailure} that names the folder, also when another ingest runs on it, and when others
 *        could have made it or may replace what is in it.
 */
export const openDataFolder = async (path: string): Promise<OpenedDataFolder> => {
  const folder = describeDataFolder(path)
  try {
    await requireSafeFolder(folder.path)
    makeFolder(folder.path)
    // Again: another process may have been faster.
    await requireSafeFolder(folder.path)
    await requireData(folder.path)
    for (const [name, content] of [
      [join(folder.path, ".gitignore"), "*\n"],
      [lockFile(folder), ""],
    ] as const) {
      await writeFile(name, content, { flag: "wx", mode: 0o600, flush: true }).catch((error: unknown) => {
        if (!isSystemError(error, "EEXIST")) throw error
      })
    }
    const notes = await closeParts(toParts(folder))
    return { notes, release: lockDataFolder(folder.path) }
  } catch (error) {
    if (error instanceof CommandFailure) throw error
    throw toFolderFailure("data folder", folder.path, error, "--data")
  }
}

/** The token of a data folder, and whether this start made or changed it. */
export interface KeptToken {
  readonly text: string
  readonly token: Token
  readonly state: "made" | "kept" | "moved"
}

/**
 * Reads the token of a data folder; undefined where there is none yet, and where there is no folder.
 *
 * Fails: with a {@link CommandFailure} when the file cannot be read or holds no token.
 */
export const readKeptToken = async (folder: DataFolder | null): Promise<KeptToken | undefined> => {
  if (folder === null) return undefined
  const { tokenFile } = folder
  let text: string
  try {
    // Mounted secrets are often links.
    text = (await readRegularFile(tokenFile, { follows: true })).trim()
  } catch (error) {
    if (isSystemError(error, "ENOENT") || isSystemError(error, "ENOTDIR")) return undefined
    throw new CommandFailure(`The token in ${tokenFile} cannot be read: ${describeSystemError(error)}.`)
  }
  const parsed = parseToken(text)
  if (!parsed.ok) {
    const why = text === "" ? "It is empty." : parsed.detail
    throw new CommandFailure(
      `The file ${tokenFile} holds no valid token. ${why} Restore it from a backup, or write the token of your app's ${envName("token")} into it: a new one would be that of another app, without these files.`,
    )
  }
  return { text, token: parsed.value, state: "kept" }
}

/** Gives a file that root has made in a folder to the folder's owner: the ingest may run as another user, and has to read it. */
export const giveToOwner = async (file: FileHandle, folder: string): Promise<void> => {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = await stat(folder)
  // By the handle: the folder's owner may have replaced the name by a link.
  await file.chown(uid, gid)
}

/**
 * Replaces the token of the data folder in one step, durably; only the folder's owner can read it.
 *
 * Fails: with a {@link CommandFailure}; the previous token is then still there.
 */
export const writeToken = async ({ path, tokenFile }: DataFolder, token: Token): Promise<string> => {
  const text = encodeToken(token)
  const draft = `${tokenFile}.${process.pid}`
  try {
    await requireSafeFolder(path)
    // `wx` follows no link: whatever has the name, the token does not go there.
    const handle = await open(draft, "wx", 0o600)
    try {
      await handle.writeFile(`${text}\n`)
      await giveToOwner(handle, path)
      // Without the token its files are nobody's: it has to outlive the power, as they do.
      await handle.sync()
    } finally {
      await handle.close()
    }
    await renameFile(draft, tokenFile)
    await flushFolder(path)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {})
    if (error instanceof CommandFailure) throw error
    throw new CommandFailure(`The token cannot be kept in ${tokenFile}: ${describeSystemError(error)}.`)
  }
  return text
}

/**
 * The token of the data folder, made on the first start. When the ingest has moved to another URL, the token is
 * updated: same app, same key, so that an app that gets the file again finds the ingest.
 *
 * Fails: with a {@link CommandFailure}.
 */
export const keepToken = async (folder: DataFolder, ingestUrl: string): Promise<KeptToken> => {
  const kept = await readKeptToken(folder)
  if (kept?.token.ingestUrl === ingestUrl) return kept
  const state = kept === undefined ? "made" : "moved"
  const token = kept === undefined ? createToken({ region: "local", ingestUrl }).token : { ...kept.token, ingestUrl }
  return { text: await writeToken(folder, token), token, state }
}
