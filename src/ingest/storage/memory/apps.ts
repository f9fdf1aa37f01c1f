import { encodeAppId } from "../../../protocol/signing/app-id.ts"
import { createKeyId } from "../../access/key-id.ts"
import { type AppRecord, type CatalogApps, mostActiveKeys } from "../catalog/apps.ts"
import type { Tables } from "./rows.ts"
import type { Steps } from "./steps.ts"

/** The apps of the catalog in memory. */
export const createMemoryApps = (
  { apps, rows, allRows, expected, graves, deletions, endpoints }: Tables,
  { dropEvent }: Pick<Steps, "dropEvent">,
): CatalogApps => {
  let revision = 0
  const put = (app: AppRecord): void => {
    revision++
    apps.set(app.id, app)
  }

  /** Deletes everything kept for an app without files. */
  const forget = (appId: string): void => {
    for (const [id, endpoint] of endpoints) if (endpoint.appId === appId) endpoints.delete(id)
    for (const row of [...allRows].filter(({ file }) => file.appId === appId)) {
      if (rows.get(row.file.key) === row) rows.delete(row.file.key)
      dropEvent(row)
      row.registration = null
      // Bytes that are not removed yet belong to no app from now on.
      row.file = { ...row.file, appId: "", status: "Deleting" }
      if (!row.hasBytes) allRows.delete(row)
    }
    for (const upload of expected.all()) if (upload.registration.appId === appId) expected.remove(upload)
    for (const [name, grave] of graves) if (grave.appId === appId) graves.delete(name)
    for (const [id, deletion] of deletions) if (deletion.appId === appId) deletions.delete(id)
  }

  return {
    appsRevision: async () => revision,
    listApps: async () => [...apps.values()],
    createApp: async (app) => {
      const prefix = encodeAppId(app.id)
      if ([...apps.keys()].some((id) => encodeAppId(id) === prefix)) return "taken"
      put({ ...app, keys: [] })
      return "created"
    },
    changeApp: async (id, changes) => {
      const app = apps.get(id)
      if (app === undefined) return false
      const given = Object.entries(changes).filter(([, value]) => value !== undefined)
      put({ ...app, ...Object.fromEntries(given) })
      return true
    },
    addKey: async ({ appId, apiKey, now }) => {
      const app = apps.get(appId)
      const id = createKeyId(apiKey)
      if (app === undefined) return "unknownApp"
      if ([...apps.values()].some(({ keys }) => keys.some((key) => key.id === id))) return "taken"
      if (app.keys.filter(({ revokedAt }) => revokedAt === null).length >= mostActiveKeys) return "tooMany"
      put({ ...app, keys: [{ id, apiKey, createdAt: now, revokedAt: null }, ...app.keys] })
      return "added"
    },
    revokeKey: async ({ appId, id, now, keepsLast = false }) => {
      const app = apps.get(appId)
      const active = app?.keys.filter(({ revokedAt }) => revokedAt === null) ?? []
      if (app === undefined || !active.some((key) => key.id === id) || (keepsLast && active.length === 1)) return false
      put({ ...app, keys: app.keys.map((key) => (key.id === id ? { ...key, apiKey: null, revokedAt: now } : key)) })
      return true
    },
    deleteApp: async (id) => {
      if (!apps.has(id)) return "unknown"
      if ([...rows.values()].some(({ file }) => file.appId === id && file.status !== "Failed")) return "hasFiles"
      forget(id)
      revision++
      apps.delete(id)
      return "deleted"
    },
  }
}
