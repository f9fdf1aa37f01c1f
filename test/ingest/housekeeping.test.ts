import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import {
  type Append,
  type BlobStore,
  createDiskBlobStore,
  createMemoryBlobStore,
  createMemoryCatalog,
} from "../../src/ingest.ts"
import { toBlobName } from "../../src/ingest/blob-name.ts"
import { names } from "../../src/protocol.ts"
import { createGrant, eventually, offsetOf, putRaw, register, sign, startApp, startIngest } from "./circle.ts"

/** A store that remembers what it holds. */
const createWatchedStore = () => {
  const store = createMemoryBlobStore()
  const held = new Set<string>()
  return {
    held,
    store: {
      ...store,
      append: (name: string, append: Append) => {
        held.add(name)
        return store.append(name, append)
      },
      remove: async (name: string) => {
        held.delete(name)
        await store.remove(name)
      },
    } satisfies BlobStore,
  }
}

describe("housekeeping", () => {
  it("fails uploads that were not finished in time, tells the app and takes their bytes back", async () => {
    const { store, held } = createWatchedStore()
    const catalog = createMemoryCatalog()
    const ingest = await startIngest({ store, catalog, sweepInterval: 5, unfinishedTtl: 0 })
    const app = await startApp()
    const grant = createGrant({ slug: "avatar", expires: Date.now() + 300 })
    const later = createGrant()
    await register(ingest.url, { fileKeys: [grant.key], callbackUrl: app.url })
    await putRaw(await sign(ingest.url, grant), "hel")
    await putRaw(await sign(ingest.url, later), "hel")
    await app.until(1)
    expect(app.received[0]!.headers.get(names.header.hook)).toBe("error")
    expect(app.received[0]!.event).toMatchObject({ fileKey: grant.key, error: { code: "EXPIRED_URL" } })
    await eventually(() => held.size === 1)
    expect(await offsetOf(await sign(ingest.url, later))).toBe(3)
  })

  it("takes client-side files back that no app registered, and only those", async () => {
    const { store, held } = createWatchedStore()
    const catalog = createMemoryCatalog({ largestContent: 0 })
    const ingest = await startIngest({ store, catalog, sweepInterval: 5, unregisteredTtl: 50, callbackWait: 10 })
    const app = await startApp()
    const [registered, unregistered] = [createGrant({ slug: "avatar" }), createGrant({ slug: "avatar" })]
    const serverSide = createGrant()
    await register(ingest.url, { fileKeys: [registered.key], callbackUrl: app.url, awaitServerData: false })
    for (const grant of [registered, unregistered, serverSide]) await putRaw(await sign(ingest.url, grant), "hello")
    await eventually(async () => (await catalog.get(unregistered.key)) === null)
    expect(held.size).toBe(2)
    expect((await fetch(`${ingest.url}/f/${registered.key}`)).status).toBe(200)
    expect((await fetch(`${ingest.url}/f/${serverSide.key}`)).status).toBe(200)
  })

  it("finishes at the start what a crash left: bytes of failed files", async () => {
    const { store, held } = createWatchedStore()
    const catalog = createMemoryCatalog()
    const grant = createGrant()
    const begun = await catalog.begin({ grant, origin: "http://x", now: 0 })
    if (begun.kind !== "granted") throw new Error(begun.kind)
    async function* body() {
      yield new Uint8Array(3)
    }
    await store.append(toBlobName({ key: grant.key, id: begun.id }), { epoch: 1, offset: 0, body: body() })
    const failure = { code: "CONTENT_MISMATCH", message: "No." } as const
    await catalog.fail({ key: grant.key, epoch: 1, failure, now: 0, eventId: "evt_1" })
    await startIngest({ store, catalog })
    await eventually(async () => (await catalog.listReclaimable(10)).length === 0)
    expect(held.size).toBe(0)
  })

  it("takes the bytes back of an upload whose key was granted to another file, which never sees them", async () => {
    const { store, held } = createWatchedStore()
    const ingest = await startIngest({ store, sweepInterval: 5 })
    const grant = createGrant()
    await putRaw(await sign(ingest.url, grant), "hel")
    const other = await sign(ingest.url, { ...grant, size: 6 })
    expect((await putRaw(other, "wor")).status).toBe(409)
    expect((await putRaw(other, "lds", 3)).status).toBe(200)
    expect(await (await fetch(`${ingest.url}/f/${grant.key}`)).text()).toBe("worlds")
    await eventually(() => held.size === 1)
  })

  it("leaves nothing behind of an upload that expires between its grant and its first byte", async () => {
    const folder = await mkdtemp(join(tmpdir(), "sluice-housekeeping-"))
    onTestFinished(() => rm(folder, { recursive: true }))
    const disk = createDiskBlobStore({ folder })
    const isGranted = Promise.withResolvers<void>()
    const mayWrite = Promise.withResolvers<void>()
    const store: BlobStore = {
      ...disk,
      append: async (name, append) => {
        isGranted.resolve()
        await mayWrite.promise
        return disk.append(name, append)
      },
    }
    const catalog = createMemoryCatalog({ largestContent: 0 })
    const ingest = await startIngest({ store, catalog, sweepInterval: 5, unfinishedTtl: 0 })
    const grant = createGrant({ expires: Date.now() + 200 })
    const answered = putRaw(await sign(ingest.url, grant), "hello")
    await isGranted.promise
    await eventually(async () => (await catalog.get(grant.key))?.file.status === "Failed")
    // Time for the sweep to remove the bytes, which are not there yet.
    await new Promise((resolve) => setTimeout(resolve, 50))
    mayWrite.resolve()
    expect((await answered).status).toBe(423)
    await eventually(async () => (await catalog.listReclaimable(10)).length === 0)
    const left = await readdir(folder, { recursive: true, withFileTypes: true })
    expect(left.filter((entry) => entry.isFile())).toEqual([])
  })
})
