import { existsSync, writeFileSync } from "node:fs"
import { rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { expect, it, type TestContext } from "vitest"
import { CatalogError, createSqliteCatalog } from "../../../../src/ingest.ts"
import { createSpareRoom } from "../../../../src/ingest/storage/sqlite/spare-room.ts"
import { createSqliteBlobJournal } from "../../../../src/s3.ts"
import { createGrant } from "../../circle.ts"
import { fillDisk } from "../../../fill-disk.ts"
import { makeFolder } from "../../../make-folder.ts"
import { mountTmpfs } from "../../../mount-tmpfs.ts"

const notes = { fileHash: "", eventId: "evt_1", claimedUntil: null, now: 2000 }

const mountDisk = async (test: TestContext) => {
  const folder = await makeFolder()
  mountTmpfs(test, folder, "size=48m")
  const [file, spare] = [join(folder, "catalog.sqlite"), join(folder, "spare-room")]
  const keepSpare = async (catalog: ReturnType<typeof createSqliteCatalog>): Promise<void> => {
    await catalog.free?.()
    await expect.poll(async () => (await stat(spare).catch(() => undefined))?.size).toBe(4 * 1024 * 1024)
  }
  return { folder, file, spare, keepSpare, open: () => createSqliteCatalog({ file }) }
}

const storeFiles = async (catalog: ReturnType<typeof createSqliteCatalog>, count: number) => {
  const keys: Array<string> = []
  for (let i = 0; i < count; i++) {
    const grant = createGrant({ size: 10_000 })
    await catalog.commitWhole({ grant, origin: "o", bytes: new Uint8Array(10_000), ...notes })
    keys.push(grant.key)
  }
  return keys
}

const deleteAll = async (catalog: ReturnType<typeof createSqliteCatalog>, keys: ReadonlyArray<string>) => {
  const files = keys.map((fileKey) => ({ fileKey }))
  expect(await catalog.deleteFiles({ appId: "app-1", files, now: 3000 })).toHaveLength(keys.length)
  for (const blob of await catalog.listReclaimable(1000)) await catalog.reclaimed(blob)
}

/** Beside the catalog: an ingest over a bucket opens it first. */
const openJournal = (folder: string) => createSqliteBlobJournal({ file: join(folder, "journal.sqlite") })

it("a catalog whose disk was filled to the last byte opens again, and files are deleted in it", async (test) => {
  const { folder, keepSpare, open } = await mountDisk(test)
  const before = open()
  const keys = await storeFiles(before, 100)
  await keepSpare(before)
  await before.close()
  fillDisk(folder)
  const journal = openJournal(folder)
  const catalog = open()
  await deleteAll(catalog, keys)
  expect((await catalog.usage("app-1")).files).toBe(0)
  await catalog.close()
  await journal.close()
})

it("files are deleted while a catalog is open whose disk was filled to the last byte", async (test) => {
  const { folder, spare, keepSpare, open } = await mountDisk(test)
  const catalog = open()
  const keys = await storeFiles(catalog, 100)
  await keepSpare(catalog)
  // Its log has room of its own until it has been emptied.
  while (await catalog.compact());
  const filler = fillDisk(folder)
  await expect(catalog.begin({ grant: createGrant(), origin: "o", now: 1 })).resolves.toBeDefined()
  await deleteAll(catalog, keys)
  expect(existsSync(spare)).toBe(false)
  await rm(filler)
  await keepSpare(catalog)
  await catalog.close()
})

it("an open catalog, and one that was closed, are not written to when they are opened again", async (test) => {
  const { file, open } = await mountDisk(test)
  await open().close()
  const catalog = open()
  expect((await stat(`${file}-wal`)).size).toBe(0)
  await catalog.close()
})

it("one that has no spare room says that the disk is full", async (test) => {
  const { folder, file, open } = await mountDisk(test)
  await open().close()
  await openJournal(folder).close()
  fillDisk(folder)
  for (const attempt of [open, () => openJournal(folder)]) {
    let thrown: unknown
    try {
      attempt()
    } catch (cause) {
      thrown = cause
    }
    expect(CatalogError.is(thrown) && thrown.reason).toBe("full")
    expect((thrown as Error).message).toContain("Remove something there.")
  }
  expect(existsSync(file)).toBe(true)
})

it("a catalog on a full disk says that nothing can be written", async (test) => {
  const { folder, open } = await mountDisk(test)
  const catalog = open()
  await catalog.probe()
  while (await catalog.compact());
  fillDisk(folder)
  await expect(catalog.probe()).rejects.toMatchObject({ name: "CatalogError", reason: "full" })
  await catalog.close()
})

it("a file system that can hold no more files counts as full, whatever room it has for bytes", async (test) => {
  const folder = await makeFolder()
  mountTmpfs(test, folder, "size=48m,nr_inodes=80")
  const open = () => createSqliteCatalog({ file: join(folder, "catalog.sqlite") })
  const catalog = open()
  expect(await catalog.free!()).toBeGreaterThan(16 * 1024 * 1024)
  const names = Array.from({ length: 100 }, (_, i) => join(folder, `file-${i}`))
  for (const name of names.slice(0, 65)) writeFileSync(name, "")
  expect(await catalog.free!()).toBe(0)
  await catalog.close()
  expect(() => {
    for (const name of names.slice(65)) writeFileSync(name, "")
  }).toThrow("ENOSPC")
  expect(open).toThrow(CatalogError)
  expect(open).toThrow("it can hold no more files (inodes)")
  for (const name of names.slice(0, 20)) await rm(name)
  await open().close()
})

it("the log of a catalog stays short where little more is free than it may take", async (test) => {
  const folder = await makeFolder()
  mountTmpfs(test, folder, "size=36m")
  const catalog = createSqliteCatalog({ file: join(folder, "catalog.sqlite") })
  expect(await catalog.free!()).toBeGreaterThan(32 * 1024 * 1024)
  await storeFiles(catalog, 300)
  expect((await stat(join(folder, "catalog.sqlite-wal"))).size).toBeLessThan(2 * 1024 * 1024)
  await catalog.close()
})

it("the spare room is given up to whom the disk says that it is full, whatever it tells of what is free", async () => {
  const folder = await makeFolder()
  const spareRoom = createSpareRoom(folder)
  spareRoom.keep(Infinity)
  await expect.poll(() => existsSync(join(folder, "spare-room"))).toBe(true)
  expect([spareRoom.release(), spareRoom.release()]).toEqual([true, false])
})
