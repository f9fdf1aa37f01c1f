import type { DatabaseSync } from "node:sqlite"
import type { FileReference } from "../../protocol/rest-messages.ts"
import type { CatalogFiles } from "./catalog-files.ts"
import type { prepareStatements } from "./catalog-sqlite-statements.ts"

/** How a statement finds the files an app means: by the parameters `:appId` and `:id`. */
export const byFileKey = "key = :id AND is_current = 1 AND app_id = :appId"
export const byCustomId = "app_id = :appId AND custom_id = :id AND is_current = 1"

/** What an app does to its files in the SQLite catalog; `shared` are the statements it has anyway. */
export const createFiles = (
  database: DatabaseSync,
  shared: Pick<ReturnType<typeof prepareStatements>, "deleteAttempts" | "deleteDelivery" | "dropRegistration">,
  write: <A>(work: () => A) => Promise<A>,
): CatalogFiles => {
  const prepare = (sql: string) => database.prepare(sql)
  const find = (where: string) => prepare(`SELECT id, key FROM files WHERE ${where} AND status <> 'Deleting'`)
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
    forgetExpected: prepare("DELETE FROM expected_files WHERE key = ? RETURNING registration_id AS id"),
  }

  const deleteFile = (appId: string, reference: FileReference, now: number): ReadonlyArray<string> => {
    const found =
      "fileKey" in reference
        ? sql.findByKey.all({ appId, id: reference.fileKey })
        : sql.findByCustomId.all({ appId, id: reference.customId })
    return found.map((row) => {
      const [id, key] = [row.id as number, row.key as string]
      sql.markDeleting.run(now, id)
      shared.deleteAttempts.run(id)
      shared.deleteDelivery.run(id)
      const expected = sql.forgetExpected.get(key)
      if (expected !== undefined) shared.dropRegistration.run(expected.id!)
      return key
    })
  }

  return {
    deleteFiles: ({ appId, files, now }) => write(() => files.flatMap((file) => deleteFile(appId, file, now))),
    changeFiles: ({ appId, changes }) =>
      write(() => {
        const isFound = changes.map(({ file, name = null, acl = null }) => {
          const { changes: found } =
            "fileKey" in file
              ? sql.changeByKey.run({ appId, id: file.fileKey, name, acl })
              : sql.changeByCustomId.run({ appId, id: file.customId, name, acl })
          return found > 0
        })
        return isFound.filter(Boolean).length
      }),
  }
}
