import type { DatabaseSync } from "node:sqlite"
import type { UploadRecord } from "../catalog/records.ts"
import type { CatalogHolds } from "../catalog/holds.ts"
import { toRejection } from "../upload-rules.ts"
import { appsWithHeld, reject, release } from "../sql/holds.ts"
import { isMeant } from "../sql/is-meant.ts"
import { type Row, selectUpload, toUpload } from "../sql/rows.ts"
import { all, type Statements } from "./statements.ts"
import type { Steps } from "./steps.ts"
import type { Transactions } from "./transactions.ts"

/** The files of an app that are held, oldest first. */
export const heldOfApp = `
  ${selectUpload} WHERE f.app_id = ?1 AND f.hold = 1 AND f.status = 'Uploaded' AND f.is_current = 1
    AND f.id NOT IN (SELECT value FROM json_each(?2)) AND NOT ${isMeant("f")}
  ORDER BY f.id LIMIT ?3`

/** What waits for a verdict in the SQLite catalog. */
export const createHolds = (
  database: DatabaseSync,
  { deleteContent }: Statements,
  { read, write }: Transactions,
  { findUpload, schedule, isGone }: Pick<Steps, "findUpload" | "schedule" | "isGone">,
): CatalogHolds => {
  const sql = {
    release: database.prepare(release),
    reject: database.prepare(reject),
    appsWithHeld: database.prepare(appsWithHeld),
    heldOfApp: database.prepare(heldOfApp),
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
    listHeld: ({ limit, except }) =>
      read(() => {
        const excepted = JSON.stringify([...except])
        return all(sql.appsWithHeld).flatMap(({ appId }) => all(sql.heldOfApp, appId!, excepted, limit).map(toUpload))
      }),
  }
}
