import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, test } from "node:test"
import { testBlobStore, testCatalog } from "../../../../src/conformance.ts"
import { createDiskBlobStore, createSqliteCatalog } from "../../../../src/ingest.ts"

/** A driver in a folder that is new for each case. */
const inFolder = <Driver>(open: (folder: string) => Driver) => {
  let folder = ""
  return {
    create: async () => open((folder = await mkdtemp(join(tmpdir(), "sluice-")))),
    reopen: async () => open(folder),
    cleanUp: () => rm(folder, { recursive: true }),
  }
}

const runner = { describe, test }
testBlobStore(
  runner,
  "disk",
  inFolder((folder) => createDiskBlobStore({ folder })),
)
testCatalog(
  runner,
  "sqlite",
  inFolder((folder) => createSqliteCatalog({ file: join(folder, "catalog.sqlite") })),
)
