import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, test } from "node:test"
import { testBlobStore, testCatalog } from "../../../../src/conformance.ts"
import { createDiskBlobStore, createSqliteCatalog } from "../../../../src/ingest.ts"

let folder = ""
const makeFolder = async (): Promise<string> => (folder = await mkdtemp(join(tmpdir(), "sluice-")))
const cleanUp = () => rm(folder, { recursive: true })

const openStore = () => createDiskBlobStore({ folder })
testBlobStore({ describe, test }, "disk", {
  create: async () => {
    await makeFolder()
    return openStore()
  },
  reopen: async () => openStore(),
  cleanUp,
})

const openCatalog = () => createSqliteCatalog({ file: join(folder, "catalog.sqlite") })
testCatalog({ describe, test }, "sqlite", {
  create: async () => {
    await makeFolder()
    return openCatalog()
  },
  reopen: async () => openCatalog(),
  cleanUp,
})
