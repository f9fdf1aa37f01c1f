import { DatabaseSync } from "node:sqlite"
import { expect, it, onTestFinished } from "vitest"
import { toCatalogError } from "../../../../src/ingest/storage/sqlite/error.ts"

const open = (): DatabaseSync => {
  const database = new DatabaseSync(":memory:")
  onTestFinished(() => database.close())
  return database
}

const thrownBy = (act: () => void): unknown => {
  try {
    act()
  } catch (cause) {
    return toCatalogError(cause, "/data/catalog.sqlite")
  }
  throw new Error("It threw nothing.")
}

it("a full disk is told as such, with the file that needs room", () => {
  const database = open()
  database.exec("CREATE TABLE t (x); PRAGMA max_page_count = 2")
  const error = thrownBy(() => database.exec("INSERT INTO t VALUES (zeroblob(100000))"))
  expect(error).toMatchObject({ name: "CatalogError", reason: "full" })
  expect((error as Error).message).toBe(
    "The catalog could not be used (SQLITE_FULL). Free space on the disk of /data/catalog.sqlite.",
  )
})

it("a database that may not be written is told as such", () => {
  const database = open()
  database.exec("CREATE TABLE t (x); PRAGMA query_only = 1")
  expect(thrownBy(() => database.exec("INSERT INTO t VALUES (1)"))).toMatchObject({ reason: "io" })
})

it("a log that cannot be flushed is told as such", () => {
  const failed = (code: string) => toCatalogError(Object.assign(new Error(code), { code }), "/data/catalog.sqlite")
  expect(failed("ENOSPC")).toMatchObject({ name: "CatalogError", reason: "full" })
  expect(failed("EIO")).toMatchObject({ name: "CatalogError", reason: "io" })
})

it("a wrong statement stays what it is", () => {
  const database = open()
  expect(thrownBy(() => database.exec("SELECT 1 FROM nothing"))).toMatchObject({ code: "ERR_SQLITE_ERROR" })
  expect(thrownBy(() => JSON.parse("{"))).toBeInstanceOf(SyntaxError)
})
