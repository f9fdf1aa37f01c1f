import type { DatabaseSync } from "node:sqlite"
import type { UploadRecord } from "../catalog/records.ts"
import type { CatalogHolds } from "../catalog/holds.ts"
import { toRejection } from "../upload-rules.ts"
import { reject, release } from "../sql/holds.ts"
import { createHeldListing } from "../sql/list-held.ts"
import type { Row } from "../sql/rows.ts"
import type { Statements } from "./statements.ts"
import { createStepReader } from "./step-reader.ts"
import type { Steps } from "./steps.ts"
import type { Transactions } from "./transactions.ts"

/** What waits for a verdict in the SQLite catalog. */
export const createHolds = (
  database: DatabaseSync,
  { deleteContent }: Statements,
  { write }: Transactions,
  { findUpload, schedule, isGone }: Pick<Steps, "findUpload" | "schedule" | "isGone">,
): CatalogHolds => {
  const sql = {
    release: database.prepare(release),
    reject: database.prepare(reject),
  }

  return {
    judgeHeld: ({ appId, files, verdict, now, createEventId, appSince }) =>
      write((): ReadonlyArray<UploadRecord> => {
        if (isGone(appId, appSince)) return []
        const { code, message } = toRejection(verdict.kind === "reject" ? verdict.reason : undefined)
        return files.flatMap(({ key, id = null }) => {
          const which = { key, appId, id, now }
          const row = (
            verdict.kind === "release" ? sql.release.get(which) : sql.reject.get({ ...which, code, message })
          ) as Row | undefined
          if (row === undefined) return []
          if (verdict.kind === "reject") deleteContent.run(row.id!)
          if (row.registrationId !== null) schedule(row.id as number, createEventId(), now, null)
          return [findUpload(key)!]
        })
      }),
    ...createHeldListing(createStepReader(database), {
      sql: "f.id NOT IN (SELECT value FROM json_each(:except))",
      toValue: (ids) => JSON.stringify(ids),
    }),
  }
}
