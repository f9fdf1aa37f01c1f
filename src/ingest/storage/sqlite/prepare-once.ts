import type { DatabaseSync, StatementSync } from "node:sqlite"

/** Prepares statements when they are first needed, and keeps them. */
export const prepareOnce = (database: DatabaseSync): ((sql: string) => StatementSync) => {
  const prepared = new Map<string, StatementSync>()
  return (sql) => {
    const statement = prepared.get(sql) ?? database.prepare(sql)
    prepared.set(sql, statement)
    return statement
  }
}
