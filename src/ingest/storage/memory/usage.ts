import type { CatalogBounds, Usage } from "../catalog-records.ts"
import { fitsExpected, rowBytes, sizeKey } from "../quota.ts"
import type { Registered, Row, Tables } from "./rows.ts"

const lengthOf = ({ result }: Row): number =>
  result === null ? 0 : new TextEncoder().encode("data" in result ? result.data : result.error).length

/** What an expected key counts: its own, and its part of its registration. Bytes. */
export const sizeExpected = (key: string, { bytes, keys }: Pick<Registered, "bytes" | "keys">): number =>
  sizeKey(key) + Math.ceil(bytes / keys)

/** Counts what is in memory of an app, by walking all of it. */
export const findUsage = ({ allRows, expected, graves }: Tables, appId: string): Usage => {
  const usage = { files: 0, storedBytes: 0, announcedBytes: 0, catalogBytes: 0, expectedFiles: 0, expectedBytes: 0 }
  const kept = new Set<Registered>()
  for (const row of allRows) {
    const { file, registration } = row
    if (file.appId !== appId) continue
    if (file.status === "Uploaded") {
      usage.files++
      usage.storedBytes += file.size
    } else if (file.status === "Uploading") usage.announcedBytes += file.size
    usage.catalogBytes += rowBytes.file + lengthOf(row)
    if (registration !== null) kept.add(registration)
  }
  for (const { key, registration } of expected.all()) {
    if (registration.appId !== appId) continue
    kept.add(registration)
    usage.catalogBytes += sizeKey(key)
    usage.expectedFiles++
    usage.expectedBytes += sizeExpected(key, registration)
  }
  for (const { bytes } of kept) usage.catalogBytes += bytes
  for (const { appId: owner, key, hadFile } of graves.values()) {
    if (owner !== appId) continue
    usage.catalogBytes += sizeKey(key)
    if (hadFile) continue
    usage.expectedFiles++
    usage.expectedBytes += sizeKey(key)
  }
  return usage
}

/** Whether these have room among the announced ones; those that are announced already count by what is added. */
export const fitsKeys = (
  usage: Usage,
  keys: ReadonlyArray<string>,
  bytesOf: (key: string) => number,
  bounds: CatalogBounds,
  find: (key: string) => Registered | undefined,
): boolean => {
  const added = { files: 0, bytes: 0 }
  for (const key of new Set(keys)) {
    const before = find(key)
    if (before === undefined) added.files++
    added.bytes += bytesOf(key) - (before === undefined ? 0 : sizeExpected(key, before))
  }
  return fitsExpected(usage, added, bounds)
}
