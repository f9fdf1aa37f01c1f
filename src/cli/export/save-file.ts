import { createHash } from "node:crypto"
import { type FileHandle, open, rm } from "node:fs/promises"
import { join } from "node:path"
import { type BlobStore, type Catalog, type FileRecord, type FileVerdict, verifyFile } from "../../ingest.ts"
import { hashFile } from "../backup/manifest.ts"
import { isSystemError } from "../command-failure.ts"
import { giveName } from "../give-name.ts"
import { partName } from "./export-index.ts"
import type { Place, Places } from "./export-places.ts"

/** Where the bytes of a file are from, and where they go. */
export interface ExportWay {
  readonly store: BlobStore
  readonly catalog: Catalog
  /** The folder of the export. */
  readonly root: string
  readonly places: Places
}

/** What became of the bytes of a file. */
export type Saved =
  | { readonly kind: "saved" | "kept"; readonly path: string }
  /** They are not as they were uploaded; nothing is left of them in the folder. */
  | { readonly kind: Exclude<FileVerdict["kind"], "intact"> }

const writeAll = async (handle: FileHandle, bytes: Uint8Array): Promise<void> => {
  for (let at = 0; at < bytes.length;) at += (await handle.write(bytes, at)).bytesWritten
}

/** The SHA-256 that a copy has to have; for a file that was stored without it that of what is stored. */
const wantedHash = async (way: ExportWay, file: FileRecord): Promise<string | undefined> => {
  if (file.fileHash) return file.fileHash
  const hash = createHash("sha256")
  const verdict = await verifyFile(way, file, (_, chunk) => void hash.update(chunk))
  return verdict.kind === "intact" ? hash.digest("hex") : undefined
}

/** Puts the bytes that were compared under their place; finds another one where somebody has taken that. */
const settle = async (
  { places }: ExportWay,
  part: string,
  first: Place,
  next: () => Promise<Place>,
): Promise<Saved> => {
  for (let place = first; ; place = await next()) {
    if (place.isThere) {
      await rm(part, { force: true })
      return { kind: "kept", path: place.path }
    }
    try {
      await giveName(part, places.toFull(place.path))
      places.take(place)
      return { kind: "saved", path: place.path }
    } catch (error) {
      if (!isSystemError(error, "EEXIST")) throw error
    }
  }
}

/**
 * Copies a stored file into the folder of an export, unless it is there already, and compares its size and SHA-256. It
 * has its name only once that is done. Nothing is replaced.
 *
 * Fails: rejects with the system's error, or that of the store.
 */
export const saveFile = async (way: ExportWay, file: FileRecord, onBytes: (bytes: number) => void): Promise<Saved> => {
  const { root, places } = way
  let wanted: Promise<string | undefined> | undefined
  const isSame = async (path: string): Promise<boolean> => {
    const hash = await (wanted ??= wantedHash(way, file))
    return hash !== undefined && (await hashFile(path)) === hash
  }
  const find = () => places.find(file, isSame)
  const place = await find()
  if (place.isThere) {
    places.take(place)
    onBytes(file.size)
    return { kind: "kept", path: place.path }
  }
  const part = join(root, partName)
  await rm(part, { force: true })
  const handle = await open(part, "wx", 0o600)
  let verdict: FileVerdict
  try {
    verdict = await verifyFile(way, file, async (bytes, chunk) => {
      await writeAll(handle, chunk)
      onBytes(bytes)
    })
    if (verdict.kind === "intact") await handle.sync()
  } finally {
    await handle.close()
  }
  if (verdict.kind === "intact") return settle(way, part, place, find)
  await rm(part, { force: true })
  return { kind: verdict.kind }
}
