import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { DatabaseSync } from "node:sqlite"
import { expect, it, onTestFinished } from "vitest"
import { CatalogError, createSqliteCatalog } from "../../../../src/ingest.ts"
import { createGrant, putRaw, sign, startIngest } from "../../circle.ts"
import { makeFolder } from "../../../make-folder.ts"

/** A catalog that somebody else may lock, as a shell or a backup does. The lock is in this thread: whoever blocks it never gets on. */
const openLockable = async () => {
  const file = join(await makeFolder(), "catalog.sqlite")
  const catalog = createSqliteCatalog({ file })
  const other = new DatabaseSync(file)
  onTestFinished(async () => {
    other.close()
    await catalog.close()
  })
  return { catalog, lock: () => other.exec("BEGIN IMMEDIATE"), unlock: () => other.exec("COMMIT") }
}

const begin = (key: string) => ({ grant: createGrant({ key }), origin: "http://ingest.example", now: 1000 })

it("writes wait for whoever locks the catalog, in their order, and nothing else does", async () => {
  const { catalog, lock, unlock } = await openLockable()
  lock()
  const ended: Array<string> = []
  const writes = ["a", "b", "c"].map(async (key) => {
    await sleep(key === "a" ? 0 : 50)
    await catalog.begin(begin(key))
    ended.push(key)
  })
  await sleep(300)
  expect(await catalog.get("a")).toBe(null)
  expect(ended).toEqual([])
  unlock()
  await Promise.all(writes)
  expect(ended).toEqual(["a", "b", "c"])
})

it("writes fail as busy, each with a remedy, where the lock does not end", async () => {
  const { catalog, lock, unlock } = await openLockable()
  lock()
  const outcomes = await Promise.all(["a", "b"].map((key) => catalog.begin(begin(key)).catch((cause) => cause)))
  for (const outcome of outcomes) {
    expect(CatalogError.is(outcome) && outcome.reason).toBe("busy")
    expect(outcome.message).toContain("Another process holds")
  }
  unlock()
  expect(await catalog.begin(begin("a"))).toMatchObject({ kind: "granted", isNew: true })
}, 20_000)

it("an ingest whose catalog is locked says that it lives, and stores the file afterwards", async () => {
  const { catalog, lock, unlock } = await openLockable()
  const { url } = await startIngest({ catalog })
  const signed = await sign(url, createGrant())
  lock()
  const upload = putRaw(signed, "hello")
  for (let i = 0; i < 5; i++) {
    await sleep(50)
    expect((await fetch(`${url}/health`)).status).toBe(200)
  }
  unlock()
  expect((await upload).status).toBe(200)
})
