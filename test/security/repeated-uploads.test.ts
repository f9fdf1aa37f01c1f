import { expect, it } from "vitest"
import { createMemoryCatalog } from "../../src/ingest.ts"
import { eventually, listen, putRaw, register, startIngest } from "../ingest/circle.ts"
import { acme, addTenant, grantOf, own, postResultOf } from "./two-apps.ts"

it("requests that repeat one upload while its app is awaited are bounded, and all that wait get the app's answer", async () => {
  const catalog = createMemoryCatalog()
  await addTenant(catalog, acme)
  const { url } = await startIngest({ catalog, maxConcurrentUploads: 2, callbackNetworks: "any" })
  // It takes the callback and answers nothing.
  const callbackUrl = await listen(() => {})
  const { key, url: signed } = await grantOf(url, acme)
  await register(url, { fileKeys: [key], callbackUrl }, acme.apiKey)
  const first = putRaw(signed, "hello")
  await eventually(async () => (await catalog.get(key))?.file.status === "Uploaded")
  const statuses: Array<number> = []
  const repeated = Array.from({ length: 100 }, async () => {
    const { status } = await putRaw(signed, "hello")
    statuses.push(status)
    return status
  })
  // Those that are refused are told so while the others wait.
  await eventually(() => statuses.length === 85)
  expect(new Set(statuses)).toEqual(new Set([429]))
  // They hold one place of the app's two, and none of another app's.
  for (const tenant of [acme, own]) {
    const other = await grantOf(url, tenant)
    await register(url, { fileKeys: [other.key], callbackUrl, awaitServerData: false }, tenant.apiKey)
    expect((await putRaw(other.url, "hello")).status).toBe(200)
  }
  expect((await postResultOf(url, acme, key, "late")).status).toBe(200)
  expect(await (await first).json()).toMatchObject({ serverData: "late" })
  expect((await Promise.all(repeated)).filter((status) => status === 200)).toHaveLength(15)
  expect((await putRaw(signed, "hello")).status).toBe(200)
})
