import type { DatabaseSync, StatementSync, SupportedValueType } from "node:sqlite"
import { encodeAppId } from "../../../protocol/signing/app-id.ts"
import { createKeyId } from "../../access/key-id.ts"
import { type AppKey, type AppRecord, type AppSettings, type CatalogApps, mostActiveKeys } from "../catalog/apps.ts"
import {
  columns,
  countActive,
  findFile,
  forgetAll,
  insertApp,
  revoke,
  selectApps,
  selectKeys,
  toColumn,
  toSettings,
} from "../sql/apps.ts"
import type { Row } from "../sql/rows.ts"
import type { Transactions } from "./transactions.ts"

/** The apps in the SQLite catalog. Statements are prepared when they are first needed: most ingests have one app. */
export const createAppTable = (
  database: DatabaseSync,
  { read, write }: Transactions,
  /** Makes the database's files unreadable for other users: they hold a secret from now on. */
  closeToOthers: () => void,
): CatalogApps => {
  const prepared = new Map<string, StatementSync>()
  const prepare = (sql: string): StatementSync => {
    const statement = prepared.get(sql) ?? database.prepare(sql)
    prepared.set(sql, statement)
    return statement
  }
  const one = (sql: string, ...values: ReadonlyArray<SupportedValueType>): Row | undefined =>
    prepare(sql).get(...values) as Row | undefined
  /** Whether anything changed; then every ingest has to look again. */
  const change = (sql: string, ...values: ReadonlyArray<SupportedValueType>): boolean => {
    const { changes } = prepare(sql).run(...values)
    if (changes > 0) prepare("UPDATE apps_revision SET revision = revision + 1").run()
    return changes > 0
  }

  const has = (id: string): boolean => one("SELECT 1 FROM apps WHERE id = ?", id) !== undefined

  return {
    appsRevision: () => read(() => one("SELECT revision FROM apps_revision")!.revision as number),
    listApps: () =>
      read((): ReadonlyArray<AppRecord> => {
        const keys = Map.groupBy(prepare(selectKeys).all() as ReadonlyArray<Row>, (row) => row.appId as string)
        return (prepare(selectApps).all() as ReadonlyArray<Row>).map((row) => ({
          ...toSettings(row),
          id: row.id as string,
          createdAt: row.createdAt as number,
          keys: (keys.get(row.id as string) ?? []).map(({ appId: _appId, ...key }) => key as unknown as AppKey),
        }))
      }),
    createApp: ({ id, createdAt, ...settings }) =>
      write(() => {
        const values = Object.keys(columns).map((name) => toColumn(settings[name as keyof AppSettings]))
        return change(insertApp, id, encodeAppId(id), createdAt, ...values) ? "created" : "taken"
      }),
    changeApp: (id, changes) =>
      write(() => {
        for (const [name, column] of Object.entries(columns)) {
          const value = changes[name as keyof AppSettings]
          if (value !== undefined) change(`UPDATE apps SET ${column} = ? WHERE id = ?`, toColumn(value), id)
        }
        return has(id)
      }),
    addKey: ({ appId, apiKey, now }) =>
      write(() => {
        if (!has(appId)) return "unknownApp"
        const id = createKeyId(apiKey)
        if (one("SELECT 1 FROM app_keys WHERE id = ?", id) !== undefined) return "taken"
        const { active } = one(countActive, appId)!
        if ((active as number) >= mostActiveKeys) return "tooMany"
        closeToOthers()
        change("INSERT INTO app_keys (id, app_id, api_key, created_at) VALUES (?, ?, ?, ?)", id, appId, apiKey, now)
        return "added"
      }),
    revokeKey: ({ appId, id, now, keepsLast = false }) =>
      write(() => {
        const { active } = one(countActive, appId)!
        return !(keepsLast && active === 1) && change(revoke, now, id, appId)
      }),
    deleteApp: (id) =>
      write(() => {
        if (!has(id)) return "unknown"
        if (one(findFile, id) !== undefined) return "hasFiles"
        for (const sql of forgetAll) prepare(sql).run({ id })
        change("DELETE FROM app_keys WHERE app_id = ?", id)
        change("DELETE FROM apps WHERE id = ?", id)
        return "deleted"
      }),
  }
}
