import { rm } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "vitest"
import type { OwnDeployment } from "../../src/cli/deployment/open-deployment.ts"
import { compareFiles } from "../../src/cli/serve/compare-files.ts"
import { createDiskBlobStore, createMemoryCatalog } from "../../src/ingest.ts"
import { createGrant, putRaw, sign, startIngest } from "../ingest/circle.ts"
import { makeFolder } from "../make-folder.ts"

/** A folder of files and a catalog that has one file of so many bytes; those of up to 1,024 bytes it keeps itself. */
const setUp = async (size: number) => {
  const blobs = join(await makeFolder(), "files")
  const catalog = createMemoryCatalog({ largestContent: 1024 })
  const ingest = await startIngest({ store: createDiskBlobStore({ folder: blobs }), catalog })
  expect((await putRaw(await sign(ingest.url, createGrant({ size })), "x".repeat(size))).status).toBe(200)
  const deployment = { store: { kind: "disk" }, folder: { blobs }, describe: () => "this folder" }
  return { blobs, catalog, compare: (of = catalog) => compareFiles(deployment as unknown as OwnDeployment, of) }
}

it("says where files are there, and their catalog is not", async () => {
  const { compare } = await setUp(5000)
  expect(await compare()).toEqual([])
  expect(await compare(createMemoryCatalog())).toEqual([
    expect.stringMatching(/has files, and the catalog .* knows none/),
  ])
})

it("says where the catalog knows files, and they are not there", async () => {
  const { blobs, compare } = await setUp(5000)
  await rm(blobs, { recursive: true })
  expect(await compare()).toEqual([expect.stringMatching(/knows files, and .* has none/)])
})

it("says nothing where both are new, and where the catalog has all files itself", async () => {
  const { blobs, compare } = await setUp(5)
  expect(await compare()).toEqual([])
  await rm(blobs, { recursive: true, force: true })
  expect(await compare()).toEqual([])
  expect(await compare(createMemoryCatalog())).toEqual([])
})
