import type { DatabaseSync, SupportedValueType } from "node:sqlite"
import type { Row } from "../sql/rows.ts"
import type { StepReader } from "../sql/step-reader.ts"
import { prepareOnce } from "./prepare-once.ts"

/** Reads in steps, between which others are served. */
export const createStepReader = (database: DatabaseSync): StepReader => {
  const prepare = prepareOnce(database)
  return {
    all: async (sql, values) =>
      prepare(sql).all(values as Readonly<Record<string, SupportedValueType>>) as ReadonlyArray<Row>,
    merging: "lazily",
    longestStep: 2000,
    pause: () => new Promise((resolve) => setImmediate(resolve)),
  }
}
