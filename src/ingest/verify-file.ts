import { toBlobName } from "./blob-name.ts"
import { BlobStoreError, type BlobStore } from "./blob-store.ts"
import type { FileRecord } from "./catalog.ts"

/** What became of a stored file's bytes. */
export type FileVerdict =
  | { readonly kind: "intact" }
  /** The store has none of it. */
  | { readonly kind: "missing" }
  /** The store has fewer bytes than the catalog says, or more. */
  | { readonly kind: "shorter" | "longer" }
  /** As many bytes, but others: `found` is their SHA-256, 64 lower-case hex digits. */
  | { readonly kind: "changed"; readonly found: string }

const isMissing = (cause: unknown): boolean => cause instanceof BlobStoreError && cause.reason === "missing"

/** Whether the store has bytes `start` to `end`; reads none of them. */
const hasBytes = async (store: BlobStore, blob: string, start: number, end: number): Promise<boolean> => {
  try {
    await (await store.read(blob, { start, end })).cancel()
    return true
  } catch (cause) {
    if (isMissing(cause)) return false
    throw cause
  }
}

/**
 * Reads a stored file again, all of it, and compares size and SHA-256 with what the catalog says.
 *
 * @param onRead is told of every chunk read, bytes
 *
 * Fails: rejects with `BlobStoreError` when the store itself fails.
 */
export const verifyFile = async (
  store: BlobStore,
  file: Pick<FileRecord, "id" | "key" | "size" | "fileHash">,
  onRead: (bytes: number) => void = () => {},
): Promise<FileVerdict> => {
  const blob = toBlobName(file)
  const hash = process.getBuiltinModule("node:crypto").createHash("sha256")
  try {
    for await (const chunk of await store.read(blob, { start: 0, end: file.size - 1 })) {
      hash.update(chunk)
      onRead(chunk.length)
    }
  } catch (cause) {
    if (!isMissing(cause)) throw cause
    return { kind: (await hasBytes(store, blob, 0, -1)) ? "shorter" : "missing" }
  }
  if (await hasBytes(store, blob, file.size, file.size)) return { kind: "longer" }
  const found = hash.digest("hex")
  return found === file.fileHash ? { kind: "intact" } : { kind: "changed", found }
}
