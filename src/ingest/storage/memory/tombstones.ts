import type { UploadGrant } from "../../../protocol/signing/signed-url.ts"
import type { CatalogTombstones } from "../catalog/tombstones.ts"
import { judgeKey, type KeyVerdict, type TombstoneSteps } from "../tombstone.ts"
import { graveOf, type Tables } from "./rows.ts"

/** The tombstones of deleted files, in memory. */
export const createMemoryTombstones = ({ rows, expected, graves }: Tables): CatalogTombstones & TombstoneSteps => {
  const judgeGrant = (grant: UploadGrant, now: number): KeyVerdict => {
    const { appId, key, registrationId = null } = grant
    return judgeKey(graves.get(graveOf(appId, key)) ?? null, grant, now, {
      file: rows.get(key)?.file,
      isExpected: () => expected.find({ key, registrationId }) !== undefined,
    })
  }

  const findRefusal = (grant: UploadGrant, now: number): Exclude<KeyVerdict, "open"> | undefined => {
    const verdict = judgeGrant(grant, now)
    if (verdict === "open") return undefined
    const name = graveOf(grant.appId, grant.key)
    const grave = graves.get(name)!
    if (grant.issuedAt === undefined) graves.set(name, { ...grave, until: Math.max(grave.until, grant.expires) })
    return verdict
  }

  const bury: TombstoneSteps["bury"] = (appId, key, { deletedAt, until }, hadFile) => {
    const before = graves.get(graveOf(appId, key))
    graves.set(graveOf(appId, key), {
      appId,
      key,
      deletedAt: Math.max(deletedAt, before?.deletedAt ?? 0),
      until: Math.max(until, before?.until ?? 0),
      hadFile: hadFile || before?.hadFile === true,
    })
  }

  return {
    findTombstone: async (appId, key) => graves.get(graveOf(appId, key)) ?? null,
    judgeKey: async (grant, now) => judgeGrant(grant, now),
    forgetTombstones: async ({ now, limit }) => {
      const ended = [...graves].filter(([, { until }]) => until <= now).slice(0, limit)
      for (const [name] of ended) graves.delete(name)
      return ended.length
    },
    findRefusal,
    bury,
  }
}
