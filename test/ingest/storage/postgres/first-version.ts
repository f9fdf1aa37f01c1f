import { createDatabase } from "../../../../src/ingest/storage/postgres/database.ts"
import { migrate, migrations } from "../../../../src/ingest/storage/postgres/schema.ts"
import type { PostgresPool, PostgresQuery } from "../../../../src/postgres.ts"

/** Makes a schema as the first version of this package made it. */
export const makeFirstVersion = (pool: PostgresPool, schema: string): Promise<void> =>
  migrate(createDatabase(pool, schema, `SELECT "${schema}_1".hold_keys(?::text[])`), schema, migrations.slice(0, 1))

/** Takes a parameter out of a statement, where it is the one that a part of it names. */
const without = (query: PostgresQuery, part: RegExp): PostgresQuery => {
  const found = part.exec(query.text)
  if (found === null) return query
  const text = query.text.replace(part, "")
  const number = Number(found[1])
  if (found[1] === undefined) return { ...query, text }
  const renumbered = text.replace(/\$(\d+)/g, (name, each: string) =>
    Number(each) > number ? `$${Number(each) - 1}` : name,
  )
  return { ...query, text: renumbered, values: query.values.toSpliced(number - 1, 1) }
}

/** A statement of today's driver as that of the first version said it. */
const toFirst = (query: PostgresQuery, schema: string): PostgresQuery => {
  const older = [
    /(?<=commit(?:_whole)?\(.*), \$(\d+)(?=\)$)/,
    /, claimed_by(?=\))/,
    /, CASE WHEN r\.is_dev = 1 THEN NULL ELSE CAST\(\$(\d+) AS text\) END/,
    /, claimed_by = (?:NULL|\$(\d+))/,
  ].reduce(without, { ...query, text: query.text.replaceAll(`"${schema}_2"`, `"${schema}_1"`) })
  const text = older.text
    .replaceAll("least(attempts, failures + 1)", "failures + 1")
    .replace(/^SELECT version, oldest FROM .*/, "SELECT 2 AS version, 1 AS oldest")
  if (/claimed_by|_2"|processes|writers/.test(text)) throw new Error(`The first version did not say: ${text}`)
  return { ...older, text }
}

/**
 * Connections for a process of the first version: what today's driver says goes to the server as that one said it.
 *
 * @param said every statement by itself, with how it ended: where one of many uploads fails, each is tried again alone
 */
export const createFirstPool = (pool: PostgresPool, schema: string, said: Map<string, unknown>): PostgresPool => ({
  query: async (query) => {
    const { text, ...first } = toFirst(query, schema)
    try {
      const result = await pool.query({ ...first, text })
      said.set(text, said.get(text) ?? "done")
      return result
    } catch (cause) {
      said.set(text, cause)
      throw cause
    }
  },
  connect: async () => {
    const client = await pool.connect()
    return {
      query: (query) => client.query(toFirst(query, schema)),
      release: (isBroken) => client.release(isBroken),
    }
  },
})
