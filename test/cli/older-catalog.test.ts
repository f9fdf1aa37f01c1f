import { stat } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it, onTestFinished } from "vitest"
import { lockDataFolder } from "../../src/cli/deployment/data-folder-lock.ts"
import { migrations } from "../../src/ingest/storage/sqlite/schema.ts"
import { makeFolder } from "../make-folder.ts"
import { askCommand, runCommand, startCommand } from "./run-command.ts"

const known = migrations.length
const older = known - 1

/** A data folder as a version of before has left it: its last migration is missing. */
const makeOlder = async (version = older): Promise<{ readonly data: string; readonly catalog: string }> => {
  const data = join(await makeFolder(), "data")
  const { child, ended, line } = startCommand(["ingest", "--port", "0", "--json", "--data", data])
  await line((text) => text.includes('"listening"'))
  child.kill("SIGTERM")
  await ended
  const catalog = join(data, "catalog.sqlite")
  const { rmSync } = process.getBuiltinModule("node:fs")
  for (const part of ["", "-wal", "-shm"]) rmSync(catalog + part, { force: true })
  const database = new DatabaseSync(catalog)
  database.exec("PRAGMA journal_mode = WAL")
  for (const migration of migrations.slice(0, version)) database.exec(migration)
  database.exec(`PRAGMA user_version = ${version}`)
  database.close()
  return { data, catalog }
}

const versionOf = (catalog: string): unknown => {
  const database = new DatabaseSync(catalog, { readOnly: true })
  try {
    return Object.values(database.prepare("PRAGMA user_version").get()!)[0]
  } finally {
    database.close()
  }
}

const reading = [
  ["files", "list"],
  ["files", "verify"],
  ["files", "orphans"],
  ["files", "export", "--owner", "x", "out"],
  ["deliveries", "list"],
  ["apps"],
  ["explain", "some-key"],
]
const changing = [
  ["apps", "create", "shop"],
  ["keys", "create", "shop"],
  ["deliveries", "redeliver", "some-event"],
]

describe("the catalog of an older version, whose ingest runs", () => {
  it("is changed by no command of this one, which says who is at work on it and what to do", async () => {
    const { data, catalog } = await makeOlder()
    // The older ingest: a process that lives and holds the folder's lock.
    onTestFinished(lockDataFolder(data))
    for (const args of [...reading, ...changing]) {
      const { code, stdout, stderr } = await runCommand([...args, "--data", data])
      expect({ code, stdout }, args.join(" ")).toEqual({ code: 1, stdout: "" })
      const holder = process.platform === "linux" ? ` (process ${process.pid})` : ""
      expect(stderr).toBe(
        `sluice: The catalog ${catalog} is of schema ${older}, and this version of sluice uses ${known}: the ingest that runs on it${holder} is older. ` +
          "Upgrade that ingest first, or run the command of its version.\n",
      )
      expect(versionOf(catalog)).toBe(older)
    }
    const { code, stdout } = await runCommand(["doctor", "--data", data, "--json"])
    expect(code).toBe(1)
    expect(JSON.parse(stdout).checks).toContainEqual(
      expect.objectContaining({ check: "Catalog", status: "failed", message: expect.stringContaining("is older") }),
    )
    expect(versionOf(catalog)).toBe(older)
  }, 120_000)
})

describe("the catalog of an older version, on which no ingest runs", () => {
  it("is left as it is by what only reads", async () => {
    const { data, catalog } = await makeOlder()
    const { size } = await stat(catalog)
    for (const args of [...reading, ["doctor"]]) {
      const { code, stdout, stderr } = await runCommand([...args, "--data", data])
      expect(code, args.join(" ")).toBe(1)
      expect(stdout + stderr).toContain(
        `The catalog ${catalog} is of schema ${older}, and this version of sluice uses ${known}.`,
      )
      expect(stdout + stderr).toContain("Start the ingest of this version on it once")
      expect(versionOf(catalog)).toBe(older)
    }
    expect((await stat(catalog)).size).toBe(size)
  }, 120_000)

  it("is upgraded by an ingest, and by a command that changes it", async () => {
    const { data, catalog } = await makeOlder()
    await askCommand(["apps", "create", "shop", "--data", data])
    expect(versionOf(catalog)).toBe(known)

    const other = await makeOlder()
    const { child, ended, line } = startCommand(["ingest", "--port", "0", "--json", "--data", other.data])
    await line((text) => text.includes('"listening"'))
    expect(versionOf(other.catalog)).toBe(known)
    expect(await askCommand(["files", "list", "--data", other.data])).toMatchObject({ files: [] })
    child.kill("SIGTERM")
    await ended
  }, 60_000)
})

describe("the catalog of a newer version", () => {
  it("is refused with what to do", async () => {
    const { data, catalog } = await makeOlder(known)
    const database = new DatabaseSync(catalog)
    database.exec(`PRAGMA user_version = ${known + 1}`)
    database.close()
    for (const args of [
      ["files", "list"],
      ["apps", "create", "shop"],
    ]) {
      expect((await runCommand([...args, "--data", data])).stderr).toBe(
        `sluice: The catalog ${catalog} is of schema ${known + 1}, and this version of sluice knows up to ${known}. ` +
          "Use the version that wrote it, or restore an earlier backup.\n",
      )
    }
  }, 60_000)
})
