import { limits } from "../../../protocol/limits.ts"
import type { FileReference } from "../../../protocol/rest-messages.ts"
import type { CatalogFiles } from "../catalog/files.ts"
import { dropOverwritten } from "../drop-overwritten.ts"
import { fitsCatalog, fitsKeys, sizeKey, sizeLabels } from "../quota.ts"
import { isClaimable, isOverdue } from "../upload-rules.ts"
import type { TombstoneSteps } from "../tombstone.ts"
import type { DeleteFile } from "./delete-file.ts"
import type { Row, Tables } from "./rows.ts"
import type { Steps } from "./steps.ts"
import { findUsage } from "./usage.ts"

/** What an app does with its files, in memory; finding them by a custom id walks all files. */
export const createMemoryFiles = (
  tables: Tables,
  {
    isGone,
    bury,
    deleteFile,
  }: Pick<Steps, "isGone"> & Pick<TombstoneSteps, "bury"> & { readonly deleteFile: DeleteFile },
): CatalogFiles => {
  const { rows, expected } = tables

  const findAll = (appId: string, reference: FileReference, owner?: string): ReadonlyArray<Row> => {
    const found =
      "fileKey" in reference
        ? [rows.get(reference.fileKey)]
        : [...rows.values()].filter(({ file }) => file.customId === reference.customId)
    return found.filter(
      (row) => row?.file.appId === appId && (owner === undefined || row.file.owner === owner),
    ) as ReadonlyArray<Row>
  }

  return {
    deleteFiles: async ({ appId, files, owner, now, limit = Infinity, bounds = {}, appSince }) => {
      if (isGone(appId, appSince)) return []
      // Whose a key without a file is nobody knows.
      const keys = new Set(files.flatMap((file) => ("fileKey" in file && owner === undefined ? [file.fileKey] : [])))
      const unknown = [...keys].filter((key) => !rows.has(key))
      const bytesBefore = (key: string) => expected.ofKey(key)[0]?.bytes
      const hasRoom = unknown.length === 0 || fitsKeys(findUsage(tables, appId), unknown, sizeKey, bounds, bytesBefore)
      if (!hasRoom) return "tooMany"
      for (const key of unknown) {
        expected.forget(appId, key)
        bury(appId, key, { deletedAt: now, until: now + limits.uploadLifetime }, false)
      }
      // An upload that was registered since the file was deleted must not come either.
      for (const key of keys) {
        const file = rows.get(key)?.file
        if (file?.appId !== appId || file.status !== "Deleting") continue
        expected.forget(appId, key)
        bury(appId, key, { deletedAt: now, until: now + limits.uploadLifetime }, true)
      }
      const deleted: Array<string> = []
      for (const reference of files) {
        const found = findAll(appId, reference, owner).filter(({ file }) => file.status !== "Deleting")
        for (const row of found.slice(0, limit - deleted.length)) {
          deleteFile(row, now)
          deleted.push(row.file.key)
        }
      }
      return deleted
    },
    changeFiles: async ({ appId, changes, owner, now, mostFiles = Infinity, quota }) => {
      const counting = dropOverwritten(changes)
      const meant = counting.flatMap(({ file }) => findAll(appId, file, owner))
      if (meant.length > mostFiles) return "tooMany"
      const paths = counting.reduce((bytes, { path }) => bytes + sizeLabels({ path: path ?? null }), 0)
      if (paths > 0 && !fitsCatalog(findUsage(tables, appId), paths, quota)) return "overQuota"
      let count = 0
      for (const { file: reference, name, acl, path, removeAt } of changes) {
        const found = findAll(appId, reference, owner).filter(
          ({ file }) => file.status === "Uploaded" && !file.hold && !isOverdue(file, now),
        )
        for (const row of found) {
          const { file } = row
          row.file = {
            ...file,
            name: name ?? file.name,
            acl: acl ?? file.acl,
            path: path === undefined ? file.path : path,
            removeAt: removeAt === undefined ? file.removeAt : removeAt,
          }
        }
        if (found.length > 0) count++
      }
      return count
    },
    claimFiles: async ({ appId, keys, replaces, owner, slug, now, appSince }) => {
      if (isGone(appId, appSince)) return { kind: "unknownApp" }
      const missing = keys.filter((key) => !isClaimable(rows.get(key)?.file, { appId, owner, slug, now }))
      if (missing.length > 0) return { kind: "missing", keys: missing }
      for (const key of keys) {
        const row = rows.get(key)!
        const waits = row.file.claimWithin !== null || row.file.claimBy !== null
        if (waits) row.file = { ...row.file, claimWithin: null, claimBy: null, claimedAt: now }
      }
      const replaced = replaces
        .flatMap((reference) => findAll(appId, reference, owner))
        .filter(({ file }) => file.status !== "Deleting" && !keys.includes(file.key))
      for (const row of new Set(replaced)) deleteFile(row, now)
      return { kind: "claimed", replaced: [...new Set(replaced)].map(({ file }) => file.key) }
    },
    deleteOverdue: async ({ now, limit }) => {
      const dueAt = ({ file: { removeAt, claimBy } }: Row) => Math.min(removeAt ?? Infinity, claimBy ?? Infinity)
      const overdue = [...rows.values()]
        .filter(({ file }) => file.status === "Uploaded" && isOverdue(file, now))
        .sort((a, b) => dueAt(a) - dueAt(b))
        .slice(0, limit)
      for (const row of overdue) deleteFile(row, now)
      return overdue.map(({ file }) => file.key)
    },
    findNextDeadline: async () => {
      const stored = [...rows.values()].map(({ file }) => file).filter(({ status }) => status === "Uploaded")
      const deadlines = stored.flatMap(({ removeAt, claimBy }) => [removeAt ?? Infinity, claimBy ?? Infinity])
      const next = deadlines.reduce((earliest, deadline) => Math.min(earliest, deadline), Infinity)
      return next === Infinity ? null : next
    },
  }
}
