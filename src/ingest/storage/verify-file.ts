import { toBlobName } from "./blob-name.ts"
import { BlobStoreError, type BlobStore } from "./blob-store.ts"
import type { Catalog, FileRecord } from "./catalog/catalog.ts"

/** The state of a stored file's bytes. */
export type FileVerdict =
  | { readonly kind: "intact" }
  /** There is none of it. */
  | { readonly kind: "missing" }
  /** There are fewer bytes than were uploaded, or more. */
  | { readonly kind: "shorter" | "longer" }
  /** As many bytes, but others: `found` is their SHA-256, 64 lower-case hex digits. */
  | { readonly kind: "changed"; readonly found: string }

type StoredFile = Pick<FileRecord, "id" | "key" | "size" | "fileHash" | "isInline" | "blobRef">

const isMissing = (cause: unknown): boolean => BlobStoreError.is(cause) && cause.reason === "missing"

/** Whether the store has bytes `start` to `end`; reads at most one of them. */
const hasBytes = async (store: BlobStore, file: StoredFile, start: number, end: number): Promise<boolean> => {
  try {
    await (await store.read(toBlobName(file), { start, end, ref: file.blobRef })).cancel()
    return true
  } catch (cause) {
    if (isMissing(cause)) return false
    throw cause
  }
}

/** Reads all of a blob; returns what is wrong with its length, undefined when nothing is. */
const readBlob = async (
  store: BlobStore,
  file: StoredFile,
  take: (chunk: Uint8Array) => Promise<void>,
): Promise<FileVerdict | undefined> => {
  const range = { start: 0, end: file.size - 1, ref: file.blobRef }
  try {
    for await (const chunk of await store.read(toBlobName(file), range)) await take(chunk)
  } catch (cause) {
    if (!isMissing(cause)) throw cause
    return { kind: (await hasBytes(store, file, 0, -1)) ? "shorter" : "missing" }
  }
  return (await hasBytes(store, file, file.size, file.size)) ? { kind: "longer" } : undefined
}

/** The same for a small file, whose bytes are in the catalog. */
const readInline = async (
  catalog: Pick<Catalog, "readContent">,
  { id, size }: StoredFile,
  take: (chunk: Uint8Array) => Promise<void>,
): Promise<FileVerdict | undefined> => {
  const bytes = await catalog.readContent(id)
  if (bytes === null) return { kind: "missing" }
  await take(bytes)
  return bytes.length === size ? undefined : { kind: bytes.length < size ? "shorter" : "longer" }
}

/**
 * Reads a stored file again, all of it, and compares size and SHA-256 with the catalog; for a file that was stored
 * without its hash, only the size.
 *
 * @param onRead is called with the size of every chunk read, bytes, and with the chunk; no more is read before what it
 *               returns has resolved
 *
 * Fails: rejects with `BlobStoreError` when the store itself fails, or with the error of the catalog or of `onRead`.
 */
export const verifyFile = async (
  { store, catalog }: { readonly store: BlobStore; readonly catalog: Pick<Catalog, "readContent"> },
  file: StoredFile,
  onRead: (bytes: number, chunk: Uint8Array) => unknown = () => {},
): Promise<FileVerdict> => {
  const hash = process.getBuiltinModule("node:crypto").createHash("sha256")
  const take = async (chunk: Uint8Array): Promise<void> => {
    hash.update(chunk)
    await onRead(chunk.length, chunk)
  }
  const damage = await (file.isInline ? readInline(catalog, file, take) : readBlob(store, file, take))
  if (damage !== undefined) return damage
  const found = hash.digest("hex")
  return !file.fileHash || found === file.fileHash ? { kind: "intact" } : { kind: "changed", found }
}
