import type { CatalogHistory } from "../catalog/history.ts"
import type { DeliveryAttempt, UploadWithDelivery } from "../catalog/records.ts"
import { findDelivery, listAttempts, listDeliveries } from "../sql/history.ts"
import { createFileListing } from "../sql/list-files.ts"
import { type Row, toUpload } from "../sql/rows.ts"
import type { Database } from "./database.ts"
import { toStepReader } from "./step-reader.ts"

/** Where the first page begins. */
const newest = Number.MAX_SAFE_INTEGER

const toDelivery = (row: Row): UploadWithDelivery => toUpload(row) as UploadWithDelivery

/** The listings for operators in the PostgreSQL catalog. */
export const createHistory = ({ read }: Database): CatalogHistory => ({
  ...createFileListing(toStepReader(read)),
  listDeliveries: async ({ status, before = newest, limit }) =>
    (await read.all(listDeliveries(status), before, limit)).map(toDelivery),
  findDelivery: async (id) => {
    const row = await read.one(findDelivery, id)
    return row === undefined ? null : toDelivery(row)
  },
  listAttempts: async (deliveryId) =>
    (await read.all(listAttempts, deliveryId)).map((row) => row as unknown as DeliveryAttempt),
})
