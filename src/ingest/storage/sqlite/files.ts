import type { DatabaseSync } from "node:sqlite"
import { limits } from "../../../protocol/limits.ts"
import type { FileReference } from "../../../protocol/rest-messages.ts"
import type { FileRecord } from "../catalog-records.ts"
import type { CatalogFiles, FileChange } from "../catalog-files.ts"
import { fitsKeys, sizeKey } from "../quota.ts"
import { buryFile, type TombstoneSteps } from "../tombstone.ts"
import { one, type Statements } from "./statements.ts"
import type { Steps } from "./steps.ts"
import type { Transactions } from "./transactions.ts"
import { findUsage } from "./usage.ts"

/** How a statement finds the files that an app means: by the parameters `:appId` and `:id`. */
export const byFileKey = "key = :id AND is_current = 1 AND app_id = :appId"
export const byCustomId = "app_id = :appId AND custom_id = :id AND is_current = 1"

const nameOf = (file: FileReference): string =>
  "fileKey" in file ? `key ${file.fileKey}` : `custom id ${file.customId}`

/**
 * The changes without those that a later one of the same reference overwrites: many files can have the same custom id,
 * and an app may repeat it a thousand times.
 */
export const dropOverwritten = (changes: ReadonlyArray<FileChange>): ReadonlyArray<FileChange> => {
  const later = new Map<string, { readonly name: boolean; readonly acl: boolean }>()
  return changes
    .toReversed()
    .filter(({ file, name, acl }) => {
      const reference = nameOf(file)
      const known = later.get(reference)
      const isNew = known === undefined || (name !== undefined && !known.name) || (acl !== undefined && !known.acl)
      if (isNew) {
        later.set(reference, {
          name: known?.name === true || name !== undefined,
          acl: known?.acl === true || acl !== undefined,
        })
      }
      return isNew
    })
    .toReversed()
}

/** What an app does with its files in the SQLite catalog; `shared` are its other prepared statements. */
export const createFiles = (
  database: DatabaseSync,
  shared: Statements,
  { write }: Transactions,
  { isGone, bury }: Pick<Steps, "isGone"> & Pick<TombstoneSteps, "bury">,
): CatalogFiles => {
  const prepare = (sql: string) => database.prepare(sql)
  const find = (where: string) =>
    prepare(`
      SELECT id, key, expires, created_at AS createdAt, resumed_at AS resumedAt, urls_end AS urlsEnd,
        issued_at AS issuedAt
      FROM files WHERE ${where} AND status <> 'Deleting'`)
  const change = (where: string) =>
    prepare(
      `UPDATE files SET name = coalesce(:name, name), acl = coalesce(:acl, acl) WHERE ${where} AND status = 'Uploaded'`,
    )
  const sql = {
    findByKey: find(byFileKey),
    findByCustomId: find(byCustomId),
    changeByKey: change(byFileKey),
    changeByCustomId: change(byCustomId),
    markDeleting: prepare("UPDATE files SET status = 'Deleting', epoch = epoch + 1, ended_at = ? WHERE id = ?"),
    forgetExpected: prepare("DELETE FROM expected_files WHERE key = ? AND app_id = ? RETURNING registration_id AS id"),
    isKnown: prepare("SELECT 1 FROM files WHERE key = ? AND is_current = 1"),
  }

  /** Whether a key was expected, for one registration or several: their uploads may no longer come. */
  const forgetExpected = (appId: string, key: string): boolean => {
    const expected = sql.forgetExpected.all(key, appId)
    for (const { id } of expected) shared.dropRegistration.run(id!)
    return expected.length > 0
  }

  const deleteFile = (appId: string, reference: FileReference, now: number): ReadonlyArray<string> => {
    const found =
      "fileKey" in reference
        ? sql.findByKey.all({ appId, id: reference.fileKey })
        : sql.findByCustomId.all({ appId, id: reference.customId })
    return found.map((row) => {
      const { id, key } = row as Pick<FileRecord, "id" | "key">
      sql.markDeleting.run(now, id)
      shared.deleteAttempts.run(id)
      shared.deleteDelivery.run(id)
      const isExpected = forgetExpected(appId, key)
      const urlsEnd = (row.urlsEnd as number | null) ?? 0
      const tombstone = buryFile(row as unknown as FileRecord, { urlsEnd, isExpected, now })
      if (tombstone !== null) bury(appId, key, tombstone, true)
      return key
    })
  }

  /** Keys without a file, whose uploads may still come. */
  const findUnknown = (files: ReadonlyArray<FileReference>): ReadonlyArray<string> => {
    const keys = new Set(files.flatMap((file) => ("fileKey" in file ? [file.fileKey] : [])))
    return [...keys].filter((key) => sql.isKnown.get(key) === undefined)
  }

  return {
    deleteFiles: ({ appId, files, now, bounds = {}, appSince }) =>
      write(() => {
        if (isGone(appId, appSince)) return []
        const unknown = findUnknown(files)
        const bytesBefore = (key: string) => one(shared.expectedOfKey, key)?.bytes as number | undefined
        const hasRoom =
          unknown.length === 0 || fitsKeys(findUsage(shared, appId), unknown, sizeKey, bounds, bytesBefore)
        if (!hasRoom) return "tooMany"
        for (const key of unknown) {
          forgetExpected(appId, key)
          bury(appId, key, { deletedAt: now, until: now + limits.uploadLifetime }, false)
        }
        return files.flatMap((file) => deleteFile(appId, file, now))
      }),
    changeFiles: ({ appId, changes }) =>
      write(() => {
        const found = new Set<string>()
        for (const { file, name = null, acl = null } of dropOverwritten(changes)) {
          const { changes: count } =
            "fileKey" in file
              ? sql.changeByKey.run({ appId, id: file.fileKey, name, acl })
              : sql.changeByCustomId.run({ appId, id: file.customId, name, acl })
          if (count > 0) found.add(nameOf(file))
        }
        return changes.filter(({ file }) => found.has(nameOf(file))).length
      }),
  }
}
