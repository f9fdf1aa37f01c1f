import type { CatalogHolds } from "../catalog/holds.ts"
import type { UploadRecord } from "../catalog/records.ts"
import { reject, release } from "../sql/holds.ts"
import { createHeldListing } from "../sql/list-held.ts"
import { statements } from "../sql/statements.ts"
import { toRejection } from "../upload-rules.ts"
import type { Database } from "./database.ts"
import { toStepReader } from "./step-reader.ts"
import { findUpload, isGone, schedule } from "./steps.ts"

/** What waits for a verdict in the PostgreSQL catalog. */
export const createHolds = ({ read, write }: Database): CatalogHolds => ({
  judgeHeld: ({ appId, files, verdict, now, createEventId, appSince }) =>
    write(async (sql) => {
      await sql.hold(files.map(({ key }) => key))
      if (await isGone(sql, appId, appSince)) return []
      const { code, message } = toRejection(verdict.kind === "reject" ? verdict.reason : undefined)
      const judged: Array<UploadRecord> = []
      for (const { key, id = null } of files) {
        const which = { key, appId, id, now }
        const row =
          verdict.kind === "release"
            ? await sql.one(release, which)
            : await sql.one(reject, { ...which, code, message })
        if (row === undefined) continue
        if (verdict.kind === "reject") await sql.run(statements.deleteContent, row.id!)
        if (row.registrationId !== null) await schedule(sql, row.id as number, createEventId(), now, null)
        judged.push((await findUpload(sql, key))!)
      }
      return judged
    }),
  ...createHeldListing(toStepReader(read), {
    sql: "f.id <> ALL (:except::bigint[])",
    toValue: (ids) => ids,
  }),
})
