import fs from "node:fs"
import { join } from "node:path"
import { afterEach, describe, expect, test, vi } from "vitest"
import { toNodeListener } from "../../adapters/node/to-node-listener.ts"
import { generateUploader } from "../../src/client.ts"
import { createDiskBlobStore, createSqliteCatalog } from "../../src/ingest.ts"
import { createRouteHandler, createSluice } from "../../src/server.ts"
import { makeFolder } from "../make-folder.ts"
import { listen, startIngest, token } from "./circle.ts"

afterEach(() => void vi.restoreAllMocks())

const f = createSluice()
const router = { any: f({ blob: {} }).onUploadComplete(({ file }) => ({ stored: file.name })) }

/** What the everyday circle asks of network and disk: a client, an app with its callback, an ingest on a disk. */
const startCircle = async () => {
  const requests: Array<string> = []
  const writes: Array<string> = []
  const folder = await makeFolder()
  const catalog = createSqliteCatalog({ file: join(folder, "catalog.sqlite") })
  const writing = ["register", "begin", "commit", "commitWhole", "claimDue", "recordAttempt", "recordResult"] as const
  const counted = { ...catalog }
  for (const name of writing) {
    const method = catalog[name] as (...given: Array<unknown>) => unknown
    Object.assign(counted, { [name]: (...given: Array<unknown>) => (writes.push(name), method(...given)) })
  }
  const flush = vi.spyOn(fs, "fdatasync")
  const ingest = await startIngest({
    catalog: counted,
    store: createDiskBlobStore({ folder: join(folder, "blobs") }),
    fetch: (...given) => {
      requests.push("callback")
      return fetch(...given)
    },
  })
  const handle = createRouteHandler({
    router,
    token,
    ingestUrl: ingest.url,
    isDev: false,
    logLevel: "None",
    fetch: (input, init) => {
      requests.push(new URL(input as string).pathname.slice(1))
      return fetch(input, init)
    },
  })
  const app = await listen(toNodeListener(handle))
  const { uploadFiles } = generateUploader<typeof router>({
    url: `${app}/api/sluice`,
    fetch: (input, init) => {
      requests.push(init?.method === "PUT" ? "PUT" : "action")
      return fetch(input, init)
    },
  })
  return {
    requests,
    writes,
    flushes: () => flush.mock.calls.length,
    upload: async (size: number) => {
      const [outcome] = await uploadFiles("any", { files: [new File(["x".repeat(size)], "a.bin")] })
      expect(outcome).toMatchObject({ status: "done", serverData: { stored: "a.bin" } })
      return (outcome as { key: string }).key
    },
    isDelivered: async (key: string) => (await catalog.get(key))?.delivery?.status === "delivered",
  }
}

describe("one small upload", () => {
  test("is three requests and two transactions, each flushed once; nothing is claimed or flushed while idle", async () => {
    const circle = await startCircle()
    // Registered by a request, until the ingest has reached the app and said so.
    for (const _ of ["first", "second"]) {
      circle.requests.length = circle.writes.length = 0
      expect(await circle.isDelivered(await circle.upload(10))).toBe(true)
      expect(circle.requests).toEqual(["action", "route-metadata", "PUT", "callback"])
      expect(circle.writes).toEqual(["register", "commitWhole", "recordAttempt"])
    }
    circle.requests.length = circle.writes.length = 0
    const before = circle.flushes()
    const key = await circle.upload(10)
    expect(await circle.isDelivered(key)).toBe(true)
    expect(circle.requests).toEqual(["action", "PUT", "callback"])
    expect(circle.writes).toEqual(["commitWhole", "recordAttempt"])
    expect(circle.flushes() - before).toBe(2)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect([circle.writes.length, circle.flushes() - before]).toEqual([2, 2])
  })

  test("of more than a catalog keeps begins by one transaction more, and is called back in the same way", async () => {
    const circle = await startCircle()
    for (const _ of ["first", "second"]) await circle.upload(10)
    circle.requests.length = circle.writes.length = 0
    expect(await circle.isDelivered(await circle.upload(200_000))).toBe(true)
    expect(circle.requests).toEqual(["action", "PUT", "callback"])
    expect(circle.writes).toEqual(["begin", "commit", "recordAttempt"])
  })
})
