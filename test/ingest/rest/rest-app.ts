import { expect } from "vitest"
import type { Catalog } from "../../../src/ingest.ts"
import {
  createFileKey,
  createSigner,
  encodeAppId,
  names,
  signUploadUrl,
  type UploadGrant,
} from "../../../src/protocol.ts"
import { apiKey, createGrant, type IngestUnderTest, putRaw, sign } from "../circle.ts"

/** Calls an operation as an app's server does. */
export const call = (ingestUrl: string, operation: string, body: unknown, key = apiKey): Promise<Response> =>
  fetch(`${ingestUrl}/${names.path.api}/${operation}`, {
    method: "POST",
    headers: { "content-type": "application/json", [names.header.apiKey]: key },
    body: JSON.stringify(body),
  })

/** What an operation answers that has to work. */
export const answerOf = async (response: Response): Promise<any> => {
  const text = await response.text()
  expect(response.status, text).toBe(200)
  return JSON.parse(text)
}

export const codeOf = async (response: Response): Promise<string> => {
  expect(response.headers.get("content-type")).toBe("application/problem+json")
  return `${response.status} ${(await response.json()).code}`
}

/** Stores a file of the ingest's own app. */
export const store = async ({ url }: Pick<IngestUnderTest, "url">, grant: Partial<UploadGrant> = {}) => {
  const stored = createGrant(grant)
  expect((await putRaw(await sign(url, stored), "hello".padEnd(stored.size, "!"))).status).toBe(200)
  return stored.key
}

/** A second app of the ingest. */
export const other = { id: "acme", apiKey: "sk_acme" }

export const createOther = async (catalog: Catalog): Promise<void> => {
  const settings = { name: null, defaultAcl: null, quota: null, callbackOrigins: null }
  await catalog.createApp({ ...settings, id: other.id, createdAt: 1 })
  await catalog.addKey({ appId: other.id, apiKey: other.apiKey, now: 1 })
}

/** Stores a file of the second app. */
export const storeOfOther = async ({ url }: IngestUnderTest, grant: Partial<UploadGrant> = {}) => {
  const stored = createGrant({ appId: other.id, key: createFileKey(encodeAppId(other.id)), ...grant })
  const signed = await signUploadUrl(url, stored, createSigner(other.apiKey))
  expect((await putRaw(signed, "hello")).status).toBe(200)
  return stored.key
}
