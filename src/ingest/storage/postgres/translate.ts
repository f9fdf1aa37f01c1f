/** The tables of the catalog, and of the journal of a bucket. */
const tables = [
  "files",
  "contents",
  "registrations",
  "expected_files",
  "deliveries",
  "attempts",
  "tombstones",
  "deletions",
  "usage",
  "owner_usage",
  "apps",
  "app_keys",
  "apps_revision",
  "endpoints",
  "endpoint_secrets",
  "endpoint_events",
  "file_changes",
  "held_keys",
  "processes",
  "writers",
  "leads",
  "blobs",
  "blob_parts",
  "late_removals",
] as const

const tableName = new RegExp(String.raw`\b(FROM|JOIN|INTO|UPDATE)(\s+)(?=(?:${tables.join("|")})\b)`, "g")

/** A name, whatever characters it has. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Says in which schema the tables are: there is no search path to rely on, because a pooler gives each transaction another session. */
export const qualify = (sql: string, schema: string): string =>
  sql.replace(tableName, (_, word: string, space: string) => `${word}${space}${quoteName(schema)}.`)

/** A statement as PostgreSQL reads it. */
export interface Translated {
  readonly text: string
  /** The names of its parameters, in their order; undefined where they have numbers. */
  readonly names: ReadonlyArray<string> | undefined
}

/**
 * Turns a statement of `../sql/` into one for PostgreSQL: parameters `?`, `?1` or `:name` become `$1`, tables get their
 * schema, and which index to use is left to the planner.
 */
export const translate = (sql: string, schema: string): Translated => {
  const names: Array<string> = []
  let count = 0
  const text = qualify(sql, schema)
    .replace(/\bINDEXED BY \w+/g, "")
    .replace(/\browid\b/g, "place")
    .replace(/\?(\d*)/g, (_, number: string) => `$${number === "" ? ++count : number}`)
    .replace(/(?<![:\w]):([a-z]\w*)/gi, (_, name: string) => {
      if (!names.includes(name)) names.push(name)
      return `$${names.indexOf(name) + 1}`
    })
  return { text, names: names.length === 0 ? undefined : names }
}
