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
    return "SELECT id FROM files INDEXED BY files_to_claim WHERE id < :before AND is_current = 1 AND status = 'Uploaded' AND claim_by IS NOT NULL ORDER BY id DESC LIMIT :limit OFFSET :offset"
  }
  if (status === "Held") {
    return "SELECT id FROM files INDEXED BY files_held WHERE id < :before AND is_current = 1 AND status = 'Uploaded' AND hold = 1 ORDER BY id DESC LIMIT :limit OFFSET :offset"
  }
  const which = ofStatus("status", status) + (status === "Uploaded" ? " AND claim_by IS NULL AND hold IS NULL" : "")
  return `SELECT id FROM files ${index} WHERE id < :before AND is_current = 1${which} ORDER BY id DESC LIMIT :limit OFFSET :offset`
}

/** Files that a deletion means are listed as soon as their rows are changed. */
const unlessMeant = (status: string): string => (status === "Deleting" ? "" : ` AND NOT ${isMeant("files")}`)

type Whose = "all" | "owner"

const ofWhom = (whose: Whose): string => (whose === "owner" ? " AND owner = :owner" : "")

/** The ids of an app's files in one status, or of those of an owner, that are below one id and not below another. */
const byId = (status: string, whose: Whose, which = unlessMeant(status)): string =>
  `SELECT id FROM files INDEXED BY ${whose === "owner" ? "files_of_owner" : "files_of_app"}
  WHERE app_id = :appId${ofWhom(whose)} AND is_current = 1 AND state = ${quote(status)} AND id < :before AND id >= :from${which}`

/** On a page that is not the first one the files of the same path come first: each is a search in the index. */
const placesOf = { first: ["path >= :prefix"], next: ["path = :path AND id > :id", "path > :path"] } as const

type Place = keyof typeof placesOf

/** Up to a file and with it. */
const upTo = "path <= :toPath AND (path < :toPath OR id <= :toId)"

const byPath = (status: string, whose: Whose, place: string, which = unlessMeant(status)): string =>
  `SELECT id, path FROM files INDEXED BY ${whose === "owner" ? "files_of_owner_by_path" : "files_by_path"}
  WHERE app_id = :appId${ofWhom(whose)} AND is_current = 1 AND state = ${quote(status)} AND ${place} AND ${upTo}${which}`

/** Each status is sorted in the index; those of all statuses are merged as they are read. */
const inEach = (status: string | undefined, select: (status: string) => ReadonlyArray<string>): string =>
  (status === undefined ? fileStatuses : [status]).flatMap(select).join(" UNION ALL ")

const deliveriesOf = (status: string | undefined): string => {
  const index = status === "pending" ? "INDEXED BY deliveries_due" : ""
  return `SELECT file_id FROM deliveries ${index} WHERE file_id < ?${ofStatus("status", status)} ORDER BY file_id DESC LIMIT ?`
}

export const listFiles = (status?: string): string =>
  `${selectFile} WHERE f.id IN (${filesOf(status)}) ORDER BY f.id DESC`

/**
 * How a database merges what is sorted in an index of each status: `lazily` as it is read, or `limited` to what is needed of each,
 * because it would sort all of them.
 */
export type Merging = "lazily" | "limited"

const sorted = (select: string, order: string, most: string, merging: Merging): string =>
  merging === "lazily" ? select : `SELECT * FROM (${select} ORDER BY ${order} LIMIT ${most}) AS few`

export const listFilesOfApp = (status: string | undefined, whose: Whose, merging: Merging): string => {
  const most = "CAST(:limit AS BIGINT) + :offset"
  const files = inEach(status, (each) => [sorted(byId(each, whose), "id DESC", most, merging)])
  return `${selectFile} WHERE f.id IN (${files} ORDER BY id DESC LIMIT :limit OFFSET :offset) ORDER BY f.id DESC`
}

/** How many files {@link listFilesOfApp} finds without a limit. */
export const countFilesOfApp = (status: string | undefined, whose: Whose): string =>
  `SELECT count(*) AS count FROM (${inEach(status, (each) => [byId(each, whose)])}) AS found`

/** Where a step ends: what comes after so many. */
const last = "LIMIT 1 OFFSET CAST(:step AS BIGINT) - 1"

/** The last of `:step` files, where that many are left, whether or not a deletion means them. */
export const edgeOfFiles = (status: string | undefined, whose: Whose, merging: Merging): string => {
  const files = inEach(status, (each) => [sorted(byId(each, whose, ""), "id DESC", ":step", merging)])
  return `${files} ORDER BY id DESC ${last}`
}

const inOrderOfPaths = (
  status: string | undefined,
  place: Place,
  merging: Merging,
  select: (status: string, place: string) => string,
  most: string,
): string =>
  inEach(status, (each) => placesOf[place].map((where) => sorted(select(each, where), "path, id", most, merging)))

export const listFilesByPath = (status: string | undefined, whose: Whose, place: Place, merging: Merging): string => {
  const files = inOrderOfPaths(status, place, merging, (each, where) => byPath(each, whose, where), ":limit")
  return `${selectFile} WHERE f.id IN (SELECT id FROM (${files} ORDER BY path, id LIMIT :limit) AS found) ORDER BY f.path, f.id`
}

/** The same as {@link edgeOfFiles} in the order of the paths. */
export const edgeOfPaths = (status: string | undefined, whose: Whose, place: Place, merging: Merging): string => {
  const files = inOrderOfPaths(status, place, merging, (each, where) => byPath(each, whose, where, ""), ":step")
  return `${files} ORDER BY path, id ${last}`
}

export const listDeliveries = (status?: string): string =>
  `${selectUpload} WHERE f.id IN (${deliveriesOf(status)}) ORDER BY f.id DESC`

export const findDelivery = `${selectUpload} WHERE d.id = ?`

export const listAttempts = `
  SELECT attempt, started_at AS "startedAt", latency, status, error, answer FROM attempts
  WHERE delivery_id = ? ORDER BY attempt`
