import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { open, rm } from "node:fs/promises"
import { join } from "node:path"
import { flushFolder, renameFile } from "../../ingest.ts"
import { CommandFailure, describeSystemError, isSystemError } from "../command-failure.ts"
import { readRegularFile } from "../regular-file.ts"

/** The name of the file that makes a folder a backup. */
export const manifestName = "backup.json"

/** A file whose bytes the ingest itself has lost, or no longer has as they were uploaded. */
export interface LeftOut {
  readonly key: string
  readonly name: string
  readonly reason: "missing" | "shorter" | "longer" | "changed"
}

/** The content of a backup. It is replaced in one step: everything that it names exists, complete. */
export interface Manifest {
  readonly format: 1
  /** `unfinished`: no backup was ever completed in this folder. */
  readonly state: "complete" | "unfinished"
  /** Id of the data folder that was backed up. */
  readonly id: string
  /** The moment that the backup shows, ms since the epoch. */
  readonly createdAt: number
  /** Version of the command that made it. */
  readonly version: string
  /** Names of files in the backup's folder. */
  readonly catalog: string
  readonly token: string | null
  /** SHA-256 of the catalog's file, 64 lower-case hex digits. */
  readonly catalogHash: string
  /** SHA-256 of the token's file; null where there is none. */
  readonly tokenHash: string | null
  readonly files: number
  readonly bytes: number
  readonly leftOut: ReadonlyArray<LeftOut>
}

const isText = (value: unknown, form: RegExp): boolean => typeof value === "string" && form.test(value)

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0

/** Whether a text can be the id of a data folder. */
export const isBackupId = (value: unknown): value is string => isText(value, /^[\w-]{1,64}$/)

const isLeftOut = (value: unknown): value is LeftOut => {
  const { key, name, reason } = (value ?? {}) as Partial<LeftOut>
  return isText(key, /^/) && isText(name, /^/) && isText(reason, /^(missing|shorter|longer|changed)$/)
}

const isManifest = (value: unknown): value is Manifest => {
  if (typeof value !== "object" || value === null) return false
  const manifest = value as Partial<Record<keyof Manifest, unknown>>
  const { format, state, id, createdAt, catalog, token, catalogHash, tokenHash, files, bytes, leftOut } = manifest
  if (format !== 1 || !isBackupId(id)) return false
  if (state === "unfinished") return true
  return (
    state === "complete" &&
    // The last moment that a date can represent.
    isCount(createdAt) &&
    (createdAt as number) <= 8.64e15 &&
    isText(catalog, /^catalog-\d+\.sqlite$/) &&
    (token === null || isText(token, /^token-\d+$/)) &&
    isText(catalogHash, /^[\da-f]{64}$/) &&
    (token === null ? tokenHash === null : isText(tokenHash, /^[\da-f]{64}$/)) &&
    isCount(files) &&
    isCount(bytes) &&
    Array.isArray(leftOut) &&
    leftOut.every(isLeftOut)
  )
}

/**
 * The manifest of a folder; undefined where there is none.
 *
 * Fails: with a {@link CommandFailure} when it cannot be read, or has a newer format.
 */
export const readManifest = async (folder: string): Promise<Manifest | undefined> => {
  const file = join(folder, manifestName)
  let value: unknown
  try {
    value = JSON.parse(await readRegularFile(file))
  } catch (error) {
    if (isSystemError(error, "ENOENT") || isSystemError(error, "ENOTDIR")) return undefined
    if (!(error instanceof SyntaxError)) {
      throw new CommandFailure(`${file} cannot be read: ${describeSystemError(error)}.`)
    }
  }
  if (isManifest(value)) return value
  throw new CommandFailure(
    `${file} is no manifest that this version of sluice knows. A newer version may have made this backup: use that one.`,
  )
}

/** The manifest of a complete backup. Fails: with a {@link CommandFailure}. */
export const requireManifest = async (folder: string): Promise<Manifest> => {
  const manifest = await readManifest(folder)
  if (manifest === undefined) throw new CommandFailure(`There is no backup in ${folder}: it has no ${manifestName}.`)
  if (manifest.state === "complete") return manifest
  throw new CommandFailure(
    `The backup in ${folder} was begun and never completed. Run \`sluice backup ${folder}\` again; it resumes where that one stopped.`,
  )
}

/** Replaces a file by a text in one step, durably; only this user can read it. */
export const replaceFile = async (folder: string, name: string, text: string): Promise<void> => {
  const draft = join(folder, `${name}.part`)
  await rm(draft, { force: true })
  const handle = await open(draft, "wx", 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await renameFile(draft, join(folder, name))
  await flushFolder(folder)
}

/** Replaces the manifest of a folder. */
export const writeManifest = (folder: string, manifest: Manifest): Promise<void> =>
  replaceFile(folder, manifestName, `${JSON.stringify(manifest, null, 2)}\n`)

/** SHA-256 of a file, 64 lower-case hex digits. */
export const hashFile = async (path: string): Promise<string> => {
  const hash = createHash("sha256")
  for await (const piece of createReadStream(path, { highWaterMark: 1024 * 1024 })) hash.update(piece as Uint8Array)
  return hash.digest("hex")
}
