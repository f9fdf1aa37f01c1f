import type { DatabaseSync, StatementSync, SupportedValueType } from "node:sqlite"
import { fileStatuses } from "../../../protocol/rest-messages.ts"
import type { CatalogHistory } from "../catalog-history.ts"
import { endOfPrefix } from "../path-order.ts"
import type { DeliveryAttempt, UploadWithDelivery } from "../catalog-records.ts"
import { isMeant } from "./is-meant.ts"
import { type Row, selectFile, selectUpload, toFile, toUpload } from "./rows.ts"

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

const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`

/**
 * There are few statuses, so each is written into the text of the statement: only then can SQLite use the partial index
 * of that status.
 */
const ofStatus = (column: string, status: string | undefined): string =>
  status === undefined ? "" : ` AND ${column} = ${quote(status)}`

/** Files in progress are few, and have an index by time: unless it is named, SQLite would walk all files by id. */
const filesOf = (status: string | undefined): string => {
  const index = status === "Uploading" ? "INDEXED BY files_unfinished" : ""
  // Pending and held files are few as well, and have indexes of their own.
  if (status === "Pending") {
    return "SELECT id FROM files INDEXED BY files_to_claim WHERE id < ? AND is_current = 1 AND status = 'Uploaded' AND claim_by IS NOT NULL ORDER BY id DESC LIMIT ? OFFSET ?"
  }
  if (status === "Held") {
    return "SELECT id FROM files INDEXED BY files_held WHERE id < ? AND is_current = 1 AND status = 'Uploaded' AND hold = 1 ORDER BY id DESC LIMIT ? OFFSET ?"
  }
  const which = ofStatus("status", status) + (status === "Uploaded" ? " AND claim_by IS NULL AND hold IS NULL" : "")
  return `SELECT id FROM files ${index} WHERE id < ? AND is_current = 1${which} ORDER BY id DESC LIMIT ? OFFSET ?`
}

/** Files that a deletion means are listed as soon as their rows are changed. */
const unlessMeant = (status: string): string => (status === "Deleting" ? "" : ` AND NOT ${isMeant("files")}`)

const ofApp = (status: string): string =>
  `SELECT id FROM files INDEXED BY files_of_app
  WHERE app_id = ?1 AND is_current = 1 AND state = ${quote(status)} AND id < ?2${unlessMeant(status)}`

const ofOwner = (status: string): string =>
  `SELECT id FROM files INDEXED BY files_of_owner
  WHERE app_id = ?1 AND owner = ?5 AND is_current = 1 AND state = ${quote(status)} AND id < ?2${unlessMeant(status)}`

/** On a page that is not the first one the files of the same path come first: each is a search in the index. */
const placesOf = { first: ["path >= :prefix"], next: ["path = :path AND id > :id", "path > :path"] } as const

type Place = keyof typeof placesOf
type Whose = "all" | "owner"

const byPath = (status: string, whose: Whose, place: string): string =>
  `SELECT id, path FROM files INDEXED BY ${whose === "owner" ? "files_of_owner_by_path" : "files_by_path"}
  WHERE app_id = :appId${whose === "owner" ? " AND owner = :owner" : ""} AND is_current = 1 AND state = ${quote(status)}
    AND ${place} AND path < :end${unlessMeant(status)}`

const deliveriesOf = (status: string | undefined): string => {
  const index = status === "pending" ? "INDEXED BY deliveries_due" : ""
  return `SELECT file_id FROM deliveries ${index} WHERE file_id < ?${ofStatus("status", status)} ORDER BY file_id DESC LIMIT ?`
}

export const listFiles = (status?: string): string =>
  `${selectFile} WHERE f.id IN (${filesOf(status)}) ORDER BY f.id DESC`

/** Each status is sorted in the index; those of all statuses are merged as they are read. */
export const listFilesOfApp = (status?: string): string => {
  const files = (status === undefined ? fileStatuses : [status]).map(ofApp).join(" UNION ALL ")
  return `${selectFile} WHERE f.id IN (${files} ORDER BY id DESC LIMIT ?3 OFFSET ?4) ORDER BY f.id DESC`
}

/** Each status is sorted in the index; those of all statuses are merged as they are read. */
export const listFilesOfOwner = (status?: string): string => {
  const files = (status === undefined ? fileStatuses : [status]).map(ofOwner).join(" UNION ALL ")
  return `${selectFile} WHERE f.id IN (${files} ORDER BY id DESC LIMIT ?3 OFFSET ?4) ORDER BY f.id DESC`
}

/** The same for paths. */
export const listFilesByPath = (status: string | undefined, whose: Whose, place: Place): string => {
  const files = (status === undefined ? fileStatuses : [status])
    .flatMap((each) => placesOf[place].map((where) => byPath(each, whose, where)))
    .join(" UNION ALL ")
  return `${selectFile} WHERE f.id IN (SELECT id FROM (${files} ORDER BY path, id LIMIT :limit)) ORDER BY f.path, f.id`
}

export const listDeliveries = (status?: string): string =>
  `${selectUpload} WHERE f.id IN (${deliveriesOf(status)}) ORDER BY f.id DESC`

const findDelivery = `${selectUpload} WHERE d.id = ?`

const listAttempts = `
  SELECT attempt, started_at AS startedAt, latency, status, error, answer FROM attempts
  WHERE delivery_id = ? ORDER BY attempt`
