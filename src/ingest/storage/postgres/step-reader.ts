import type { StepReader } from "../sql/step-reader.ts"
import type { Sql } from "./database.ts"

/** Reads in steps. Each is a statement of its own, and this process waits for none of them. */
export const toStepReader = ({ all }: Sql): StepReader => ({
  all,
  merging: "limited",
  longestStep: 10_000,
  pause: async () => {},
})
