import { mkdtemp, rm, stat } from "node:fs/promises"
import { DatabaseSync } from "node:sqlite"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { createSqliteCatalog } from "../../../../src/ingest.ts"

const openCatalog = async () => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-log-"))
  const file = join(folder, "catalog.sqlite")
  const catalog = createSqliteCatalog({ file })
  onTestFinished(async () => {
    await catalog.close()
    await rm(folder, { recursive: true })
  })
  const begin = (key: string) =>
    catalog.begin({ grant: { key, appId: "app", expires: 1, name: "n", size: 5, type: "t" }, origin: "o", now: 1 })
  return { file, catalog, begin, logSize: async () => (await stat(`${file}-wal`)).size }
}

/** A disk that fails so many flushes of the log; how often it was asked. */
const failFlushes = (count: number) => {
  const fs = process.getBuiltinModule("node:fs")
  const { fdatasync } = fs
  let asked = 0
  fs.fdatasync = ((descriptor: number, done: (cause: NodeJS.ErrnoException | null) => void) => {
    if (asked++ < count) setImmediate(done, new Error("EIO"))
    else fdatasync(descriptor, done)
  }) as typeof fdatasync
  onTestFinished(() => {
    fs.fdatasync = fdatasync
  })
  return () => asked
}

it("flushes its log itself, once for all that is committed meanwhile", async () => {
  const { begin } = await openCatalog()
  const asked = failFlushes(0)
  await Promise.all(Array.from({ length: 20 }, (_, i) => begin(String(i))))
  expect(asked()).toBe(1)
  await begin("another")
  expect(asked()).toBe(2)
})

it("moves its log into the database when flushing it failed", async () => {
  const { begin, logSize } = await openCatalog()
  await begin("a")
  expect(await logSize()).toBeGreaterThan(0)
  const asked = failFlushes(1)
  expect(await begin("b")).toMatchObject({ kind: "granted" })
  expect(await logSize()).toBe(0)
  await begin("c")
  expect(asked()).toBe(2)
})

it("takes nothing for flushed until that has worked", async () => {
  const { file, begin } = await openCatalog()
  await begin("a")
  const reader = new DatabaseSync(file)
  onTestFinished(() => reader.close())
  reader.exec("BEGIN; SELECT * FROM files")
  const asked = failFlushes(1)
  await expect(begin("b")).rejects.toThrow()
  await expect(begin("c")).rejects.toThrow()
  expect(asked()).toBe(1)
  reader.exec("COMMIT")
  expect(await begin("d")).toMatchObject({ kind: "granted" })
})

it("writes nothing where a file that is there is sent again", async () => {
  const { catalog, logSize } = await openCatalog()
  const origin = "o"
  const grantOf = (key: string) => ({ key, appId: "app", expires: 1, name: "n", size: 5, type: "text/plain" })
  const begin = (key: string) => catalog.begin({ grant: grantOf(key), origin, now: 1 })
  const notes = { fileHash: "h", now: 1, eventId: "evt_1", claimedUntil: null }
  const whole = () => catalog.commitWhole({ grant: grantOf("whole"), origin, bytes: new Uint8Array(5), ...notes })
  await begin("large")
  await catalog.commit({ key: "large", epoch: 1, blobRef: null, ...notes })
  expect(await whole()).toMatchObject({ kind: "committed" })
  const size = await logSize()
  for (const key of ["large", "whole", "large", "whole"]) expect(await begin(key)).toMatchObject({ kind: "finished" })
  expect(await whole()).toEqual({ kind: "refused" })
  expect(await logSize()).toBe(size)
})
