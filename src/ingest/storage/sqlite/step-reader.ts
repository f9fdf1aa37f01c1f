import type { DatabaseSync, StatementSync, SupportedValueType } from "node:sqlite"
import type { Row } from "../sql/rows.ts"
import type { StepReader } from "../sql/step-reader.ts"

/** Reads in steps, between which others are served. Statements are prepared when they are first needed. */
export const createStepReader = (database: DatabaseSync): StepReader => {
  const prepared = new Map<string, StatementSync>()
  const prepare = (sql: string): StatementSync => {
    const statement = prepared.get(sql) ?? database.prepare(sql)
    prepared.set(sql, statement)
    return statement
  }
  return {
    all: async (sql, values) =>
      prepare(sql).all(values as Readonly<Record<string, SupportedValueType>>) as ReadonlyArray<Row>,
    merging: "lazily",
    longestStep: 2000,
    pause: () => new Promise((resolve) => setImmediate(resolve)),
  }
}
