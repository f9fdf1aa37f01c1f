import { limits } from "../../../protocol/limits.ts"
import type { FileRecord } from "../catalog/records.ts"
import type { CatalogRegistrations, RegisterOutcome } from "../catalog/registrations.ts"
import { refuseRegistration, sizeExpected, sizeRegistration } from "../quota.ts"
import { toRegistration } from "../sql/rows.ts"
import { statements } from "../sql/statements.ts"
import { decideRegister, untoldUrlTtl } from "../upload-rules.ts"
import type { Database, Sql, Transaction } from "./database.ts"
import { dropRegistrations, insertRegistration, isGone, schedule } from "./steps.ts"
import { findUsage } from "./usage.ts"

type Register = Parameters<CatalogRegistrations["register"]>[0]

/** The upload of a key that belongs to a registration; one whose key was taken over counts only where they have ids. */
const findOfWireId = async (sql: Sql, key: string, appId: string, wireId: string) => {
  const row =
    (await sql.one(statements.ofWireId, key, appId, wireId)) ??
    (wireId === "" ? undefined : await sql.one(statements.replacedOfWireId, key, appId, wireId))
  if (row === undefined) return undefined
  const { id, status, hold, isCurrent, registrationId } = row
  return {
    id: id as number,
    status: status as FileRecord["status"],
    hold: hold === 1,
    isRegistered: registrationId !== null,
    isCurrent: isCurrent === 1,
  }
}

/** How much each of these keys counts already where it is announced. */
const findBytes = async (sql: Sql, keys: ReadonlyArray<string>, wireId: string) => {
  const rows = await sql.all(
    "SELECT key, bytes FROM expected_files WHERE key = ANY (?::text[]) AND wire_id = ?",
    keys,
    wireId,
  )
  const bytes = new Map(rows.map((row) => [row.key as string, row.bytes as number]))
  return (key: string): number | undefined => bytes.get(key)
}

/** Notes what an app wants for uploads. */
export const registerUploads = async (
  sql: Transaction,
  { appId, id: wireId = "", expires, fileKeys, now, createEventId, bounds = {}, appSince, ...registration }: Register,
): Promise<RegisterOutcome> => {
  const bytes = sizeRegistration(registration)
  const size = { bytes, keys: fileKeys.length }
  const bytesOf = (key: string) => sizeExpected(key, size)
  await sql.hold(fileKeys)
  if (await isGone(sql, appId, appSince)) return "unknownApp"
  const bytesBefore = await findBytes(sql, fileKeys, wireId)
  const refusal = refuseRegistration(await findUsage(sql, appId), { fileKeys, bytes, bounds }, bytesOf, bytesBefore)
  if (refusal !== undefined) return refusal
  const id = await insertRegistration(sql, appId, registration, now)
  const replaced = new Set<unknown>([id])
  for (const key of fileKeys) {
    const upload = await findOfWireId(sql, key, appId, wireId)
    const verdict = decideRegister(upload, wireId === "" ? null : wireId)
    if (upload !== undefined && verdict.isAttached) await sql.run(statements.attach, id, upload.id)
    if (upload !== undefined && verdict.isOwed) {
      await schedule(sql, upload.id, createEventId(), now, null)
      if (verdict.isUnheard) await sql.run(statements.dropDevEvent, upload.id)
    }
    if (upload !== undefined && verdict.isUnderWay && expires !== undefined) {
      await sql.run(statements.prolong, expires, upload.id)
    }
    if (!verdict.isExpected) {
      await sql.run(statements.noteUrlsEnd, now + limits.uploadLifetime, key, appId)
      continue
    }
    const former = await sql.one(statements.expected, key, wireId)
    if (former !== undefined) replaced.add(former.id)
    await sql.run(statements.expect, key, wireId, id, expires ?? now + untoldUrlTtl, appId, bytesOf(key))
  }
  await dropRegistrations(sql, replaced)
  return "registered"
}

/** What apps have announced, in the PostgreSQL catalog. */
export const createRegistrations = ({ read }: Database): Pick<CatalogRegistrations, "findRegistration"> => ({
  findRegistration: async ({ appId, key, id = "" }) => {
    const row = await read.one(statements.registration, key, id, appId)
    return row === undefined ? null : toRegistration(row)
  },
})
