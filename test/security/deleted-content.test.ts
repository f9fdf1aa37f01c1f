import { readdir, readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it, onTestFinished } from "vitest"
import { createSqliteCatalog } from "../../src/ingest.ts"
import { migrations } from "../../src/ingest/storage/sqlite/schema.ts"
import { createGrant, eventually, postResult, putRaw, register, sign } from "../ingest/circle.ts"
import { makeFolder } from "../make-folder.ts"
import { startRestartableCircle } from "./restartable-circle.ts"

/** What of a file nobody may find once it is deleted: its bytes, name, custom id, metadata and result. */
const kinds = ["BODY", "NAME", "CUST", "META", "RSLT"] as const

const markOf = (kind: string, index: number): string => `${kind}${String(index).padStart(6, "0")}${kind}`

/** Which marks are in any file of a folder, by kind. */
const findMarks = async (folder: string): Promise<Readonly<Record<string, ReadonlySet<number>>>> => {
  const found = Object.fromEntries(kinds.map((kind) => [kind, new Set<number>()]))
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    // One that is removed meanwhile holds nothing.
    const text = (await readFile(join(entry.parentPath, entry.name)).catch(() => Buffer.of())).toString("latin1")
    for (const kind of kinds) {
      for (const [, index] of text.matchAll(new RegExp(`${kind}(\\d{6})${kind}`, "g"))) found[kind]!.add(Number(index))
    }
  }
  return found
}

const sizes = [100, 1000, 5000, 30_000, 65_000]

/** Stores private files that hold marks, in batches; gives their keys. */
const storeMarked = async (ingestUrl: string, from: number, count: number): Promise<ReadonlyArray<string>> => {
  const keys: Array<string> = []
  for (let at = from; at < from + count; at += 50) {
    const some = Array.from({ length: 50 }, async (_, offset) => {
      const index = at + offset
      const bytes = Buffer.alloc(sizes[index % sizes.length]!, 46)
      bytes.write(markOf("BODY", index), Math.floor(bytes.length / 2))
      const grant = createGrant({
        size: bytes.length,
        name: markOf("NAME", index),
        customId: markOf("CUST", index),
        type: "application/octet-stream",
        acl: "private",
        slug: "notes",
      })
      const metadata = { note: markOf("META", index), rest: "z".repeat(index % 7 === 0 ? 9000 : 50) }
      const { status } = await register(ingestUrl, { fileKeys: [grant.key], metadata, awaitServerData: false })
      expect(status).toBe(200)
      expect((await putRaw(await sign(ingestUrl, grant), bytes)).status).toBe(200)
      expect((await postResult(ingestUrl, { fileKey: grant.key, callbackData: markOf("RSLT", index) })).status).toBe(
        200,
      )
      return grant.key
    })
    keys.push(...(await Promise.all(some)))
  }
  return keys
}

describe("a deleted private file", () => {
  it.each(["stop", "kill"] as const)(
    "leaves nothing in the data folder after a %s of the ingest and its next sweep, and those kept stay whole",
    { timeout: 240_000 },
    async (how) => {
      const circle = await startRestartableCircle({ callbackRetries: [], sweepInterval: 200 })
      const count = 600
      const keys = await storeMarked(circle.ingestUrl, 0, count)
      const kept = new Set(Array.from({ length: count }, (_, index) => index).filter((index) => index % 3 === 0))
      // Files that change while they are read may show too few: never too many.
      await eventually(async () => Object.values(await findMarks(circle.data)).every(({ size }) => size === count))
      const deletion = circle.api.deleteFiles(keys.filter((_, index) => !kept.has(index)))
      if (how === "kill") {
        await deletion
        await circle.restart("kill")
      } else expect(await deletion).toMatchObject({ deletedCount: count - kept.size })
      await eventually(async () => (await circle.api.listFiles({ limit: 1000 })).files.length === kept.size)
      if (how === "stop") await circle.stop()
      else {
        // While it runs: nothing has to end for it.
        await eventually(async () =>
          Object.values(await findMarks(circle.data)).every(({ size }) => size === kept.size),
        )
        await circle.kill()
      }
      const left = await findMarks(circle.data)
      for (const kind of kinds) {
        expect([kind, [...left[kind]!].filter((index) => !kept.has(index))]).toEqual([kind, []])
        expect([kind, left[kind]!.size]).toEqual([kind, kept.size])
      }
    },
  )

  it("leaves nothing in the data folder of an ingest that is told to stop right behind the deletion", async () => {
    const circle = await startRestartableCircle({ callbackRetries: [], sweepInterval: 600_000 })
    const keys = await storeMarked(circle.ingestUrl, 0, 600)
    const large = Buffer.alloc(200_000, markOf("BODY", 600))
    const grant = createGrant({ size: large.length, type: "application/octet-stream", acl: "private" })
    expect((await putRaw(await sign(circle.ingestUrl, grant), large)).status).toBe(200)
    expect(await circle.api.deleteFiles([...keys, grant.key])).toMatchObject({ deletedCount: 601 })
    await circle.stop()
    for (const [kind, left] of Object.entries(await findMarks(circle.data)))
      expect([kind, [...left]]).toEqual([kind, []])
  })
})

describe("the catalog", () => {
  it("gives the room of deleted files back while it serves others", { timeout: 240_000 }, async () => {
    const circle = await startRestartableCircle({ callbackRetries: [], sweepInterval: 50 })
    const keys = await storeMarked(circle.ingestUrl, 0, 600)
    const file = join(circle.data, "catalog.sqlite")
    const before = (await stat(file)).size + (await stat(`${file}-wal`)).size
    expect(before).toBeGreaterThan(600 * 20_000)
    await circle.api.deleteFiles(keys)
    const during = storeMarked(circle.ingestUrl, 1000, 100)
    await eventually(async () => (await stat(file)).size + (await stat(`${file}-wal`)).size < before / 3)
    const stored = await during
    for (const key of stored) expect((await circle.api.listFiles({ limit: 1 })).files.length, key).toBe(1)
    expect((await circle.api.listFiles({ limit: 1000 })).files).toHaveLength(100)
    await circle.stop()
    const database = new DatabaseSync(file)
    onTestFinished(() => database.close())
    expect(database.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" })
  })

  it("of an older version is rewritten once: what was deleted then is gone, and it can shrink", async () => {
    const path = await makeFolder()
    const file = join(path, "catalog.sqlite")
    const old = new DatabaseSync(file)
    old.exec("PRAGMA journal_mode = WAL; PRAGMA secure_delete = OFF")
    for (const step of migrations.slice(0, 2)) old.exec(step)
    old.exec("PRAGMA user_version = 2; PRAGMA foreign_keys = OFF")
    const insert = old.prepare("INSERT INTO contents (file_id, bytes) VALUES (?, ?)")
    for (let id = 1; id <= 300; id++) insert.run(id, Buffer.from(markOf("BODY", id).padEnd(9000, ".")))
    old.exec("DELETE FROM contents WHERE file_id > 1")
    old.close()
    expect((await findMarks(path))["BODY"]!.size).toBeGreaterThan(200)
    const catalog = createSqliteCatalog({ file })
    expect([...(await findMarks(path))["BODY"]!]).toEqual([1])
    await catalog.close()
    expect((await stat(file)).size).toBeLessThan(400_000)
    const database = new DatabaseSync(file)
    onTestFinished(() => database.close())
    expect(database.prepare("PRAGMA auto_vacuum").get()).toEqual({ auto_vacuum: 2 })
  })
})
