import type { Usage } from "../catalog-records.ts"
import { noUsage } from "../quota.ts"
import { one, type Statements } from "./statements.ts"

/** How much the catalog keeps for an app, as its triggers count it. */
export const findUsage = (sql: Statements, appId: string): Usage =>
  (one(sql.usage, appId) as Usage | undefined) ?? noUsage
