import { limits } from "../../../protocol/limits.ts"
import type { CatalogRegistrations } from "../catalog-registrations.ts"
import { fitsCatalog, sizeKey, sizeRegistration } from "../quota.ts"
import { untoldUrlTtl } from "../same-upload.ts"
import type { Row, Tables } from "./rows.ts"
import type { Steps } from "./steps.ts"
import { findUsage, fitsKeys, sizeExpected } from "./usage.ts"

/** What apps have announced, in memory. */
export const createMemoryRegistrations = (
  tables: Tables,
  { schedule, isCurrent, dropDevEvent, isGone }: Pick<Steps, "schedule" | "isCurrent" | "dropDevEvent" | "isGone">,
): CatalogRegistrations => {
  const { rows, allRows, expected } = tables
  let lastRegistration = 0

  /** The upload of a key that belongs to a registration; one whose key another took only where they have ids. */
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
      const size = { bytes: sizeRegistration(rest), keys: fileKeys.length }
      const usage = findUsage(tables, rest.appId)
      const find = (key: string) => expected.find({ key, registrationId })?.registration
      if (!fitsKeys(usage, fileKeys, (key) => sizeExpected(key, size), bounds, find)) return "tooManyExpected"
      const all = fileKeys.reduce((sum, key) => sum + sizeKey(key), size.bytes)
      if (!fitsCatalog(usage, all, bounds.quota)) return "overQuota"
      const registration = { ...rest, ...size, id: ++lastRegistration, registeredAt: now }
      for (const key of fileKeys) {
        const row = findUploadOf(key, rest.appId, registrationId)
        const status = row?.file.status
        const hasEnded = status === "Uploaded" || status === "Failed"
        if (hasEnded && row!.delivery === null) {
          row!.registration = registration
          schedule(row!, createEventId(), now, 0)
          if (!isCurrent(row!.file)) dropDevEvent(row!)
        }
        if (status === "Uploading") row!.file = { ...row!.file, expires: Math.max(row!.file.expires, expires ?? 0) }
        // Without an id, the key of what has failed or goes may be taken by a new upload: then this is for that one.
        const isDue = registrationId === null ? status !== "Uploaded" : !hasEnded && status !== "Deleting"
        if (isDue) expected.set({ key, registrationId }, registration, expires ?? now + untoldUrlTtl)
        else {
          // There is a new URL for a key that has its file.
          const current = rows.get(key)!
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
