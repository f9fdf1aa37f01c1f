import type { DatabaseSync } from "node:sqlite"
import { limits } from "../../../protocol/limits.ts"
import type { FileReference } from "../../../protocol/rest-messages.ts"
import type { FileRecord } from "../catalog-records.ts"
import type { CatalogFiles, Claimed, FileChange } from "../catalog-files.ts"
import { fitsKeys, sizeKey } from "../quota.ts"
import { buryFile, type TombstoneSteps } from "../tombstone.ts"
import { isClaimable } from "../upload-rules.ts"
import { type Row, toFile } from "./rows.ts"
import { one, type Statements } from "./statements.ts"
import type { Steps } from "./steps.ts"
import type { Transactions } from "./transactions.ts"
import { findUsage } from "./usage.ts"

/** How a statement finds the files that an app means: by the parameters `:appId` and `:id`. */
export const byFileKey = "key = :id AND is_current = 1 AND app_id = :appId"
export const byCustomId = "app_id = :appId AND custom_id = :id AND is_current = 1"

/** Files that have expired, and those that nobody has claimed in time, each oldest first through an index. */
export const toRemove = `
  SELECT id, key, app_id AS appId FROM files
  WHERE remove_at <= ? AND status = 'Uploaded' ORDER BY remove_at LIMIT ?`
export const toClaim = `
  SELECT id, key, app_id AS appId FROM files
  WHERE claim_by <= ? AND status = 'Uploaded' ORDER BY claim_by LIMIT ?`

const nameOf = (file: FileReference): string =>
  "fileKey" in file ? `key ${file.fileKey}` : `custom id ${file.customId}`

const changeable = ["name", "acl", "path", "removeAt"] as const satisfies ReadonlyArray<keyof FileChange>

/**
 * The changes without those that later ones of the same reference overwrite: many files can have the same custom id,
 * and an app may repeat it a thousand times.
 */
export const dropOverwritten = (changes: ReadonlyArray<FileChange>): ReadonlyArray<FileChange> => {
  const later = new Map<string, ReadonlySet<string>>()
  return changes
    .toReversed()
    .filter((change) => {
      const reference = nameOf(change.file)
      const known = later.get(reference)
      const given = changeable.filter((field) => change[field] !== undefined)
      const isNew = known === undefined || given.some((field) => !known.has(field))
      if (isNew) later.set(reference, new Set([...(known ?? []), ...given]))
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
        issued_at AS issuedAt, owner
      FROM files WHERE ${where} AND status <> 'Deleting'`)
  const change = (where: string) =>
    prepare(`
      UPDATE files SET name = coalesce(:name, name), acl = coalesce(:acl, acl), path = iif(:moves, :path, path),
        remove_at = iif(:expires, :removeAt, remove_at)
      WHERE ${where} AND status = 'Uploaded'`)
  const sql = {
    findByKey: find(byFileKey),
    findByCustomId: find(byCustomId),
    changeByKey: change(byFileKey),
    changeByCustomId: change(byCustomId),
    markDeleting: prepare("UPDATE files SET status = 'Deleting', epoch = epoch + 1, ended_at = ? WHERE id = ?"),
    forgetExpected: prepare("DELETE FROM expected_files WHERE key = ? AND app_id = ? RETURNING registration_id AS id"),
    claim: prepare("UPDATE files SET claim_within = NULL, claim_by = NULL WHERE id = ?"),
    toRemove: prepare(toRemove),
    toClaim: prepare(toClaim),
    holder: prepare("SELECT app_id AS appId, status FROM files WHERE key = ? AND is_current = 1"),
  }

  /** Whether a key was expected, for one registration or several: their uploads may no longer come. */
  const forgetExpected = (appId: string, key: string): boolean => {
    const expected = sql.forgetExpected.all(key, appId)
    for (const { id } of expected) shared.dropRegistration.run(id!)
    return expected.length > 0
  }

  /** The files that are meant, but for those that are being deleted. */
  const findFiles = (appId: string, reference: FileReference): ReadonlyArray<Row> =>
    ("fileKey" in reference
      ? sql.findByKey.all({ appId, id: reference.fileKey })
      : sql.findByCustomId.all({ appId, id: reference.customId })) as ReadonlyArray<Row>

  /** Returns its key. */
  const deleteRow = (appId: string, row: Row, now: number): string => {
    const { id, key } = row as unknown as Pick<FileRecord, "id" | "key">
    sql.markDeleting.run(now, id)
    shared.deleteAttempts.run(id)
    shared.deleteDelivery.run(id)
    const isExpected = forgetExpected(appId, key)
    const urlsEnd = (row.urlsEnd as number | null) ?? 0
    const tombstone = buryFile(row as unknown as FileRecord, { urlsEnd, isExpected, now })
    if (tombstone !== null) bury(appId, key, tombstone, true)
    return key
  }

  const deleteFile = (appId: string, reference: FileReference, now: number): ReadonlyArray<string> =>
    findFiles(appId, reference).map((row) => deleteRow(appId, row, now))

  /**
   * The keys that hold no file to delete, but whose uploads may still come: `unknown` ones hold none, those that `ended`
   * one that is being deleted already.
   */
  const findEmpty = (appId: string, files: ReadonlyArray<FileReference>) => {
    const keys = new Set(files.flatMap((file) => ("fileKey" in file ? [file.fileKey] : [])))
    const held = [...keys].map((key) => ({ key, holder: one(sql.holder, key) }))
    const unknown = held.filter(({ holder }) => holder === undefined)
    const ended = held.filter(({ holder }) => holder?.appId === appId && holder.status === "Deleting")
    return { unknown: unknown.map(({ key }) => key), ended: ended.map(({ key }) => key) }
  }

  return {
    deleteFiles: ({ appId, files, now, bounds = {}, appSince }) =>
      write(() => {
        if (isGone(appId, appSince)) return []
        const { unknown, ended } = findEmpty(appId, files)
        const bytesBefore = (key: string) => one(shared.expectedOfKey, key)?.bytes as number | undefined
        const hasRoom =
          unknown.length === 0 || fitsKeys(findUsage(shared, appId), unknown, sizeKey, bounds, bytesBefore)
        if (!hasRoom) return "tooMany"
        for (const key of [...unknown, ...ended]) {
          forgetExpected(appId, key)
          bury(appId, key, { deletedAt: now, until: now + limits.uploadLifetime }, ended.includes(key))
        }
        return files.flatMap((file) => deleteFile(appId, file, now))
      }),
    changeFiles: ({ appId, changes }) =>
      write(() => {
        const found = new Set<string>()
        for (const { file, name = null, acl = null, path, removeAt } of dropOverwritten(changes)) {
          const fields = {
            name,
            acl,
            moves: Number(path !== undefined),
            path: path ?? null,
            expires: Number(removeAt !== undefined),
            removeAt: removeAt ?? null,
          }
          const { changes: count } =
            "fileKey" in file
              ? sql.changeByKey.run({ appId, id: file.fileKey, ...fields })
              : sql.changeByCustomId.run({ appId, id: file.customId, ...fields })
          if (count > 0) found.add(nameOf(file))
        }
        return changes.filter(({ file }) => found.has(nameOf(file))).length
      }),
    claimFiles: ({ appId, keys, replaces, owner, now, appSince }) =>
      write((): Claimed => {
        if (isGone(appId, appSince)) return { kind: "unknownApp" }
        const files = keys
          .map((key) => one(shared.upload, key))
          .map((row) => (row === undefined ? undefined : toFile(row)))
        const missing = keys.filter((_, i) => !isClaimable(files[i], { appId, owner, now }))
        if (missing.length > 0) return { kind: "missing", keys: missing }
        for (const file of files) sql.claim.run(file!.id)
        const claimed = new Set(keys)
        const meant = replaces
          .flatMap((reference) => findFiles(appId, reference))
          .filter((row) => !claimed.has(row.key as string) && (owner === undefined || row.owner === owner))
        // Two references may mean the same file.
        const replaced = new Map(meant.map((row) => [row.id, row]))
        return { kind: "claimed", replaced: [...replaced.values()].map((row) => deleteRow(appId, row, now)) }
      }),
    deleteOverdue: ({ now, limit }) =>
      write(() => {
        const overdue = [...sql.toRemove.all(now, limit), ...sql.toClaim.all(now, limit)] as ReadonlyArray<Row>
        const files = new Map(overdue.map((row) => [row.id, row]))
        return [...files.values()]
          .slice(0, limit)
          .flatMap(({ appId, key }) => deleteFile(appId as string, { fileKey: key as string }, now))
      }),
  }
}
