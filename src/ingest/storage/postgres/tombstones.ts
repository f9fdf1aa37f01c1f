import type { UploadGrant } from "../../../protocol/signing/signed-url.ts"
import type { Tombstone } from "../catalog/records.ts"
import type { CatalogTombstones } from "../catalog/tombstones.ts"
import { statements } from "../sql/statements.ts"
import { judgeKey, type KeyVerdict } from "../tombstone.ts"
import type { Database, Sql } from "./database.ts"
import { findUpload } from "./steps.ts"

const findTombstone = async (sql: Sql, appId: string, key: string): Promise<Tombstone | null> =>
  ((await sql.one(statements.tombstone, appId, key)) as unknown as Tombstone | undefined) ?? null

const judgeGrant = async (sql: Sql, grant: UploadGrant, now: number): Promise<KeyVerdict> => {
  const tombstone = await findTombstone(sql, grant.appId, grant.key)
  if (tombstone === null) return "open"
  const upload = await findUpload(sql, grant.key)
  const expected = await sql.one(statements.expected, grant.key, grant.registrationId ?? "")
  return judgeKey(tombstone, grant, now, { file: upload?.file, isExpected: () => expected !== undefined })
}

/** As `TombstoneSteps.findRefusal` says it. */
export const findRefusal = async (
  sql: Sql,
  grant: UploadGrant,
  now: number,
): Promise<Exclude<KeyVerdict, "open"> | undefined> => {
  const verdict = await judgeGrant(sql, grant, now)
  if (verdict === "open") return undefined
  if (grant.issuedAt === undefined) await sql.run(statements.prolongTombstone, grant.expires, grant.appId, grant.key)
  return verdict
}

/** As `TombstoneSteps.bury` says it. */
export const bury = async (
  sql: Sql,
  appId: string,
  key: string,
  { deletedAt, until }: Tombstone,
  hadFile: boolean,
): Promise<void> => {
  await sql.run(statements.bury, appId, key, deletedAt, until, Number(hadFile))
}

/** The tombstones of deleted files in the PostgreSQL catalog. */
export const createTombstones = ({ read, write }: Database): CatalogTombstones => ({
  findTombstone: (appId, key) => findTombstone(read, appId, key),
  judgeKey: async (grant, now) => {
    const verdict = await judgeGrant(read, grant, now)
    if (verdict !== "open") return verdict
    // A deletion that has not reached the file has left no tombstone yet.
    return (await read.one(statements.meant, grant.key)) === undefined ? "open" : "deleted"
  },
  forgetTombstones: ({ now, limit }) => write((sql) => sql.run(statements.forgetTombstones, now, limit)),
})
