import type { OwnerUsage, Usage } from "../catalog/records.ts"
import { noOwnerUsage, noUsage } from "../quota.ts"
import type { Sql } from "./database.ts"

// A larger number could not be told from its neighbours; it exceeds every quota anyway.
const most = Number.MAX_SAFE_INTEGER

const usageOf = `
  SELECT sum(files) AS files, least(sum(stored_bytes), ${most}) AS "storedBytes",
    least(sum(announced_bytes), ${most}) AS "announcedBytes", sum(catalog_bytes) AS "catalogBytes",
    sum(expected_files) AS "expectedFiles", sum(expected_bytes) AS "expectedBytes" FROM usage WHERE app_id = ?`

const usageOfOwner = `
  SELECT files, least(stored_bytes, ${most}) AS "storedBytes", least(announced_bytes, ${most}) AS "announcedBytes"
  FROM owner_usage WHERE app_id = ? AND owner = ?`

/** How much the catalog keeps for an app, as its triggers count it. */
export const findUsage = async (sql: Sql, appId: string): Promise<Usage> => {
  const row = await sql.one(usageOf, appId)
  return row === undefined || row.files === null ? noUsage : (row as unknown as Usage)
}

/** How much the files of an owner take, as its triggers count it. */
export const findOwnerUsage = async (sql: Sql, appId: string, owner: string): Promise<OwnerUsage> =>
  ((await sql.one(usageOfOwner, appId, owner)) as unknown as OwnerUsage | undefined) ?? noOwnerUsage
