import { chown, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { encodeToken, parseToken, type Token } from "../protocol.ts"
import { CommandFailure, describeSystemError, isSystemError } from "./command-failure.ts"
import { lockDataFolder } from "./data-folder-lock.ts"
import { createToken } from "./create-token.ts"

/** Where an ingest keeps everything it owns. All paths are absolute. */
export interface DataFolder {
  readonly path: string
  /** The blob store's folder. */
  readonly blobs: string
  /** The SQLite catalog. */
  readonly catalog: string
  /** The token's text and a newline; mode 0600. */
  readonly tokenFile: string
}

/** A data folder no other ingest runs on. */
export interface OwnedDataFolder extends DataFolder {
  /** Lets others have it. */
  readonly release: () => void
}

/** Names what is in a data folder, touching nothing. */
export const describeDataFolder = (path: string): DataFolder => {
  const root = resolve(path)
  return {
    path: root,
    blobs: join(root, "files"),
    catalog: join(root, "catalog.sqlite"),
    tokenFile: join(root, "token"),
  }
}

/**
 * Makes the data folder where it is missing, closed to other users and ignored by git, and makes this process its owner.
 *
 * Fails: with a {@link CommandFailure} that names the folder, also when another ingest runs on it.
 */
export const openDataFolder = async (path: string): Promise<OwnedDataFolder> => {
  const folder = describeDataFolder(path)
  try {
    await mkdir(folder.path, { recursive: true, mode: 0o700 })
    await writeFile(join(folder.path, ".gitignore"), "*\n", { flag: "wx" }).catch((error: unknown) => {
      if (!isSystemError(error, "EEXIST")) throw error
    })
  } catch (error) {
    throw new CommandFailure(`The data folder ${folder.path} cannot be used: ${describeSystemError(error)}.`)
  }
  return { ...folder, release: lockDataFolder(folder.path) }
}

/** The token of a data folder, and whether this start made or changed it. */
export interface KeptToken {
  readonly text: string
  readonly token: Token
  readonly state: "made" | "kept" | "moved"
}

/**
 * Reads the token a data folder keeps; undefined where there is none yet.
 *
 * Fails: with a {@link CommandFailure} when the file cannot be read or holds no token.
 */
export const readKeptToken = async ({ tokenFile }: DataFolder): Promise<KeptToken | undefined> => {
  let text: string
  try {
    text = (await readFile(tokenFile, "utf8")).trim()
  } catch (error) {
    if (isSystemError(error, "ENOENT") || isSystemError(error, "ENOTDIR")) return undefined
    throw new CommandFailure(`The token in ${tokenFile} cannot be read: ${describeSystemError(error)}.`)
  }
  const parsed = parseToken(text)
  if (!parsed.ok) throw new CommandFailure(`The file ${tokenFile} holds no valid token. ${parsed.detail}`)
  return { text, token: parsed.value, state: "kept" }
}

/**
 * Puts a token into the data folder in the place of the one before, in one step; only the folder's owner can read it.
 *
 * Fails: with a {@link CommandFailure}; then the one before is still there.
 */
export const writeToken = async ({ path, tokenFile }: DataFolder, token: Token): Promise<string> => {
  const text = encodeToken(token)
  const draft = `${tokenFile}.${process.pid}`
  try {
    await writeFile(draft, `${text}\n`, { mode: 0o600, flag: "wx" })
    if (process.getuid?.() === 0) {
      // The ingest may run as another user, and has to read it.
      const { uid, gid } = await stat(path)
      await chown(draft, uid, gid)
    }
    await rename(draft, tokenFile)
  } catch (error) {
    await rm(draft, { force: true })
    throw new CommandFailure(`The token cannot be kept in ${tokenFile}: ${describeSystemError(error)}.`)
  }
  return text
}

/**
 * The token of the data folder; made on the first start. When the ingest has moved to another URL the token follows:
 * same app, same key, so that an app given the file again finds the ingest.
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
