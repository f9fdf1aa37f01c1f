import { limits } from "../../../protocol/limits.ts"
import type { FileReference } from "../../../protocol/rest-messages.ts"
import type { CatalogFiles, Claimed, FileChange } from "../catalog/files.ts"
import { dropOverwritten, nameOf } from "../drop-overwritten.ts"
import { fitsCatalog, fitsKeys, sizeKey, sizeLabels } from "../quota.ts"
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
import { isMeant } from "../sql/is-meant.ts"
import { type Row, selectDeletable } from "../sql/rows.ts"
import { type Claimable, isClaimable } from "../upload-rules.ts"
import type { Database, Sql, Transaction } from "./database.ts"
import { deleteFound, forgetExpected } from "./delete-steps.ts"
import { isGone } from "./steps.ts"
import { bury } from "./tombstones.ts"
import { findUsage } from "./usage.ts"

/** What decides whether files may be claimed, of up to a thousand keys. */
const claimable = `
  SELECT f.id, f.key, f.app_id AS "appId", CASE WHEN ${isMeant("f")} THEN 'Deleting' ELSE f.status END AS status, f.owner, f.slug,
    f.remove_at AS "removeAt", f.claim_by AS "claimBy", f.claim_within IS NOT NULL OR f.claim_by IS NOT NULL AS waits
  FROM files f WHERE f.key = ANY (?::text[]) AND f.is_current = 1`

const claim = `
  UPDATE files SET claim_within = NULL, claim_by = NULL, claimed_at = ? WHERE id = ANY (?::bigint[])`

const endpointOf = "SELECT 1 FROM endpoints WHERE app_id = ? LIMIT 1"

const findDeletable = (where: string): string =>
  `${selectDeletable} WHERE ${unlessMeant(ofOwner(where))} AND status <> 'Deleting' LIMIT :limit`

/** The files of a reference that are not being deleted, whether or not their rows say so by now. */
const findFiles = (
  sql: Sql,
  appId: string,
  reference: FileReference,
  owner: string | null,
  limit: number | null = null,
) =>
  "fileKey" in reference
    ? sql.all(findDeletable(byFileKey), { appId, id: reference.fileKey, owner, limit })
    : sql.all(findDeletable(byCustomId), { appId, id: reference.customId, owner, limit })

/** How many files changes are for, as far as that matters. */
const countChanged = async (
  sql: Sql,
  appId: string,
  changes: ReadonlyArray<FileChange>,
  owner: string | null,
  mostFiles: number,
) => {
  let count = 0
  for (const { file } of changes) {
    if (count > mostFiles) break
    count += "fileKey" in file ? 1 : (await findFiles(sql, appId, file, owner, mostFiles - count + 1)).length
  }
  return count
}

/**
 * The keys that hold no file to delete, but whose uploads may still come: `unknown` ones hold none, those that `ended`
 * one that is being deleted already.
 */
const findEmpty = async (sql: Sql, appId: string, keys: ReadonlyArray<string>) => {
  const unknown: Array<string> = []
  const ended: Array<string> = []
  for (const key of keys) {
    const holder = await sql.one(selectHolder, key)
    if (holder === undefined) unknown.push(key)
    else if (holder.appId === appId && holder.status === "Deleting") ended.push(key)
  }
  return { unknown, ended }
}

const findBytesBefore = async (sql: Sql, keys: ReadonlyArray<string>) => {
  const rows = await sql.all("SELECT key, bytes FROM expected_files WHERE key = ANY (?::text[])", keys)
  const bytes = new Map(rows.map((row) => [row.key as string, row.bytes as number]))
  return (key: string): number | undefined => bytes.get(key)
}

const deleteFiles = async (
  sql: Transaction,
  { appId, files, owner, now, limit = Infinity, bounds = {}, appSince }: Parameters<CatalogFiles["deleteFiles"]>[0],
): ReturnType<CatalogFiles["deleteFiles"]> => {
  const keys = [...new Set(files.flatMap((file) => ("fileKey" in file ? [file.fileKey] : [])))]
  await sql.hold(keys)
  if (await isGone(sql, appId, appSince)) return []
  // Whose a key without a file is nobody knows.
  const { unknown, ended } = await findEmpty(sql, appId, owner === undefined ? keys : [])
  const bytesBefore = await findBytesBefore(sql, unknown)
  const hasRoom = unknown.length === 0 || fitsKeys(await findUsage(sql, appId), unknown, sizeKey, bounds, bytesBefore)
  if (!hasRoom) return "tooMany"
  for (const key of [...unknown, ...ended]) {
    await forgetExpected(sql, appId, key)
    await bury(sql, appId, key, { deletedAt: now, until: now + limits.uploadLifetime }, ended.includes(key))
  }
  const deleted: Array<string> = []
  for (const file of files) {
    if (deleted.length >= limit) break
    const found = await findFiles(sql, appId, file, owner ?? null, limit === Infinity ? null : limit - deleted.length)
    deleted.push(...(await deleteFound(sql, found, now)))
  }
  return deleted
}

const changeFiles = async (
  sql: Transaction,
  { appId, changes, owner, now, mostFiles, quota }: Parameters<CatalogFiles["changeFiles"]>[0],
): ReturnType<CatalogFiles["changeFiles"]> => {
  const found = new Set<string>()
  const counting = dropOverwritten(changes)
  if (mostFiles !== undefined && (await countChanged(sql, appId, counting, owner ?? null, mostFiles)) > mostFiles)
    return "tooMany"
  const paths = counting.reduce((bytes, { path }) => bytes + sizeLabels({ path: path ?? null }), 0)
  if (paths > 0 && !fitsCatalog(await findUsage(sql, appId), paths, quota)) return "overQuota"
  for (const { file, name = null, acl = null, path, removeAt } of counting) {
    const fields = {
      appId,
      owner: owner ?? null,
      now,
      name,
      acl,
      moves: Number(path !== undefined),
      path: path ?? null,
      expires: Number(removeAt !== undefined),
      removeAt: removeAt ?? null,
    }
    const count =
      "fileKey" in file
        ? await sql.run(changeFile(byFileKey), { ...fields, id: file.fileKey })
        : await sql.run(changeFile(byCustomId), { ...fields, id: file.customId })
    if (count > 0) found.add(nameOf(file))
  }
  return changes.filter(({ file }) => found.has(nameOf(file))).length
}

const claimFiles = async (
  sql: Transaction,
  noteClaims: string,
  { appId, keys, replaces, owner, slug, now, appSince }: Parameters<CatalogFiles["claimFiles"]>[0],
): Promise<Claimed> => {
  // What is replaced is looked for before its keys are held, and once more afterwards.
  const meant: Array<Row> = []
  for (const reference of replaces) meant.push(...(await findFiles(sql, appId, reference, owner ?? null)))
  const claimed = new Set(keys)
  const replaced = new Map(
    meant
      .filter((row) => !claimed.has(row.key as string))
      // Two references may mean the same file.
      .map((row) => [row.id, row]),
  )
  await sql.hold([...keys, ...[...replaced.values()].map((row) => row.key as string)])
  if (await isGone(sql, appId, appSince)) return { kind: "unknownApp" }
  const rows = (await sql.all(claimable, keys)) as unknown as ReadonlyArray<
    Claimable & { readonly id: number; readonly waits: boolean }
  >
  const files = new Map(rows.map((row) => [row.key, row]))
  const missing = keys.filter((key) => !isClaimable(files.get(key), { appId, owner, slug, now }))
  if (missing.length > 0) return { kind: "missing", keys: missing }
  // Files that wait for no claim are left as they are.
  const waiting = rows.flatMap(({ id, waits }) => (waits ? [id] : []))
  if (waiting.length > 0) {
    await sql.run(claim, now, waiting)
    if ((await sql.one(endpointOf, appId)) !== undefined) await sql.run(noteClaims, waiting)
  }
  return { kind: "claimed", replaced: await deleteFound(sql, [...replaced.values()], now) }
}

/**
 * What an app does with its files in the PostgreSQL catalog.
 *
 * @param noteClaims the statement that tells endpoints of claims
 */
export const createFiles = ({ read, write }: Database, noteClaims: string): CatalogFiles => ({
  deleteFiles: (deletion) => write((sql) => deleteFiles(sql, deletion)),
  changeFiles: (change) => write((sql) => changeFiles(sql, change)),
  claimFiles: (asked) => write((sql) => claimFiles(sql, noteClaims, asked)),
  deleteOverdue: ({ now, limit }) =>
    write(async (sql) => {
      const overdue = [...(await sql.all(toRemove, now, limit)), ...(await sql.all(toClaim, now, limit))]
      const files = new Map(overdue.map((row) => [row.id, row]))
      const still = `status = 'Uploaded' AND (remove_at <= ${now} OR claim_by <= ${now})`
      return deleteFound(sql, [...files.values()].slice(0, limit), now, still)
    }),
  findNextDeadline: async () => (await read.one(nextDeadline))!.at as number | null,
})
