import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished, test } from "vitest"
import { testBlobStore } from "../../../../src/conformance.ts"
import { createDiskBlobStore } from "../../../../src/ingest.ts"

let folder: string

const makeFolder = async (): Promise<string> => mkdtemp(join(tmpdir(), "sluice-blobs-"))

testBlobStore({ describe, test }, "disk", {
  create: async () => {
    folder = await makeFolder()
    return createDiskBlobStore({ folder })
  },
  reopen: async () => createDiskBlobStore({ folder }),
  cleanUp: () => rm(folder, { recursive: true }),
})

const list = async (path: string): Promise<ReadonlyArray<string>> =>
  (await readdir(path, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)

it("uses one file per upload, before and after it is finished", async () => {
  const path = await makeFolder()
  onTestFinished(() => rm(path, { recursive: true }))
  const store = createDiskBlobStore({ folder: path })
  async function* body() {
    yield new Uint8Array(10)
  }
  await store.append("key", { epoch: 1, offset: 0, size: 10, body: body() })
  expect(await list(path)).toEqual([expect.stringMatching(/^[0-9a-f]{62}\.1$/)])
  await store.claim("key", 2)
  expect(await list(path)).toEqual([expect.stringMatching(/^[0-9a-f]{62}\.2$/)])
  await store.finish("key", { epoch: 2, size: 10 })
  expect(await list(path)).toEqual([expect.stringMatching(/^[0-9a-f]{62}$/)])
})

it("takes any string for a key without leaving its folder", async () => {
  const path = await makeFolder()
  onTestFinished(() => rm(path, { recursive: true }))
  const store = createDiskBlobStore({ folder: join(path, "blobs") })
  async function* body() {
    yield new Uint8Array(1)
  }
  for (const key of ["../../escape", "a/b", "..", "\0", "CON"]) {
    await store.append(key, { epoch: 1, offset: 0, size: 1, body: body() })
    await store.finish(key, { epoch: 1, size: 1 })
  }
  expect(await readdir(path)).toEqual(["blobs"])
  expect(await list(path)).toHaveLength(5)
})
