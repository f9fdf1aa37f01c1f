import type { CatalogDeletions } from "../catalog/deletions.ts"
import { fitsExpected, sizeSelection } from "../quota.ts"
import type { DeleteFile } from "./delete-file.ts"
import type { Tables } from "./rows.ts"
import type { Steps } from "./steps.ts"
import { findUsage } from "./usage.ts"

/** Deletions of many files, in memory: each marks all of them at once. */
export const createMemoryDeletions = (
  tables: Tables,
  { isGone, deleteFile }: Pick<Steps, "isGone"> & { readonly deleteFile: DeleteFile },
): CatalogDeletions => {
  const { rows, deletions } = tables
  let lastDeletion = 0
  return {
    deleteMatching: async ({ appId, selection: meantBy, now, bounds = {}, appSince }) => {
      if (isGone(appId, appSince)) return { kind: "unknownApp" }
      const { owner, prefix } = meantBy
      const selection = { owner: owner ?? null, prefix: prefix ?? null }
      const former = [...deletions.values()].find(
        (each) => each.appId === appId && each.owner === selection.owner && each.prefix === selection.prefix,
      )
      const added = { files: 1, bytes: sizeSelection(meantBy) }
      if (former === undefined && !fitsExpected(findUsage(tables, appId), added, bounds)) return { kind: "tooMany" }
      if (former !== undefined) deletions.delete(former.id)
      const meant = [...rows.values()].filter(
        ({ file }) =>
          file.appId === appId &&
          file.status !== "Deleting" &&
          (owner === undefined || file.owner === owner) &&
          (prefix === undefined || file.path?.startsWith(prefix) === true),
      )
      for (const row of meant) deleteFile(row, now)
      const deletion = { id: ++lastDeletion, ...selection, askedAt: now, doneAt: now, deletedCount: meant.length }
      deletions.set(deletion.id, { appId, ...deletion })
      return { kind: "deleted", deletion, keys: meant.map(({ file }) => file.key) }
    },
    continueDeletions: async () => ({ keys: [], isDone: true }),
    listDeletions: async (appId, limit) =>
      [...deletions.values()]
        .filter((each) => each.appId === appId)
        .toReversed()
        .slice(0, limit)
        .map(({ appId: _appId, ...deletion }) => deletion),
    forgetDeletions: async ({ before, limit }) => {
      const old = [...deletions.values()].filter(({ askedAt }) => askedAt < before).slice(0, limit)
      for (const { id } of old) deletions.delete(id)
      return old.length
    },
  }
}
