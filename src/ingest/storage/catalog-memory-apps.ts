import { encodeAppId } from "../../protocol/app-id.ts"
import { createKeyId } from "../key-id.ts"
import { type AppRecord, type CatalogApps, mostActiveKeys } from "./catalog-apps.ts"

/** The apps of the catalog in memory. */
export const createMemoryApps = (hasFiles: (appId: string) => boolean): CatalogApps => {
  const apps = new Map<string, AppRecord>()
  let revision = 0
  const put = (app: AppRecord): void => {
    revision++
    apps.set(app.id, app)
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
      if (hasFiles(id)) return "hasFiles"
      revision++
      apps.delete(id)
      return "deleted"
    },
  }
}
