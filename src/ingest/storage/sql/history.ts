import { fileStatuses } from "../../../protocol/rest-messages.ts"
import { isMeant } from "./is-meant.ts"
import { selectFile, selectUpload } from "./rows.ts"

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
  return `${selectFile} WHERE f.id IN (SELECT id FROM (${files} ORDER BY path, id LIMIT :limit) AS found) ORDER BY f.path, f.id`
}

export const listDeliveries = (status?: string): string =>
  `${selectUpload} WHERE f.id IN (${deliveriesOf(status)}) ORDER BY f.id DESC`

export const findDelivery = `${selectUpload} WHERE d.id = ?`

export const listAttempts = `
  SELECT attempt, started_at AS "startedAt", latency, status, error, answer FROM attempts
  WHERE delivery_id = ? ORDER BY attempt`
