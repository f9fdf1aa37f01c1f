import { copyFile, mkdir, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { createSqliteCatalog } from "../../../../src/ingest.ts"
import { makeFolder } from "../../../make-folder.ts"

const openCatalog = async (beside: ReadonlyArray<string> = []) => {
  const folder = join(await makeFolder(), "data")
  await mkdir(folder)
  for (const name of beside) await writeFile(join(folder, name), "")
  const file = join(folder, "catalog.sqlite")
  const catalog = createSqliteCatalog(
    { file },
    beside.map((name) => join(folder, name)),
  )
  onTestFinished(catalog.close)
  const begin = (key: string) =>
    catalog.begin({ grant: { key, appId: "app", expires: 1, name: "n", size: 5, type: "t" }, origin: "o", now: 1 })
  return { folder, file, catalog, begin }
}

const gone = { name: "CatalogError", reason: "io", message: expect.stringContaining("was removed, moved or replaced") }

it("confirms nothing once its file is removed, and tells nothing that it has taken since", async () => {
  const { folder, catalog, begin } = await openCatalog()
  await begin("a")
  await rm(folder, { recursive: true })
  // Nobody has written yet: what was confirmed before can still be read.
  expect(await catalog.get("a")).not.toBeNull()
  await expect(begin("b")).rejects.toMatchObject(gone)
  await expect(catalog.get("b")).rejects.toMatchObject(gone)
  await expect(catalog.get("a")).rejects.toMatchObject(gone)
  await expect(catalog.probe()).rejects.toMatchObject(gone)
})

it("goes on when what was moved away is back", async () => {
  const { folder, catalog, begin } = await openCatalog()
  await rename(folder, `${folder}-away`)
  await expect(begin("a")).rejects.toMatchObject(gone)
  await rename(`${folder}-away`, folder)
  expect(await catalog.get("a")).not.toBeNull()
  expect(await begin("b")).toMatchObject({ kind: "granted" })
})

it.each(["catalog.sqlite", "catalog.sqlite-wal", "catalog.sqlite-shm", "lock.sqlite"])(
  "confirms nothing once %s is replaced",
  async (name) => {
    const { folder, begin } = await openCatalog(["lock.sqlite"])
    await begin("a")
    await copyFile(join(folder, name), join(folder, "copy"))
    await rename(join(folder, "copy"), join(folder, name))
    await expect(begin("b")).rejects.toMatchObject({ ...gone, message: expect.stringContaining(join(folder, name)) })
  },
)
