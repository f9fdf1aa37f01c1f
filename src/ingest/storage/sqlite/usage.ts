import type { CatalogBounds, Usage } from "../catalog-records.ts"
import { fitsExpected, noUsage } from "../quota.ts"
import type { Row } from "./rows.ts"
import { one, type Statements } from "./statements.ts"

/** What the catalog keeps of an app, as its triggers count it. */
export const findUsage = (sql: Statements, appId: string): Usage =>
  (one(sql.usage, appId) as Usage | undefined) ?? noUsage

/** Whether keys have room among the announced ones; those that are announced already count by what is added. */
export const fitsKeys = (
  usage: Usage,
  keys: ReadonlyArray<string>,
  bytesOf: (key: string) => number,
  bounds: CatalogBounds,
  find: (key: string) => Row | undefined,
): boolean => {
  const all = { files: keys.length, bytes: keys.reduce((bytes, key) => bytes + bytesOf(key), 0) }
  if (fitsExpected(usage, all, bounds)) return true
  const added = { files: 0, bytes: 0 }
  for (const key of new Set(keys)) {
    const before = find(key)
    if (before === undefined) added.files++
    added.bytes += bytesOf(key) - ((before?.bytes as number | undefined) ?? 0)
  }
  return fitsExpected(usage, added, bounds)
}
