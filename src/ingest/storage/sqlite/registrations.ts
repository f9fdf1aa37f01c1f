import type { SupportedValueType } from "node:sqlite"
import { limits } from "../../../protocol/limits.ts"
import type { FileRecord } from "../catalog/records.ts"
import type { CatalogRegistrations, RegisterOutcome } from "../catalog/registrations.ts"
import { refuseRegistration, sizeExpected, sizeRegistration } from "../quota.ts"
import { decideRegister, untoldUrlTtl } from "../upload-rules.ts"
import { toRegistration } from "../sql/rows.ts"
import { one, type Statements } from "./statements.ts"
import type { Steps } from "./steps.ts"
import type { Transactions } from "./transactions.ts"
import { findUsage } from "./usage.ts"

/** What apps have announced, in the SQLite catalog. */
export const createRegistrations = (
  sql: Statements,
  { read, write }: Transactions,
  { schedule, isGone, insertRegistration }: Pick<Steps, "schedule" | "isGone" | "insertRegistration">,
): CatalogRegistrations => {
  /** The upload of a key that belongs to a registration; one whose key was taken over counts only where they have ids. */
  const findOfWireId = (key: string, appId: string, wireId: string) => {
    const row =
      one(sql.ofWireId, key, appId, wireId) ??
      (wireId === "" ? undefined : one(sql.replacedOfWireId, key, appId, wireId))
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

  return {
    register: async ({
      appId,
      id: wireId = "",
      expires,
      fileKeys,
      metadata,
      callbackUrl,
      callbackSlug,
      awaitServerData,
      isDev,
      trace,
      now,
      createEventId,
      bounds = {},
      appSince,
    }) => {
      const bytes = sizeRegistration({ metadata, callbackUrl, callbackSlug, trace })
      const size = { bytes, keys: fileKeys.length }
      const bytesOf = (key: string) => sizeExpected(key, size)
      return write((): RegisterOutcome => {
        if (isGone(appId, appSince)) return "unknownApp"
        const bytesBefore = (key: string) => one(sql.expected, key, wireId)?.bytes as number | undefined
        const refusal = refuseRegistration(findUsage(sql, appId), { fileKeys, bytes, bounds }, bytesOf, bytesBefore)
        if (refusal !== undefined) return refusal
        const id = insertRegistration(
          appId,
          { metadata, callbackUrl, callbackSlug, awaitServerData, isDev, trace },
          now,
        )
        const replaced = new Set<SupportedValueType>([id])
        for (const key of fileKeys) {
          const upload = findOfWireId(key, appId, wireId)
          const verdict = decideRegister(upload, wireId === "" ? null : wireId)
          if (upload !== undefined && verdict.isAttached) sql.attach.run(id, upload.id)
          if (upload !== undefined && verdict.isOwed) {
            schedule(upload.id, createEventId(), now, null)
            if (verdict.isUnheard) sql.dropDevEvent.run(upload.id)
          }
          if (upload !== undefined && verdict.isUnderWay && expires !== undefined) sql.prolong.run(expires, upload.id)
          if (!verdict.isExpected) {
            sql.noteUrlsEnd.run(now + limits.uploadLifetime, key, appId)
            continue
          }
          const former = one(sql.expected, key, wireId)
          if (former !== undefined) replaced.add(former.id!)
          sql.expect.run(key, wireId, id, expires ?? now + untoldUrlTtl, appId, bytesOf(key))
        }
        for (const each of replaced) sql.dropRegistration.run(each)
        return "registered"
      })
    },
    findRegistration: ({ appId, key, id = "" }) =>
      read(() => {
        const row = one(sql.registration, key, id, appId)
        return row === undefined ? null : toRegistration(row)
      }),
  }
}
