import { createHash } from "node:crypto"
import { cp, mkdir, readdir, readFile, rm, stat, symlink, truncate, writeFile } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "vitest"
import { createDiskFiles } from "../../../src/ingest/storage/disk/files.ts"
import { toBlobName } from "../../../src/ingest/storage/blob-name.ts"
import { migrations } from "../../../src/ingest/storage/sqlite/schema.ts"
import { encodeToken } from "../../../src/protocol.ts"
import { apiKey, appId } from "../../ingest/circle.ts"
import { makeFolder } from "../../make-folder.ts"
import { mountTmpfs } from "../../mount-tmpfs.ts"
import { askCommand, runCommand, startCommand } from "../run-command.ts"
import { openData, storeFile } from "../stored-files.ts"

/** A data folder with these files, no ingest on it; and a place for backups. */
const seed = async (contents: Readonly<Record<string, string>>) => {
  const folder = await makeFolder()
  const path = join(folder, "data")
  await fill(path, contents)
  return { folder, data: path, backup: join(folder, "backup") }
}

const fill = async (path: string, contents: Readonly<Record<string, string>>): Promise<void> => {
  const data = openData(path)
  for (const [key, content] of Object.entries(contents)) await storeFile(data, key, {}, content)
  await data.catalog.close()
  await data.store.close()
}

/** Where the blob of a file is below a data folder or a backup. */
const blobOf = async (data: string, key: string, below = data): Promise<string> => {
  const { catalog, store } = openData(data)
  const found = await catalog.get(key)
  await catalog.close()
  await store.close()
  return createDiskFiles(join(below, "files")).pathOf(toBlobName({ key, id: found!.file.id }))
}

const ask = async (...args: ReadonlyArray<string>): Promise<any> => {
  const { code, stdout, stderr } = await runCommand([...args, "--json"])
  return { code, stderr, ...(stdout && JSON.parse(stdout)) }
}

const refuse = async (...args: ReadonlyArray<string>): Promise<string> => {
  const { code, stdout, stderr } = await runCommand(args)
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
  expect(stderr).toMatch(/^sluice: [^\n]*\n$/)
  return stderr
}

const listFiles = async (folder: string): Promise<ReadonlyArray<string>> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length))
    .toSorted()

const hashAll = async (folder: string): Promise<ReadonlyMap<string, string>> =>
  new Map(
    await Promise.all(
      (await listFiles(folder)).map(
        async (path) =>
          [
            path,
            createHash("sha256")
              .update(await readFile(join(folder, path)))
              .digest("hex"),
          ] as const,
      ),
    ),
  )

describe("sluice backup", () => {
  it("brings a backup up to date: what is there stays, what is new comes, what was deleted goes", async () => {
    const { data, backup } = await seed({ one: "hello", two: "world" })
    const first = await ask("backup", backup, "--data", data, "--copy")
    expect(first).toMatchObject({ code: 0, files: 2, bytes: 10, copied: 2, copiedBytes: 10, kept: 0, removed: 0 })
    const open = openData(data)
    await storeFile(open, "three", {}, "three!")
    await open.catalog.deleteFiles({ appId: "app", files: [{ fileKey: "one" }], now: 5_000_000 })
    await open.catalog.close()
    await open.store.close()
    const inode = (await stat(await blobOf(data, "two", backup))).ino
    const second = await ask("backup", backup, "--data", data, "--copy")
    expect(second).toMatchObject({ code: 0, files: 2, bytes: 11, copied: 1, copiedBytes: 6, kept: 1, removed: 1 })
    expect((await stat(await blobOf(data, "two", backup))).ino).toBe(inode)
    expect((await readdir(backup)).filter((name) => name.startsWith("catalog-"))).toHaveLength(1)
    expect((await ask("backup", "verify", backup)).damaged).toEqual([])
  })

  it("links what an earlier backup has, into a folder of its own", async () => {
    const { folder, data, backup } = await seed({ one: "hello", two: "world" })
    await ask("backup", backup, "--data", data, "--copy")
    await fill(data, { three: "three!" })
    const next = join(folder, "next")
    const made = await ask("backup", next, "--base", backup, "--data", data, "--copy")
    expect(made).toMatchObject({ code: 0, linked: 2, copied: 1 })
    expect((await stat(await blobOf(data, "one", next))).ino).toBe((await stat(await blobOf(data, "one", backup))).ino)
    await rm(backup, { recursive: true })
    expect((await ask("backup", "verify", next)).damaged).toEqual([])
  })

  it("is closed to other users, and says that it lies on the disk it should outlive", async () => {
    const { data, backup } = await seed({ one: "hello" })
    const { stderr } = await runCommand(["backup", backup, "--data", data])
    expect(stderr).toMatch(/^This backup is on the same disk as the data/)
    expect((await stat(backup)).mode & 0o077).toBe(0)
    for (const path of await listFiles(backup)) expect((await stat(join(backup, path))).mode & 0o077, path).toBe(0)
  })

  it("leaves out, and names, what the ingest has lost; a sound copy of before stays", async () => {
    const { data, backup } = await seed({ gone: "hello", changed: "world", kept: "three!" })
    await ask("backup", join(backup, "../first"), "--data", data, "--copy")
    const before = join(backup, "../first")
    for (const key of ["changed", "kept"]) await writeFile(await blobOf(data, key), key === "kept" ? "THREE!" : "WORLD")
    await rm(await blobOf(data, "gone"))
    // A copy of before: nothing is lost.
    expect(await ask("backup", before, "--data", data, "--copy", "--verify")).toMatchObject({ code: 0, leftOut: [] })
    const made = await ask("backup", backup, "--data", data, "--copy")
    expect(made.code).toBe(1)
    expect(made.leftOut.toSorted((a: any, b: any) => a.key.localeCompare(b.key))).toEqual([
      { key: "changed", name: "changed.txt", reason: "changed" },
      { key: "gone", name: "gone.txt", reason: "missing" },
      { key: "kept", name: "kept.txt", reason: "changed" },
    ])
    expect(await ask("backup", "verify", backup)).toMatchObject({ code: 0, files: 0, damaged: [] })
    expect(await ask("backup", "verify", before)).toMatchObject({ code: 0, files: 3, damaged: [] })
  })

  it("replaces with --verify what has rotted in the backup", async () => {
    const { data, backup } = await seed({ one: "hello" })
    await ask("backup", backup, "--data", data, "--copy")
    await writeFile(await blobOf(data, "one", backup), "HELLO")
    expect(await ask("backup", "verify", backup)).toMatchObject({
      code: 1,
      damaged: [{ key: "one", reason: "changed" }],
    })
    expect(await ask("backup", backup, "--data", data, "--copy", "--verify")).toMatchObject({ code: 0, copied: 1 })
    expect(await ask("backup", "verify", backup)).toMatchObject({ code: 0, damaged: [] })
  })

  it("removes its own files only: no others in its folders, and none behind a link", async () => {
    const { folder, data, backup } = await seed({ a: "x".repeat(100_000) })
    await ask("backup", backup, "--data", data)
    const outside = join(folder, "outside")
    const shard = dirname(await blobOf(data, "a", backup))
    for (const path of [outside, join(shard, "@eaDir")]) await mkdir(path)
    const [linked, plain] = ["00", "01", "02"].filter((name) => name !== basename(shard))
    const foreign = [
      join(outside, "f".repeat(62)),
      join(shard, ".DS_Store"),
      join(backup, "files", "Thumbs.db"),
      join(backup, "files", plain!),
    ]
    for (const path of foreign) await writeFile(path, "mine")
    await symlink(outside, join(backup, "files", linked!))
    expect(await ask("backup", backup, "--data", data)).toMatchObject({ code: 0, kept: 1, removed: 0 })
    for (const path of foreign) expect(await readFile(path, "utf8")).toBe("mine")
  })

  it("does not replace a backup by that of another data folder: a disk was not mounted", async () => {
    const { data, backup } = await seed({ one: "hello" })
    await ask("backup", backup, "--data", data)
    const before = await hashAll(backup)
    await rm(data, { recursive: true })
    await fill(data, {})
    expect(await refuse("backup", backup, "--data", data)).toMatch(/another data folder.*not mounted/)
    expect(await refuse("backup", `${backup}2`, "--base", backup, "--data", data)).toMatch(/another data folder/)
    expect(await hashAll(backup)).toEqual(before)
  })

  it("touches no folder that holds other things, nor one inside the data folder, nor makes a data folder", async () => {
    const { folder, data, backup } = await seed({ one: "hello" })
    await mkdir(backup)
    await writeFile(join(backup, "thesis.txt"), "mine")
    expect(await refuse("backup", backup, "--data", data)).toMatch(/holds other files/)
    expect(await readdir(backup)).toEqual(["thesis.txt"])
    expect(await refuse("backup", join(data, "backup"), "--data", data)).toMatch(/contains the other/)
    expect(await refuse("backup", folder, "--data", data)).toMatch(/contains the other/)
    expect(await refuse("backup", join(folder, "b"), "--data", join(folder, "none"))).toMatch(/no catalog.*--data/)
    expect(await readdir(folder)).toEqual(["backup", "data"])
  })

  it("lets one command at a time work on a backup", async () => {
    const { data, backup } = await seed({ one: "hello" })
    await ask("backup", backup, "--data", data)
    const lock = new DatabaseSync(join(backup, "lock.sqlite"))
    lock.exec("BEGIN EXCLUSIVE")
    for (const args of [
      ["backup", backup, "--data", data],
      ["backup", "verify", backup],
      ["backup", "restore", backup, "--data", `${data}2`],
    ]) {
      expect(await refuse(...args)).toMatch(/Another sluice command is using the backup/)
    }
    lock.close()
    const both = await Promise.all([
      ask("backup", `${backup}2`, "--data", data),
      ask("backup", `${backup}2`, "--data", data),
    ])
    for (const { code, stderr } of both) if (code !== 0) expect(stderr).toMatch(/Another sluice command/)
    expect(both.some(({ code }) => code === 0)).toBe(true)
    expect(await ask("backup", "verify", `${backup}2`)).toMatchObject({ code: 0, files: 1, damaged: [] })
  })

  it("leaves the backup before whole when the disk is full, and says what to do", async (context) => {
    const { folder, data } = await seed({ one: "hello" })
    const disk = join(folder, "disk")
    await mkdir(disk)
    mountTmpfs(context, disk, "size=3m,mode=0700")
    const backup = join(disk, "backup")
    expect(await ask("backup", backup, "--data", data)).toMatchObject({ code: 0, sameDisk: false })
    await fill(data, { large: "x".repeat(4 * 1024 * 1024) })
    expect(await refuse("backup", backup, "--data", data)).toMatch(/not enough room.*are needed.*Nothing was changed/)
    // What was enough is taken by somebody else meanwhile: the check before says nothing of that.
    await writeFile(join(disk, "other"), Buffer.alloc(2_600_000))
    expect(await refuse("backup", backup, "--data", data)).toMatch(/not enough room/)
    expect(await ask("backup", "verify", backup)).toMatchObject({ code: 0, files: 1, damaged: [] })
  })

  it("names the version to use when a newer one wrote the catalog, and changes nothing", async () => {
    const { data, backup } = await seed({ one: "hello" })
    const database = new DatabaseSync(join(data, "catalog.sqlite"))
    database.exec(`PRAGMA user_version = ${migrations.length + 1}`)
    database.close()
    expect(await refuse("backup", backup, "--data", data)).toMatch(/newer version of sluice wrote it.*use that version/)
    expect(await readdir(join(data, ".."))).toEqual(["data"])
  })

  it("does not bring an older catalog to a newer schema", async () => {
    const { data, backup } = await seed({ one: "hello" })
    const versionOf = async (file: string) => {
      const database = new DatabaseSync(file, { readOnly: true })
      const version = database.prepare("PRAGMA user_version").get()!["user_version"]
      database.close()
      return version
    }
    // What the last migration adds is not read.
    const database = new DatabaseSync(join(data, "catalog.sqlite"))
    database.exec(`PRAGMA user_version = ${migrations.length - 1}`)
    database.close()
    await ask("backup", backup, "--data", data)
    const { catalog } = JSON.parse(await readFile(join(backup, "backup.json"), "utf8"))
    expect(await versionOf(join(data, "catalog.sqlite"))).toBe(migrations.length - 1)
    expect(await versionOf(join(backup, catalog))).toBe(migrations.length - 1)
  })
})

describe("a backup that is killed", () => {
  it("leaves the one before whole, or says that there is none yet; the next one completes it", async () => {
    const contents = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [`f${index}`, "x".repeat(20_000 + index)]),
    )
    const { data, backup } = await seed(contents)
    const started = performance.now()
    await ask("backup", `${backup}-timed`, "--data", data, "--copy")
    const whole = performance.now() - started
    const seen = new Set<string>()
    for (let step = 1; step <= 8; step++) {
      // From the second half on there is an earlier backup, and something new to copy.
      if (step === 5) {
        await ask("backup", backup, "--data", data, "--copy")
        await fill(data, Object.fromEntries(Object.entries(contents).map(([key, text]) => [`g${key}`, text])))
      }
      const { child, ended } = startCommand(["backup", backup, "--data", data, "--copy"])
      const timer = setTimeout(() => child.kill("SIGKILL"), (whole * (((step - 1) % 4) + 2)) / 6)
      await ended
      clearTimeout(timer)
      const verified = await ask("backup", "verify", backup)
      if (verified.code === 0) {
        expect([300, 600]).toContain(verified.files)
        expect(verified.damaged).toEqual([])
        seen.add("whole")
      } else {
        expect(verified.stderr).toMatch(/begun and never completed|There is no backup in/)
        expect(step).toBeLessThan(5)
        seen.add("unfinished")
      }
    }
    expect([...seen].toSorted()).toEqual(["unfinished", "whole"])
    expect(await ask("backup", backup, "--data", data, "--copy")).toMatchObject({ code: 0, files: 600 })
    expect((await listFiles(backup)).filter((path) => path.includes(".part"))).toEqual([])
    expect((await readdir(backup)).toSorted()).toEqual([
      ".gitignore",
      "backup.json",
      expect.stringMatching(/^catalog-\d+\.sqlite$/),
      "files",
      "lock.sqlite",
    ])
  }, 120_000)
})

describe("sluice backup restore", () => {
  it("gives back a data folder that verifies, with its token, for this user alone", async () => {
    const { folder, data, backup } = await seed({ one: "hello", two: "world" })
    const token = `${encodeToken({ apiKey, appId, regions: ["local"], ingestUrl: "http://ingest.example" })}\n`
    await writeFile(join(data, "token"), token)
    await ask("backup", backup, "--data", data)
    const restored = join(folder, "restored")
    expect(await ask("backup", "restore", backup, "--data", restored)).toMatchObject({
      code: 0,
      isComplete: true,
      files: 2,
    })
    expect(await askCommand(["files", "verify", "--data", restored])).toMatchObject({ checked: 2, damaged: [] })
    expect(await readFile(join(restored, "token"), "utf8")).toBe(token)
    for (const path of await listFiles(restored)) expect((await stat(join(restored, path))).mode & 0o077, path).toBe(0)
    // Its new files may get the names that others have in backups of the old folder.
    expect(await refuse("backup", backup, "--data", restored)).toMatch(/another data folder/)
    expect(await refuse("backup", `${backup}-new`, "--base", backup, "--data", restored)).toMatch(/another data folder/)
    expect(await refuse("backup", "restore", backup, "--data", data)).toMatch(/not empty/)
  })

  it("names what is damaged in the backup and starts no ingest on the rest, unless it is told to", async () => {
    const { folder, data, backup } = await seed({ one: "hello", two: "world", three: "three!" })
    await ask("backup", backup, "--data", data, "--copy")
    await writeFile(await blobOf(data, "one", backup), "HELLO")
    await truncate(await blobOf(data, "two", backup), 2)
    const restored = join(folder, "restored")
    const half = await ask("backup", "restore", backup, "--data", restored)
    expect(half).toMatchObject({ code: 1, isComplete: false, files: 1 })
    expect(half.damaged.map(({ key, reason }: any) => [key, reason]).toSorted()).toEqual([
      ["one", "changed"],
      ["two", "shorter"],
    ])
    expect(await refuse("ingest", "--data", restored, "--port", "0")).toMatch(/was being restored into .* not finished/)
    const { code, stderr } = await runCommand(["backup", "restore", backup, "--data", restored])
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/2 of 3 files.*--leave-out-damaged/) })
    expect(await ask("backup", "restore", backup, "--data", restored, "--leave-out-damaged")).toMatchObject({
      isComplete: true,
    })
    expect(await askCommand(["files", "verify", "--data", restored])).toMatchObject({ checked: 1, damaged: [] })
  })

  it("refuses a backup whose catalog is not what was written", async () => {
    const { folder, data, backup } = await seed({ one: "hello" })
    await ask("backup", backup, "--data", data)
    const { catalog } = JSON.parse(await readFile(join(backup, "backup.json"), "utf8"))
    const file = join(backup, catalog)
    const bytes = await readFile(file)
    bytes[bytes.length - 1]! ^= 1
    await writeFile(file, bytes)
    expect(await refuse("backup", "verify", backup)).toMatch(/damaged: its catalog .* is not what was written/)
    expect(await refuse("backup", "restore", backup, "--data", join(folder, "restored"))).toMatch(
      /damaged: its catalog/,
    )
    expect(await readdir(folder)).toEqual(["backup", "data"])
  })

  it("goes on where one was killed, and no ingest starts before it has ended", async () => {
    const contents = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [`f${index}`, "x".repeat(20_000 + index)]),
    )
    const { folder, data, backup } = await seed(contents)
    await ask("backup", backup, "--data", data)
    const restored = join(folder, "restored")
    const { child, ended } = startCommand(["backup", "restore", backup, "--data", restored])
    // Killed as soon as the first bytes are there.
    while ((await readdir(join(restored, "files")).catch(() => [])).length < 5) await new Promise(setImmediate)
    child.kill("SIGKILL")
    await ended
    expect(await refuse("ingest", "--data", restored, "--port", "0")).toMatch(/was being restored into/)
    expect(await ask("backup", "restore", backup, "--data", restored)).toMatchObject({
      code: 0,
      isComplete: true,
      files: 300,
    })
    expect(await askCommand(["files", "verify", "--data", restored])).toMatchObject({ checked: 300, damaged: [] })
    expect(await readdir(restored)).not.toContain("restoring")
  }, 60_000)

  it("is what an ingest asks for that is started on a backup itself", async () => {
    const { data, backup } = await seed({ one: "hello" })
    await ask("backup", backup, "--data", data)
    const before = await hashAll(backup)
    expect(await refuse("ingest", "--data", backup, "--port", "0")).toMatch(
      /holds a backup, not a data folder.*backup restore/,
    )
    expect(await hashAll(backup)).toEqual(before)
  })

  it("reads a backup that nobody can write to", async (context) => {
    const { folder, data, backup } = await seed({ one: "hello" })
    await ask("backup", backup, "--data", data)
    const disk = join(folder, "disk")
    await mkdir(disk)
    mountTmpfs(context, disk, "size=8m,mode=0700")
    await cp(backup, join(disk, "backup"), { recursive: true })
    const { execFileSync } = await import("node:child_process")
    execFileSync("mount", ["-o", "remount,ro", disk])
    expect(await ask("backup", "verify", join(disk, "backup"))).toMatchObject({ code: 0, files: 1, damaged: [] })
    const restored = join(folder, "restored")
    expect(await ask("backup", "restore", join(disk, "backup"), "--data", restored)).toMatchObject({
      code: 0,
      files: 1,
    })
  })
})
