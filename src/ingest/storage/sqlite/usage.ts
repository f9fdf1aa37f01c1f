import type { OwnerUsage, Usage } from "../catalog/records.ts"
import { noOwnerUsage, noUsage } from "../quota.ts"
import { one, type Statements } from "./statements.ts"

/** How much the catalog keeps for an app, as its triggers count it. */
export const findUsage = (sql: Statements, appId: string): Usage =>
  (one(sql.usage, appId) as Usage | undefined) ?? noUsage

/** How much the files of an owner take, as its triggers count it. */
export const findOwnerUsage = (sql: Statements, appId: string, owner: string): OwnerUsage =>
  (one(sql.ownerUsage, appId, owner) as OwnerUsage | undefined) ?? noOwnerUsage
