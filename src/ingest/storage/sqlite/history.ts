import type { DatabaseSync, SupportedValueType } from "node:sqlite"
import type { CatalogHistory } from "../catalog/history.ts"
import type { DeliveryAttempt, UploadWithDelivery } from "../catalog/records.ts"
import { findDelivery, listAttempts, listDeliveries } from "../sql/history.ts"
import { createFileListing } from "../sql/list-files.ts"
import { type Row, toUpload } from "../sql/rows.ts"
import { prepareOnce } from "./prepare-once.ts"
import { createStepReader } from "./step-reader.ts"

/** Where the first page begins. */
const newest = Number.MAX_SAFE_INTEGER

const toDelivery = (row: Row): UploadWithDelivery => toUpload(row) as UploadWithDelivery

/**
 * The listings for operators in the SQLite catalog. Statements are prepared when they are first needed: an ingest
 * never needs them.
 */
export const createHistory = (database: DatabaseSync): CatalogHistory => {
  const prepare = prepareOnce(database)
  const all = (sql: string, ...values: ReadonlyArray<SupportedValueType>): ReadonlyArray<Row> =>
    prepare(sql).all(...values) as ReadonlyArray<Row>

  return {
    ...createFileListing(createStepReader(database)),
    listDeliveries: async ({ status, before = newest, limit }) =>
      all(listDeliveries(status), before, limit).map(toDelivery),
    findDelivery: async (id) => {
      const [row] = all(findDelivery, id)
      return row === undefined ? null : toDelivery(row)
    },
    listAttempts: async (deliveryId) => all(listAttempts, deliveryId).map((row) => row as unknown as DeliveryAttempt),
  }
}
