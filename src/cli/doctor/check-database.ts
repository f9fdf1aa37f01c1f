import type { DatabaseChoice } from "../deployment/deployment.ts"
import { explainDatabase } from "../deployment/explain-database.ts"
import { withPool } from "../deployment/lend-pool.ts"
import { findForeignTables } from "../deployment/open-database.ts"
import { failed, type Finding, ok } from "./finding.ts"

/** Whether a database can be reached, and has a catalog; nothing is made. */
export const checkDatabase = (choice: DatabaseChoice): Promise<ReadonlyArray<Finding>> =>
  withPool(choice, async (pool) => {
    try {
      const foreign = await findForeignTables(pool, choice, false)
      if (foreign !== undefined) return [failed("Catalog", foreign.message, foreign.advice)]
      return [ok("Catalog", `is in PostgreSQL ${choice.place}, in the schema ${choice.schema}`)]
    } catch (error) {
      const { reason, advice } = explainDatabase(error, choice)
      return [failed("Catalog", reason, advice)]
    }
  })
