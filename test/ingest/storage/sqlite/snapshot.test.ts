import { join } from "node:path"
import { expect, it } from "vitest"
import { content, grantOf } from "../../../../src/conformance/catalog/drive-catalog.ts"
import {
  createSqliteCatalog,
  dropFromSnapshot,
  readSqliteCatalog,
  snapshotSqliteCatalog,
  type StoredFileRow,
} from "../../../../src/ingest.ts"
import { makeFolder } from "../../../make-folder.ts"

it("takes files out of a copy also where a deletion means them that had not reached them", async () => {
  const folder = await makeFolder()
  const [file, to] = [join(folder, "catalog.sqlite"), join(folder, "copy.sqlite")]
  const catalog = createSqliteCatalog({ file })
  for (const key of ["a", "b", "c"]) {
    const upload = { grant: grantOf(key), labels: { owner: "u" }, origin: "http://ingest.example", now: 1000 }
    await catalog.commitWhole({
      ...upload,
      registration: undefined,
      bytes: content,
      fileHash: "",
      eventId: `evt_${key}`,
      claimedUntil: null,
    })
  }
  await catalog.deleteMatching({ appId: "app", selection: { owner: "u" }, now: 3000, limit: 1 })
  await snapshotSqliteCatalog({ file, to })
  await catalog.close()

  const listStored = (): ReadonlyArray<StoredFileRow> => {
    const reader = readSqliteCatalog({ file: to })
    try {
      return reader.listStored(10)
    } finally {
      reader.close()
    }
  }
  const rows = listStored()
  expect(rows.length).toBe(2)
  await dropFromSnapshot({ file: to }, rows.slice(0, 1), 4000)
  expect(listStored()).toEqual([])
})
