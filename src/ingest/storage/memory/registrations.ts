import { limits } from "../../../protocol/limits.ts"
import type { CatalogRegistrations } from "../catalog/registrations.ts"
import { refuseRegistration, sizeExpected, sizeRegistration } from "../quota.ts"
import { decideRegister, untoldUrlTtl } from "../upload-rules.ts"
import type { Row, Tables } from "./rows.ts"
import type { Steps } from "./steps.ts"
import { findUsage } from "./usage.ts"

/** What apps have announced, in memory. */
export const createMemoryRegistrations = (
  tables: Tables,
  {
    schedule,
    isCurrent,
    dropDevEvent,
    isGone,
    toRegistered,
  }: Pick<Steps, "schedule" | "isCurrent" | "dropDevEvent" | "isGone" | "toRegistered">,
): CatalogRegistrations => {
  const { rows, allRows, expected } = tables
  /** The upload of a key that belongs to a registration; one whose key was taken over counts only where they have ids. */
  const findUploadOf = (key: string, appId: string, registrationId: string | null): Row | undefined => {
    const isOf = ({ file }: Row) => file.appId === appId && file.registrationId === registrationId
    const current = rows.get(key)
    if (current !== undefined && isOf(current)) return current
    const mayBeReplaced = registrationId !== null && allRows.size > rows.size
    return mayBeReplaced ? [...allRows].findLast((row) => row.file.key === key && isOf(row)) : undefined
  }

  return {
    register: async ({ id, expires, fileKeys, now, createEventId, bounds = {}, appSince, ...rest }) => {
      if (isGone(rest.appId, appSince)) return "unknownApp"
      const registrationId = id ?? null
      const { appId, ...given } = rest
      const bytes = sizeRegistration(given)
      const bytesOf = (key: string) => sizeExpected(key, { bytes, keys: fileKeys.length })
      const bytesBefore = (key: string) => expected.find({ key, registrationId })?.bytes
      const usage = findUsage(tables, rest.appId)
      const refusal = refuseRegistration(usage, { fileKeys, bytes, bounds }, bytesOf, bytesBefore)
      if (refusal !== undefined) return refusal
      const registration = toRegistered(appId, given, now)
      for (const key of fileKeys) {
        const row = findUploadOf(key, rest.appId, registrationId)
        const upload = row && {
          status: row.file.status,
          hold: row.file.hold,
          isRegistered: row.registration !== null,
          isCurrent: isCurrent(row.file),
        }
        const verdict = decideRegister(upload, registrationId)
        if (row !== undefined && verdict.isAttached) row.registration = registration
        if (row !== undefined && verdict.isOwed) {
          schedule(row, createEventId(), now, 0)
          if (verdict.isUnheard) dropDevEvent(row)
        }
        if (row !== undefined && verdict.isUnderWay) {
          row.file = { ...row.file, expires: Math.max(row.file.expires, expires ?? 0) }
        }
        if (verdict.isExpected) {
          const newest = { registration, expires: expires ?? now + untoldUrlTtl, bytes: bytesOf(key) }
          expected.set({ key, registrationId }, newest)
          continue
        }
        const current = rows.get(key)
        if (current?.file.appId === rest.appId) {
          current.urlsEnd = Math.max(current.urlsEnd, now + limits.uploadLifetime)
        }
      }
      return "registered"
    },
    findRegistration: async ({ appId, key, id }) => {
      const registrationId = id ?? null
      const current = rows.get(key)
      const isDone = current?.file.status === "Uploaded" || current?.file.status === "Deleting"
      const registration = !isDone
        ? expected.find({ key, registrationId })?.registration
        : current.file.status === "Uploaded" && current.file.registrationId === registrationId
          ? current.registration
          : null
      return registration?.appId === appId ? registration : null
    },
  }
}
