import type { CatalogHistory } from "../catalog/history.ts"
import type { DeliveryAttempt, UploadWithDelivery } from "../catalog/records.ts"
import { endOfPrefix } from "../path-order.ts"
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
import type { Database } from "./database.ts"

/** Where the first page begins. */
const newest = Number.MAX_SAFE_INTEGER

const toDelivery = (row: Row): UploadWithDelivery => toUpload(row) as UploadWithDelivery

/** The listings for operators in the PostgreSQL catalog. */
export const createHistory = ({ read }: Database): CatalogHistory => ({
  list: async ({ appId, status, owner, before = newest, limit, offset = 0 }) => {
    if (appId === undefined) return (await read.all(listFiles(status), before, limit, offset)).map(toFile)
    const found =
      owner === undefined
        ? await read.all(listFilesOfApp(status), appId, before, limit, offset)
        : await read.all(listFilesOfOwner(status), appId, before, limit, offset, owner)
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
    return (await read.all(listFilesByPath(status, owner === undefined ? "all" : "owner", place), values)).map(toFile)
  },
  listDeliveries: async ({ status, before = newest, limit }) =>
    (await read.all(listDeliveries(status), before, limit)).map(toDelivery),
  findDelivery: async (id) => {
    const row = await read.one(findDelivery, id)
    return row === undefined ? null : toDelivery(row)
  },
  listAttempts: async (deliveryId) =>
    (await read.all(listAttempts, deliveryId)).map((row) => row as unknown as DeliveryAttempt),
})
