import { readdir } from "node:fs/promises"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import {
  type Append,
  type BlobStore,
  BlobStoreError,
  type Catalog,
  createDiskBlobStore,
  createMemoryBlobStore,
  createMemoryCatalog,
} from "../../../src/ingest.ts"
import { toBlobName } from "../../../src/ingest/storage/blob-name.ts"
import { names, type UploadGrant } from "../../../src/protocol.ts"
import { makeFolder } from "../../make-folder.ts"
import { createGrant, eventually, offsetOf, putRaw, register, sign, startApp, startIngest } from "../circle.ts"

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

type Ports = { readonly store: BlobStore; readonly catalog: Catalog }
type Step = (ports: Ports, grant: UploadGrant) => Promise<unknown>

async function* threeBytes() {
  yield new Uint8Array(3)
}

/** The blob and epoch of a key's upload. */
const uploadOf = async (catalog: Catalog, key: string) => {
  const { file } = (await catalog.get(key))!
  return { blob: toBlobName(file), epoch: file.epoch }
}

/** What a PUT does, one step at a time, so that the test can stop after any of them. */
const steps = {
  begin: ({ catalog }, grant) => catalog.begin({ grant, origin: "http://x", now: 0 }),
  append: async ({ store, catalog }, { key }) => {
    const { blob, epoch } = await uploadOf(catalog, key)
    return store.append(blob, { epoch, offset: 0, size: 3, body: threeBytes() })
  },
  finish: async ({ store, catalog }, { key }) => {
    const { blob, epoch } = await uploadOf(catalog, key)
    return store.finish(blob, { epoch, size: 3 })
  },
  fail: async ({ catalog }, { key }) => {
    const { epoch } = await uploadOf(catalog, key)
    const failure = { code: "CONTENT_MISMATCH", message: "No." } as const
    return catalog.fail({ key, epoch, failure, now: 0, eventId: "evt_1" })
  },
  remove: async ({ store, catalog }, { key }) => store.remove((await uploadOf(catalog, key)).blob),
} satisfies Record<string, Step>

const beginOther: Step = (ports, grant) => steps.begin(ports, { ...grant, size: grant.size + 1 })

const beginAndAppend: Step = async (ports, grant) => {
  await steps.begin(ports, grant)
  await steps.append(ports, grant)
}

describe("housekeeping", () => {
  it("fails uploads that were not finished in time, tells the app and takes their bytes back", async () => {
    const { store, held } = createWatchedStore()
    const catalog = createMemoryCatalog({ largestContent: 0 })
    const ingest = await startIngest({ store, catalog, sweepInterval: 5, unfinishedTtl: 0 })
    const app = await startApp()
    const grant = createGrant({ slug: "avatar", expires: Date.now() + 900 })
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
    const folder = await makeFolder()
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
    const errors = vi.spyOn(console, "error").mockImplementation(() => {})
    onTestFinished(() => errors.mockRestore())
    const ingest = await startIngest({ store, catalog, sweepInterval: 5, unfinishedTtl: 0, logLevel: "Error" })
    const grant = createGrant({ expires: Date.now() + 200 })
    const answered = putRaw(await sign(ingest.url, grant), "hello")
    await isGranted.promise
    await eventually(async () => (await catalog.get(grant.key))?.file.status === "Failed")
    // Time for the sweep to remove the bytes, which are not there yet.
    await new Promise((resolve) => setTimeout(resolve, 50))
    // A client with a renewed URL is newer than the sweep, which tries again.
    const renewed = offsetOf(await sign(ingest.url, { ...grant, expires: Date.now() + 60_000 }))
    await new Promise((resolve) => setTimeout(resolve, 20))
    mayWrite.resolve()
    expect((await answered).status).toBe(423)
    expect(await renewed).toBe(0)
    await eventually(async () => (await catalog.listReclaimable(10)).length === 0)
    const left = await readdir(folder, { recursive: true, withFileTypes: true })
    expect(left.filter((entry) => entry.isFile())).toEqual([])
    expect(errors).not.toHaveBeenCalled()
  })

  it("goes on with other files when one cannot be removed, and says which", async () => {
    const { store, held } = createWatchedStore()
    const catalog = createMemoryCatalog({ largestContent: 0 })
    const lines: Array<string> = []
    vi.spyOn(console, "error").mockImplementation((line) => void lines.push(line))
    onTestFinished(() => void vi.restoreAllMocks())
    const [stuck, other] = [createGrant({ expires: 1 }), createGrant({ expires: 1 })]
    for (const grant of [stuck, other]) await beginAndAppend({ store, catalog }, grant)
    const remove = async (name: string) => {
      if (name.startsWith(stuck.key)) throw new BlobStoreError("io", "The disk failed.")
      await store.remove(name)
    }
    await startIngest({ store: { ...store, remove }, catalog, logLevel: "Error" })
    await eventually(() => held.size === 1)
    expect([...held][0]).toContain(stuck.key)
    expect(lines.join("\n")).toContain(stuck.key)
  })

  it("forgets failed uploads and attempts when they are history", async () => {
    const catalog = createMemoryCatalog({ largestContent: 0 })
    const app = await startApp()
    const ingest = await startIngest({ catalog, sweepInterval: 5, historyTtl: 200 })
    const failed = createGrant({ type: "image/png", size: 6, slug: "avatar", expires: Date.now() + 900 })
    const stored = createGrant({ slug: "avatar" })
    await register(ingest.url, {
      fileKeys: [failed.key, stored.key],
      callbackUrl: app.url,
      awaitServerData: false,
    })
    expect((await putRaw(await sign(ingest.url, failed), "<html>")).status).toBe(415)
    expect((await putRaw(await sign(ingest.url, stored), "hello")).status).toBe(200)
    await app.until(2)
    expect((await catalog.get(failed.key))?.file.status).toBe("Failed")
    await eventually(async () => (await catalog.get(failed.key)) === null && catalog.attempts.length === 0)
    expect(await catalog.get(stored.key)).toMatchObject({
      file: { status: "Uploaded" },
      delivery: { status: "delivered" },
    })
  })

  const { begin, append, finish, fail, remove } = steps
  it.each([
    ["begin", [begin]],
    ["append", [begin, append]],
    ["finish", [begin, append, finish]],
    ["a second begin", [begin, append, begin]],
    ["fail", [begin, append, fail]],
    ["the removal of its bytes", [begin, append, fail, remove]],
    ["another file's begin under its key", [begin, append, beginOther]],
  ])("leaves no byte behind of an upload whose process died after %s", async (_step, taken) => {
    const { store, held } = createWatchedStore()
    const catalog = createMemoryCatalog({ largestContent: 0 })
    const grant = createGrant({ expires: 1 })
    for (const step of taken) await step({ store, catalog }, grant)
    await startIngest({ store, catalog, historyTtl: 0 })
    await eventually(async () => (await catalog.get(grant.key)) === null && held.size === 0)
    expect(await catalog.usage(grant.appId)).toMatchObject({ files: 0, storedBytes: 0, announcedBytes: 0 })
  })
})
