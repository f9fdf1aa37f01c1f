import type { DatabaseSync, StatementSync, SupportedValueType } from "node:sqlite"
import type { CatalogHistory } from "../catalog/history.ts"
import { endOfPrefix } from "../path-order.ts"
import type { DeliveryAttempt, UploadWithDelivery } from "../catalog/records.ts"
import {
  findDelivery,
  listAttempts,
  listDeliveries,
  listFiles,
  listFilesByPath,
  listFilesOfApp,
  listFilesOfOwner,
} from "../sql/history.ts"
import { type Row, toFile, toUpload } from "../sql/rows.ts"

/** Where the first page begins; it also makes the query a search by key instead of a scan. */
const newest = Number.MAX_SAFE_INTEGER

const toDelivery = (row: Row): UploadWithDelivery => toUpload(row) as UploadWithDelivery

/**
 * The listings for operators in the SQLite catalog. Statements are prepared when they are first needed: an ingest
 * never needs them.
 */
export const createHistory = (database: DatabaseSync): CatalogHistory => {
  const prepared = new Map<string, StatementSync>()
  const prepare = (sql: string): StatementSync => {
    const statement = prepared.get(sql) ?? database.prepare(sql)
    prepared.set(sql, statement)
    return statement
  }
  const all = (sql: string, ...values: ReadonlyArray<SupportedValueType>): ReadonlyArray<Row> =>
    prepare(sql).all(...values) as ReadonlyArray<Row>

  return {
    list: async ({ appId, status, owner, before = newest, limit, offset = 0 }) => {
      if (appId === undefined) return all(listFiles(status), before, limit, offset).map(toFile)
      const found =
        owner === undefined
          ? all(listFilesOfApp(status), appId, before, limit, offset)
          : all(listFilesOfOwner(status), appId, before, limit, offset, owner)
      return found.map(toFile)
    },
    listByPath: async ({ appId, prefix, owner, status, after, limit }) => {
      const place = after === undefined ? "first" : "next"
      const values = {
        appId,
        end: endOfPrefix(prefix),
        limit,
        ...(owner !== undefined && { owner }),
        ...(after === undefined ? { prefix } : after),
      }
      const sql = listFilesByPath(status, owner === undefined ? "all" : "owner", place)
      const found = prepare(sql).all(values) as ReadonlyArray<Row>
      return found.map(toFile)
    },
    listDeliveries: async ({ status, before = newest, limit }) =>
      all(listDeliveries(status), before, limit).map(toDelivery),
    findDelivery: async (id) => {
      const [row] = all(findDelivery, id)
      return row === undefined ? null : toDelivery(row)
    },
    listAttempts: async (deliveryId) => all(listAttempts, deliveryId).map((row) => row as unknown as DeliveryAttempt),
  }
}
