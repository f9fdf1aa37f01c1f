import type { CatalogDeletions } from "../catalog-deletions.ts"
import type { DeleteFile } from "./delete-file.ts"
import type { Tables } from "./rows.ts"
import type { Steps } from "./steps.ts"

/** Deletions of many files, in memory: each marks all of them at once. */
export const createMemoryDeletions = (
  { rows, deletions }: Tables,
  { isGone, deleteFile }: Pick<Steps, "isGone"> & { readonly deleteFile: DeleteFile },
): CatalogDeletions => {
  let lastDeletion = 0
  return {
    deleteMatching: async ({ appId, selection: { owner, prefix }, now, appSince }) => {
      if (isGone(appId, appSince)) return { kind: "unknownApp" }
      const meant = [...rows.values()].filter(
        ({ file }) =>
          file.appId === appId &&
          file.status !== "Deleting" &&
          (owner === undefined || file.owner === owner) &&
          (prefix === undefined || file.path?.startsWith(prefix) === true),
      )
      for (const row of meant) deleteFile(row, now)
      const selection = { owner: owner ?? null, prefix: prefix ?? null }
      for (const [id, former] of deletions) {
        const isSame = former.owner === selection.owner && former.prefix === selection.prefix
        if (isSame && former.appId === appId) deletions.delete(id)
      }
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
