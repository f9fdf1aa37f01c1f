import { expect, it } from "vitest"
import { createMemoryBlobStore, createMemoryCatalog } from "../../../src/ingest.ts"
import { captureConsole } from "../capture-console.ts"
import { createGrant, putRaw, randomContent, sign, startIngest } from "../circle.ts"

it("a file that is deleted, and its bytes removed, between the look-up and the read is not there; one that is, fails", async () => {
  const [store, catalog] = [createMemoryBlobStore(), createMemoryCatalog()]
  const printed = captureConsole()
  const grant = createGrant({ size: 100_000 })
  let becomes = async (): Promise<unknown> => undefined
  const { url } = await startIngest({
    catalog,
    logLevel: "Error",
    store: {
      ...store,
      read: async (name, range) => {
        await becomes()
        return store.read(name, range)
      },
    },
    defaultAcl: "public-read",
  })
  expect((await putRaw(await sign(url, grant), randomContent(grant.size))).status).toBe(200)
  const get = async () => (await fetch(`${url}/f/${grant.key}`)).status
  expect(await get()).toBe(200)
  const { file } = (await catalog.get(grant.key))!
  becomes = () => store.remove(`${file.key}.${file.id}`)
  expect(await get()).toBe(500)
  expect(printed.filter((line) => line.includes(`The bytes of ${grant.key} are gone`))).toHaveLength(1)
  becomes = () => catalog.deleteFiles({ appId: file.appId, files: [{ fileKey: file.key }], now: Date.now() })
  expect(await get()).toBe(404)
})
