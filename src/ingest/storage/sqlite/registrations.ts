import type { SupportedValueType } from "node:sqlite"
import { limits } from "../../../protocol/limits.ts"
import type { CatalogRegistrations, RegisterOutcome } from "../catalog-registrations.ts"
import { fitsCatalog, sizeKey, sizeRegistration } from "../quota.ts"
import { untoldUrlTtl } from "../same-upload.ts"
import { type Row, toRegistration } from "./rows.ts"
import { one, type Statements } from "./statements.ts"
import type { Steps } from "./steps.ts"
import type { Transactions } from "./transactions.ts"
import { findUsage, fitsKeys } from "./usage.ts"

/** What apps have announced, in the SQLite catalog. */
export const createRegistrations = (
  sql: Statements,
  { read, write }: Transactions,
  { schedule, isGone }: Pick<Steps, "schedule" | "isGone">,
): CatalogRegistrations => {
  /** The upload of a key that belongs to a registration; one whose key another took only where they have ids. */
  const findOfWireId = (key: string, appId: string, wireId: string): Row | undefined =>
    one(sql.ofWireId, key, appId, wireId) ?? (wireId === "" ? undefined : one(sql.replacedOfWireId, key, appId, wireId))

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
      const share = Math.ceil(bytes / fileKeys.length)
      const bytesOf = (key: string) => sizeKey(key) + share
      const all = fileKeys.reduce((sum, key) => sum + sizeKey(key), bytes)
      return write((): RegisterOutcome => {
        if (isGone(appId, appSince)) return "unknownApp"
        const usage = findUsage(sql, appId)
        const find = (key: string) => one(sql.expected, key, wireId)
        if (!fitsKeys(usage, fileKeys, bytesOf, bounds, find)) return "tooManyExpected"
        if (!fitsCatalog(usage, all, bounds.quota)) return "overQuota"
        const { id } = one(
          sql.insertRegistration,
          appId,
          metadata,
          callbackUrl,
          callbackSlug,
          Number(awaitServerData),
          Number(isDev),
          trace?.traceparent ?? null,
          trace?.tracestate ?? null,
          now,
        )!
        const replaced = new Set<SupportedValueType>([id!])
        for (const key of fileKeys) {
          const upload = findOfWireId(key, appId, wireId)
          const hasEnded = upload?.status === "Uploaded" || upload?.status === "Failed"
          if (hasEnded && upload.deliveryId === null) {
            sql.attach.run(id!, upload.id!)
            schedule(upload.id as number, createEventId(), now, null)
            if (upload.isCurrent === 0) sql.dropDevEvent.run(upload.id!)
          }
          if (upload?.status === "Uploading" && expires !== undefined) sql.prolong.run(expires, upload.id!)
          // Without an id, the key of what has failed or goes may be taken by a new upload: then this is for that one.
          const isDue = wireId === "" ? upload?.status !== "Uploaded" : !hasEnded && upload?.status !== "Deleting"
          if (!isDue) {
            // There is a new URL for a key that has its file.
            sql.noteUrlsEnd.run(now + limits.uploadLifetime, key, appId)
            continue
          }
          const former = one(sql.expected, key, wireId)
          if (former !== undefined) replaced.add(former.id!)
          sql.expect.run(key, wireId, id!, expires ?? now + untoldUrlTtl, appId, bytesOf(key))
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
