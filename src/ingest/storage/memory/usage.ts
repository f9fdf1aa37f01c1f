import type { OwnerUsage, Usage } from "../catalog/records.ts"
import { rowBytes, sizeKey, sizeLabels, sizeSelection } from "../quota.ts"
import type { Registered, Row, Tables } from "./rows.ts"

const lengthOf = ({ result }: Row): number =>
  result === null ? 0 : new TextEncoder().encode("data" in result ? result.data : result.error).length

/** Counts how much an app takes in memory, by walking everything. */
export const findUsage = ({ allRows, expected, graves, deletions }: Tables, appId: string): Usage => {
  const usage = { files: 0, storedBytes: 0, announcedBytes: 0, catalogBytes: 0, expectedFiles: 0, expectedBytes: 0 }
  const kept = new Set<Registered>()
  for (const row of allRows) {
    const { file, registration } = row
    if (file.appId !== appId) continue
    if (file.status === "Uploaded") {
      usage.files++
      usage.storedBytes += file.size
    } else if (file.status === "Uploading") usage.announcedBytes += file.size
    usage.catalogBytes += rowBytes.file + sizeLabels(file) + lengthOf(row)
    if (registration !== null) kept.add(registration)
  }
  for (const { key, registration, bytes } of expected.all()) {
    if (registration.appId !== appId) continue
    kept.add(registration)
    usage.catalogBytes += sizeKey(key)
    usage.expectedFiles++
    usage.expectedBytes += bytes
  }
  for (const { bytes } of kept) usage.catalogBytes += bytes
  for (const { appId: owner, key, hadFile } of graves.values()) {
    if (owner !== appId) continue
    usage.catalogBytes += sizeKey(key)
    if (hadFile) continue
    usage.expectedFiles++
    usage.expectedBytes += sizeKey(key)
  }
  for (const { appId: whose, owner, prefix } of deletions.values()) {
    if (whose !== appId) continue
    const bytes = sizeSelection({ owner: owner ?? "", prefix: prefix ?? "" })
    usage.catalogBytes += bytes
    usage.expectedFiles++
    usage.expectedBytes += bytes
  }
  return usage
}

/** Counts how much the files of an owner take in memory, by walking everything. */
export const findOwnerUsage = ({ allRows }: Pick<Tables, "allRows">, appId: string, owner: string): OwnerUsage => {
  const usage = { files: 0, storedBytes: 0, announcedBytes: 0 }
  for (const { file } of allRows) {
    if (file.appId !== appId || file.owner !== owner) continue
    if (file.status === "Uploaded") {
      usage.files++
      usage.storedBytes += file.size
    } else if (file.status === "Uploading") usage.announcedBytes += file.size
  }
  return usage
}
