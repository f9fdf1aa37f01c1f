import type { UploadGrant } from "../../../protocol/signing/signed-url.ts"
import type { Tombstone } from "../catalog/records.ts"
import type { CatalogTombstones } from "../catalog/tombstones.ts"
import { judgeKey, type KeyVerdict, type TombstoneSteps } from "../tombstone.ts"
import { one, type Statements } from "./statements.ts"
import type { Steps } from "./steps.ts"
import type { Transactions } from "./transactions.ts"

/** The tombstones of deleted files in the SQLite catalog. */
export const createTombstones = (
  sql: Statements,
  { read, write }: Transactions,
  { findUpload }: Pick<Steps, "findUpload">,
): CatalogTombstones & TombstoneSteps => {
  const findTombstone = (appId: string, key: string): Tombstone | null =>
    (one(sql.tombstone, appId, key) as Tombstone | undefined) ?? null

  const judgeGrant = (grant: UploadGrant, now: number): KeyVerdict => {
    const tombstone = findTombstone(grant.appId, grant.key)
    if (tombstone === null) return "open"
    return judgeKey(tombstone, grant, now, {
      file: findUpload(grant.key)?.file,
      isExpected: () => one(sql.expected, grant.key, grant.registrationId ?? "") !== undefined,
    })
  }

  const findRefusal = (grant: UploadGrant, now: number): Exclude<KeyVerdict, "open"> | undefined => {
    const verdict = judgeGrant(grant, now)
    if (verdict === "open") return undefined
    if (grant.issuedAt === undefined) sql.prolongTombstone.run(grant.expires, grant.appId, grant.key)
    return verdict
  }

  return {
    findTombstone: (appId, key) => read(() => findTombstone(appId, key)),
    judgeKey: (grant, now) =>
      read(() => {
        const verdict = judgeGrant(grant, now)
        // A deletion that has not reached the file has left no tombstone yet.
        return verdict === "open" && one(sql.meant, grant.key) !== undefined ? "deleted" : verdict
      }),
    forgetTombstones: ({ now, limit }) => write(() => Number(sql.forgetTombstones.run(now, limit).changes)),
    findRefusal,
    bury: (appId, key, { deletedAt, until }, hadFile) => {
      sql.bury.run(appId, key, deletedAt, until, Number(hadFile))
    },
  }
}
