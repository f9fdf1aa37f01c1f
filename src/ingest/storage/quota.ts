import type { FileLabels } from "../../protocol/files/file-labels.ts"
import type { FileChange } from "./catalog/files.ts"
import type { UploadGrant } from "../../protocol/signing/signed-url.ts"
import type { CatalogBounds, FileRecord, NewRegistration, OwnerUsage, Usage } from "./catalog/records.ts"

const encoder = new TextEncoder()

/** UTF-8 length of a text. */
const lengthOf = (text: string): number => encoder.encode(text).length

/** What each row counts in addition to its text. Bytes. Source: the triggers in sqlite/migrations/. */
export const rowBytes = { file: 512, registration: 256, key: 128 } as const

/** The usage of an app that has nothing. */
export const noUsage: Usage = {
  files: 0,
  storedBytes: 0,
  announcedBytes: 0,
  catalogBytes: 0,
  expectedFiles: 0,
  expectedBytes: 0,
}

/** How much the catalog may keep for an app however small its quota is. Bytes. */
export const leastCatalogQuota = 16 * 1024 * 1024

/** Whether the catalog has room for this much more of an app: it may keep as much as the app's files may take. */
export const fitsCatalog = ({ catalogBytes }: Usage, bytes: number, quota: number | undefined): boolean =>
  quota === undefined || catalogBytes + bytes <= Math.max(quota, leastCatalogQuota)

/** What the labels of a file count in the catalog: they are in its row, and in up to three indexes. Bytes. */
export const sizeLabels = ({
  owner,
  path,
}: {
  readonly owner?: string | null | undefined
  readonly path?: string | null | undefined
}): number => 4 * lengthOf(owner ?? "") + 3 * lengthOf(path ?? "")

/** Whether a file of this size fits in addition to an app's others; `replaced` is the one whose key it takes over. */
export const fitsQuota = (
  usage: Usage,
  size: number,
  quota: number | undefined,
  labels: FileLabels = {},
  replaced?: Pick<FileRecord, "status" | "size">,
): boolean => {
  const freed = replaced?.status === "Uploading" ? replaced.size : 0
  return (
    quota === undefined ||
    (usage.storedBytes + usage.announcedBytes - freed + size <= quota &&
      fitsCatalog(usage, rowBytes.file + sizeLabels(labels), quota))
  )
}

/** The usage of an owner without files. */
export const noOwnerUsage: OwnerUsage = { files: 0, storedBytes: 0, announcedBytes: 0 }

/** Whether a file of this size fits in addition to the others of its owner; `replaced` is the one whose key it takes over. */
export const fitsOwnerQuota = (
  { storedBytes, announcedBytes }: OwnerUsage,
  size: number,
  { owner, ownerQuota }: FileLabels,
  replaced?: Pick<FileRecord, "status" | "size" | "owner">,
): boolean => {
  const freed = replaced?.status === "Uploading" && replaced.owner === owner ? replaced.size : 0
  return ownerQuota === undefined || storedBytes + announcedBytes - freed + size <= ownerQuota
}

/** Whether this many more announced files, and this much of them, stay within the limits. */
export const fitsExpected = (
  usage: Usage,
  { files, bytes }: { readonly files: number; readonly bytes: number },
  { expectedFiles = Infinity, expectedBytes = Infinity }: CatalogBounds,
): boolean => usage.expectedFiles + files <= expectedFiles && usage.expectedBytes + bytes <= expectedBytes

/**
 * Whether keys fit among the announced ones; for those that are already announced only the difference counts.
 *
 * @param bytesBefore how much a key already counts; undefined where it is not announced
 */
export const fitsKeys = (
  usage: Usage,
  keys: ReadonlyArray<string>,
  bytesOf: (key: string) => number,
  bounds: CatalogBounds,
  bytesBefore: (key: string) => number | undefined,
): boolean => {
  const all = { files: keys.length, bytes: keys.reduce((bytes, key) => bytes + bytesOf(key), 0) }
  // Nearly always the case; no key has to be looked up then.
  if (fitsExpected(usage, all, bounds)) return true
  const added = { files: 0, bytes: 0 }
  for (const key of new Set(keys)) {
    const before = bytesBefore(key)
    if (before === undefined) added.files++
    added.bytes += bytesOf(key) - (before ?? 0)
  }
  return fitsExpected(usage, added, bounds)
}

/** What a registration counts in the catalog, without its keys. Bytes. */
export const sizeRegistration = ({
  metadata,
  callbackUrl,
  callbackSlug,
  trace,
}: {
  readonly metadata: string
  readonly callbackUrl: string
  readonly callbackSlug: string
  readonly trace: { readonly tracestate?: string } | null
}): number =>
  lengthOf(metadata) +
  lengthOf(callbackUrl) +
  lengthOf(callbackSlug) +
  (trace?.tracestate?.length ?? 0) +
  rowBytes.registration

/** What a file that begins counts in the catalog, with what its URL says of its registration. Bytes. */
export const sizeBeginning = (
  { key, name, customId = "" }: Pick<UploadGrant, "key" | "name" | "customId">,
  labels: FileLabels,
  registration: NewRegistration | undefined,
): number =>
  rowBytes.file +
  lengthOf(key) +
  lengthOf(name) +
  lengthOf(customId) +
  sizeLabels(labels) +
  (registration === undefined ? 0 : sizeRegistration(registration) + sizeKey(key))

/** What a change of a file adds to the catalog at most; one that says who reads it, or until when it is kept, adds nothing. Bytes. */
export const sizeChange = ({ name, path }: Pick<FileChange, "name" | "path">): number =>
  lengthOf(name ?? "") + sizeLabels({ path })

/** What a key that is expected, or has a tombstone, counts in the catalog. Bytes. */
export const sizeKey = (key: string): number => lengthOf(key) + rowBytes.key

/** What a deletion of many files counts in the catalog while it is remembered. Bytes. */
export const sizeSelection = ({
  owner = "",
  prefix = "",
}: {
  readonly owner?: string
  readonly prefix?: string
}): number => lengthOf(owner) + lengthOf(prefix) + rowBytes.key

/** What a key counts among the announced ones: its own bytes, and its share of its registration's. */
export const sizeExpected = (key: string, { bytes, keys }: { readonly bytes: number; readonly keys: number }): number =>
  sizeKey(key) + Math.ceil(bytes / keys)

/**
 * Decides whether a registration may be kept; undefined: it may.
 *
 * @param bytes how much it counts without its keys: {@link sizeRegistration}
 * @param bytesOf how much each key counts among the announced ones
 * @param bytesBefore how much a key already counts there; undefined where it is not announced
 */
export const refuseRegistration = (
  usage: Usage,
  registration: { readonly fileKeys: ReadonlyArray<string>; readonly bytes: number; readonly bounds: CatalogBounds },
  bytesOf: (key: string) => number,
  bytesBefore: (key: string) => number | undefined,
): "tooManyExpected" | "overQuota" | undefined => {
  const { fileKeys, bytes, bounds } = registration
  if (!fitsKeys(usage, fileKeys, bytesOf, bounds, bytesBefore)) return "tooManyExpected"
  const all = fileKeys.reduce((sum, key) => sum + sizeKey(key), bytes)
  return fitsCatalog(usage, all, bounds.quota) ? undefined : "overQuota"
}
