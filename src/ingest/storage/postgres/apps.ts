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
import type { Database, Sql } from "./database.ts"

type Parameters = ReadonlyArray<string | number | null>

/** Whether anything changed; then every ingest has to look again. */
const change = async (sql: Sql, statement: string, ...values: Parameters): Promise<boolean> => {
  const count = await sql.run(statement, ...values)
  if (count > 0) await sql.run("UPDATE apps_revision SET revision = revision + 1")
  return count > 0
}

/** Whether there is such an app; nobody else changes it, or its keys, until the transaction ends. */
const lockApp = async (sql: Sql, id: string): Promise<boolean> =>
  (await sql.one("SELECT 1 FROM apps WHERE id = ? FOR UPDATE", id)) !== undefined

const countKeys = async (sql: Sql, appId: string): Promise<number> =>
  (await sql.one(countActive, appId))!.active as number

/** The apps in the PostgreSQL catalog. */
export const createAppTable = ({ read, write }: Database): CatalogApps => ({
  appsRevision: async () => (await read.one("SELECT revision FROM apps_revision"))!.revision as number,
  listApps: async () => {
    const keys = Map.groupBy(await read.all(selectKeys), (row) => row.appId as string)
    return (await read.all(selectApps)).map((row): AppRecord => ({
      ...toSettings(row),
      id: row.id as string,
      createdAt: row.createdAt as number,
      keys: (keys.get(row.id as string) ?? []).map(({ appId: _appId, ...key }) => key as unknown as AppKey),
    }))
  },
  createApp: ({ id, createdAt, ...settings }) =>
    write(async (sql) => {
      const values = Object.keys(columns).map((name) => toColumn(settings[name as keyof AppSettings]))
      return (await change(sql, insertApp, id, encodeAppId(id), createdAt, ...values)) ? "created" : "taken"
    }),
  changeApp: (id, changes) =>
    write(async (sql) => {
      for (const [name, column] of Object.entries(columns)) {
        const value = changes[name as keyof AppSettings]
        if (value !== undefined) await change(sql, `UPDATE apps SET ${column} = ? WHERE id = ?`, toColumn(value), id)
      }
      return lockApp(sql, id)
    }),
  addKey: ({ appId, apiKey, now }) =>
    write(async (sql) => {
      if (!(await lockApp(sql, appId))) return "unknownApp"
      const id = createKeyId(apiKey)
      // A key of another app may be added at this moment.
      await sql.hold([`app key ${id}`])
      if ((await sql.one("SELECT 1 FROM app_keys WHERE id = ?", id)) !== undefined) return "taken"
      if ((await countKeys(sql, appId)) >= mostActiveKeys) return "tooMany"
      const insert = "INSERT INTO app_keys (id, app_id, api_key, created_at) VALUES (?, ?, ?, ?)"
      await change(sql, insert, id, appId, apiKey, now)
      return "added"
    }),
  revokeKey: ({ appId, id, now, keepsLast = false }) =>
    write(async (sql) => {
      await lockApp(sql, appId)
      return !(keepsLast && (await countKeys(sql, appId)) === 1) && change(sql, revoke, now, id, appId)
    }),
  deleteApp: (id) =>
    write(async (sql) => {
      if (!(await lockApp(sql, id))) return "unknown"
      if ((await sql.one(findFile, id)) !== undefined) return "hasFiles"
      for (const statement of forgetAll) await sql.run(statement, { id })
      await change(sql, "DELETE FROM app_keys WHERE app_id = ?", id)
      await change(sql, "DELETE FROM apps WHERE id = ?", id)
      return "deleted"
    }),
})
