/*
 * An ingest that serves two apps: the one of its token, and one that its operator has made. For what one app may not do
 * to the other.
 */
import { join } from "node:path"
import { type AppSettings, createSqliteCatalog, type Catalog } from "../../src/ingest.ts"
import {
  createFileKey,
  createSigner,
  encodeAppId,
  names,
  type Registration,
  signUploadUrl,
} from "../../src/protocol.ts"
import { apiKey as ownKey, appId as ownId, createGrant, putRaw, register, token } from "../ingest/circle.ts"
import { makeFolder } from "../make-folder.ts"
import { type RunningIngest, startRealIngest } from "./running-ingest.ts"

/** An app as its ingest knows it. */
export interface Tenant {
  readonly id: string
  readonly apiKey: string
}

/** The app of the ingest's token. */
export const own: Tenant = { id: ownId, apiKey: ownKey }

/** An app that the operator has made. */
export const acme: Tenant = { id: "acme", apiKey: "sk_acme" }

/** Makes an app in a catalog. */
export const addTenant = async (catalog: Catalog, { id, apiKey }: Tenant, settings: Partial<AppSettings> = {}) => {
  await catalog.createApp({
    name: null,
    defaultAcl: null,
    quota: null,
    callbackOrigins: null,
    ...settings,
    id,
    createdAt: 1,
  })
  await catalog.addKey({ appId: id, apiKey, now: 1 })
}

/** A file of an app that is to be uploaded, and its signed URL. */
export const grantOf = async (ingestUrl: string, { id, apiKey }: Tenant) => {
  const grant = createGrant({ appId: id, key: createFileKey(encodeAppId(id)), slug: "avatar" })
  return { key: grant.key, url: await signUploadUrl(ingestUrl, grant, createSigner(apiKey)) }
}

/** Registers a file of an app and uploads it, as one who waits for the app's answer. */
export const upload = async (ingestUrl: string, tenant: Tenant, registration: Partial<Registration>) => {
  const { key, url } = await grantOf(ingestUrl, tenant)
  const registered = await register(ingestUrl, { fileKeys: [key], ...registration }, tenant.apiKey)
  if (registered.status !== 200) throw new Error(`The registration got ${registered.status}`)
  return { key, response: await putRaw(url, "hello") }
}

/** Posts a callback's result as the app does. */
export const postResultOf = (ingestUrl: string, { apiKey }: Tenant, fileKey: string, callbackData: unknown) =>
  fetch(`${ingestUrl}/${names.path.callbackResult}`, {
    method: "POST",
    headers: { "content-type": "application/json", [names.header.apiKey]: apiKey },
    body: JSON.stringify({ fileKey, callbackData }),
  })

/** A data folder with a second app in its catalog. */
export const makeDataFolder = async (): Promise<string> => {
  const folder = await makeFolder()
  const catalog = openCatalog(folder)
  await addTenant(catalog, acme)
  await catalog.close()
  return folder
}

/** The catalog of a data folder. */
export const openCatalog = (folder: string): Catalog => createSqliteCatalog({ file: join(folder, "catalog.sqlite") })

/** The ingest's command on a data folder of two apps, with the token of {@link own}. */
export const startIngestProcess = (data: string, args: ReadonlyArray<string> = []): Promise<RunningIngest> =>
  startRealIngest(args, { data, token })
