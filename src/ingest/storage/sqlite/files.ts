import type { DatabaseSync } from "node:sqlite"
import { limits } from "../../../protocol/limits.ts"
import type { FileReference } from "../../../protocol/rest-messages.ts"
import type { CatalogFiles, Claimed, FileChange } from "../catalog/files.ts"
import { dropOverwritten, nameOf } from "../drop-overwritten.ts"
import { fitsCatalog, fitsKeys, sizeKey, sizeLabels } from "../quota.ts"
import type { TombstoneSteps } from "../tombstone.ts"
import { type Claimable, isClaimable } from "../upload-rules.ts"
import type { DeleteSteps } from "./delete-steps.ts"
import { isMeant } from "../sql/is-meant.ts"
import {
  byCustomId,
  byFileKey,
  changeFile,
  nextDeadline,
  ofOwner,
  selectHolder,
  toClaim,
  toRemove,
  unlessMeant,
} from "../sql/files.ts"
import type { Row } from "../sql/rows.ts"
import { one, type Statements } from "./statements.ts"
import type { Steps } from "./steps.ts"
import type { Transactions } from "./transactions.ts"
import { findUsage } from "./usage.ts"

/** What decides whether files may be claimed, of up to a thousand keys: no more of a row, and all in one statement. */
export const claimable = `
  SELECT f.id, f.key, f.app_id AS appId, iif(${isMeant("f")}, 'Deleting', f.status) AS status, f.owner, f.slug,
    f.remove_at AS removeAt, f.claim_by AS claimBy, f.claim_within IS NOT NULL OR f.claim_by IS NOT NULL AS waits
  FROM json_each(?) asked CROSS JOIN files f WHERE f.key = asked.value AND f.is_current = 1`

export const claimed = `
  UPDATE files SET claim_within = NULL, claim_by = NULL, claimed_at = ?2 WHERE id IN (SELECT value FROM json_each(?1))`

/** Tells the endpoints of an app, if it has any, that files were claimed. They were before what they are: NULL. */
const tellClaimed = `
  INSERT INTO file_changes (id, before, waited) SELECT value, NULL, 1 FROM json_each(?1)
  WHERE EXISTS (SELECT 1 FROM endpoints WHERE app_id = ?2)`

/** What an app does with its files in the SQLite catalog; `shared` are its other prepared statements. */
export const createFiles = (
  database: DatabaseSync,
  shared: Statements,
  { read, write }: Transactions,
  {
    isGone,
    bury,
    prepareFind,
    forgetExpected,
    deleteRow,
  }: Pick<Steps, "isGone"> & Pick<TombstoneSteps, "bury"> & Omit<DeleteSteps, "settle">,
): CatalogFiles => {
  const prepare = (sql: string) => database.prepare(sql)
  const find = (where: string) => prepareFind(`${where} AND status <> 'Deleting' LIMIT :limit`)
  const sql = {
    findByKey: find(unlessMeant(ofOwner(byFileKey))),
    findByCustomId: find(unlessMeant(ofOwner(byCustomId))),
    // Also those that a deletion means: else they would be overdue until it has reached them.
    findOverdue: find(byFileKey),
    changeByKey: prepare(changeFile(byFileKey)),
    changeByCustomId: prepare(changeFile(byCustomId)),
    claimable: prepare(claimable),
    claim: prepare(claimed),
    tellClaimed: prepare(tellClaimed),
    toRemove: prepare(toRemove),
    toClaim: prepare(toClaim),
    nextDeadline: prepare(nextDeadline),
    holder: prepare(selectHolder),
  }

  /** The files of a reference that are not being deleted, whether or not their rows say so by now. */
  const findFiles = (appId: string, reference: FileReference, owner: string | null, limit = -1): ReadonlyArray<Row> =>
    ("fileKey" in reference
      ? sql.findByKey.all({ appId, id: reference.fileKey, owner, limit })
      : sql.findByCustomId.all({ appId, id: reference.customId, owner, limit })) as ReadonlyArray<Row>

  /** How many files changes are for, as far as that matters. */
  const countChanged = (
    appId: string,
    changes: ReadonlyArray<FileChange>,
    owner: string | null,
    mostFiles: number,
  ): number => {
    let count = 0
    for (const { file } of changes) {
      if (count > mostFiles) break
      count += "fileKey" in file ? 1 : findFiles(appId, file, owner, mostFiles - count + 1).length
    }
    return count
  }

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
    deleteFiles: ({ appId, files, owner, now, limit = Infinity, bounds = {}, appSince }) =>
      write(() => {
        if (isGone(appId, appSince)) return []
        // Whose a key without a file is nobody knows.
        const { unknown, ended } = findEmpty(appId, owner === undefined ? files : [])
        const bytesBefore = (key: string) => one(shared.expectedOfKey, key)?.bytes as number | undefined
        const hasRoom =
          unknown.length === 0 || fitsKeys(findUsage(shared, appId), unknown, sizeKey, bounds, bytesBefore)
        if (!hasRoom) return "tooMany"
        for (const key of [...unknown, ...ended]) {
          forgetExpected(appId, key)
          bury(appId, key, { deletedAt: now, until: now + limits.uploadLifetime }, ended.includes(key))
        }
        const keys: Array<string> = []
        for (const file of files) {
          if (keys.length >= limit) break
          const left = limit === Infinity ? undefined : limit - keys.length
          keys.push(...findFiles(appId, file, owner ?? null, left).map((row) => deleteRow(row, now)))
        }
        return keys
      }),
    changeFiles: ({ appId, changes, owner, now, mostFiles, quota }) =>
      write(() => {
        const found = new Set<string>()
        const counting = dropOverwritten(changes)
        const isMany = mostFiles !== undefined && countChanged(appId, counting, owner ?? null, mostFiles) > mostFiles
        if (isMany) return "tooMany"
        const paths = counting.reduce((bytes, { path }) => bytes + sizeLabels({ path: path ?? null }), 0)
        if (paths > 0 && !fitsCatalog(findUsage(shared, appId), paths, quota)) return "overQuota"
        for (const { file, name = null, acl = null, path, removeAt } of counting) {
          const fields = {
            owner: owner ?? null,
            now,
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
    claimFiles: ({ appId, keys, replaces, owner, slug, now, appSince }) =>
      write((): Claimed => {
        if (isGone(appId, appSince)) return { kind: "unknownApp" }
        const rows = sql.claimable.all(JSON.stringify(keys)) as unknown as ReadonlyArray<
          Claimable & { readonly id: number; readonly waits: 0 | 1 }
        >
        const files = new Map(rows.map((row) => [row.key, row]))
        const missing = keys.filter((key) => !isClaimable(files.get(key), { appId, owner, slug, now }))
        if (missing.length > 0) return { kind: "missing", keys: missing }
        // Files that wait for no claim are left as they are.
        const waiting = JSON.stringify(rows.flatMap(({ id, waits }) => (waits === 1 ? [id] : [])))
        sql.claim.run(waiting, now)
        sql.tellClaimed.run(waiting, appId)
        const claimed = new Set(keys)
        const meant = replaces
          .flatMap((reference) => findFiles(appId, reference, owner ?? null))
          .filter((row) => !claimed.has(row.key as string))
        // Two references may mean the same file.
        const replaced = new Map(meant.map((row) => [row.id, row]))
        return { kind: "claimed", replaced: [...replaced.values()].map((row) => deleteRow(row, now)) }
      }),
    deleteOverdue: ({ now, limit }) =>
      write(() => {
        const overdue = [...sql.toRemove.all(now, limit), ...sql.toClaim.all(now, limit)] as ReadonlyArray<Row>
        const files = new Map(overdue.map((row) => [row.id, row]))
        return [...files.values()]
          .slice(0, limit)
          .flatMap(
            ({ appId, key }) => sql.findOverdue.all({ appId: appId!, id: key!, limit: -1 }) as ReadonlyArray<Row>,
          )
          .map((row) => deleteRow(row, now))
      }),
    findNextDeadline: () => read(() => one(sql.nextDeadline)!.at as number | null),
  }
}
