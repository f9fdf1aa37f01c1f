import { execFileSync } from "node:child_process"
import { chmod, chown, lstat, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { beforeEach, describe, expect, it } from "vitest"
import { encodeToken } from "../../../src/protocol.ts"
import { apiKey, appId } from "../../ingest/circle.ts"
import { makeFolder } from "../../make-folder.ts"
import { skipLacking } from "../../skip-lacking.ts"
import { runCommand } from "../run-command.ts"
import { openData, storeFile } from "../stored-files.ts"

const [nobody, large] = [65_534, "x".repeat(100_000)]
const restoringText = "sluice backup restore is at work here.\n"

const seed = async () => {
  const folder = await makeFolder()
  // Others go through it to what is theirs.
  await chmod(folder, 0o755)
  const data = openData(join(folder, "data"))
  await storeFile(data, "one", {}, large)
  await data.catalog.close()
  await data.store.close()
  const token = encodeToken({ apiKey, appId, regions: ["local"], ingestUrl: "http://ingest.example" })
  await writeFile(join(data.path, "token"), `${token}\n`, { mode: 0o600 })
  return { folder, data: data.path, backup: join(folder, "backup"), target: join(folder, "target") }
}

const back = (data: string, backup: string) => runCommand(["backup", backup, "--data", data])
const verify = (backup: string) => runCommand(["backup", "verify", backup])
const restore = (backup: string, target: string) => runCommand(["backup", "restore", backup, "--data", target])
const pipe = (path: string) => execFileSync("mkfifo", [path])
const manifestOf = async (backup: string) => JSON.parse(await readFile(join(backup, "backup.json"), "utf8"))

/** A file that only root may read, and nobody may be given. */
const makeVictim = async (folder: string) => {
  const victim = join(folder, "victim")
  await writeFile(victim, "secret", { mode: 0o600 })
  return {
    victim,
    expectUntouched: async () => {
      expect(await readFile(victim, "utf8")).toBe("secret")
      const { uid, mode } = await stat(victim)
      expect([uid, mode & 0o777]).toEqual([0, 0o600])
    },
  }
}

const blobOf = async (backup: string): Promise<string> => {
  const name = (await readdir(join(backup, "files"), { recursive: true })).find((one) => one.length > 60)
  return join(backup, "files", name!)
}

describe("root, who restores for another user", () => {
  beforeEach((context) => {
    if (process.getuid?.() !== 0) skipLacking(context, "another user's folder needs root.")
  })

  it("gives that user all of it", async () => {
    const { data, backup, target } = await seed()
    await back(data, backup)
    await mkdir(target, { mode: 0o700 })
    await chown(target, nobody, nobody)
    expect(await restore(backup, target)).toMatchObject({ code: 0 })
    for (const name of ["", ...(await readdir(target, { recursive: true }))]) {
      const { uid, gid } = await lstat(join(target, name))
      expect([name, uid, gid]).toEqual([name, nobody, nobody])
    }
  })

  it("keeps the folder for itself until all is there: nobody puts a link where root writes", async () => {
    const { data, backup, target } = await seed()
    await back(data, backup)
    await writeFile(await blobOf(backup), "damaged")
    await mkdir(target, { mode: 0o755 })
    await chown(target, nobody, nobody)
    expect(await restore(backup, target)).toMatchObject({ code: 1 })
    const { uid, mode } = await stat(target)
    expect([uid, mode & 0o777]).toEqual([0, 0o700])
    const { code } = await runCommand(["backup", "restore", backup, "--data", target, "--leave-out-damaged"])
    expect([code, (await stat(target)).uid]).toEqual([1, nobody])
  })

  it("goes on for that user where a restore was killed", async () => {
    const { data, backup, target } = await seed()
    await back(data, backup)
    await mkdir(target, { mode: 0o700 })
    await writeFile(join(target, "restoring"), `${restoringText}For the user ${nobody}, group ${nobody}.\n`)
    expect(await restore(backup, target)).toMatchObject({ code: 0 })
    for (const name of ["", "catalog.sqlite", "files"]) expect((await stat(join(target, name))).uid).toBe(nobody)
  })

  it.each([
    [["restoring.part"]],
    [["restoring", ".gitignore.part", "token.part", "catalog.sqlite.part", "catalog.sqlite.part-journal"]],
  ])("goes on where one was killed that has left %j", async (names) => {
    const { data, backup, target } = await seed()
    await back(data, backup)
    await mkdir(target, { mode: 0o700 })
    for (const name of names) await writeFile(join(target, name), name === "restoring" ? restoringText : "left")
    expect(await restore(backup, target)).toMatchObject({ code: 0 })
    expect((await readdir(target)).filter((name) => /part|restoring/.test(name))).toEqual([])
  })

  it.each([
    ["a link in the token's draft's place", "token.5"],
    ["a link in the catalog's draft's place", "catalog.sqlite.part"],
    ["a link in the place of .gitignore", ".gitignore"],
  ])("follows no link of that user's: %s", async (_, name) => {
    const { folder, data, backup, target } = await seed()
    await back(data, backup)
    const { victim, expectUntouched } = await makeVictim(folder)
    await mkdir(target, { mode: 0o700 })
    await writeFile(join(target, "restoring"), restoringText)
    await symlink(victim, join(target, name))
    for (const path of [target, join(target, "restoring")]) await chown(path, nobody, nobody)
    expect(await restore(backup, target)).toMatchObject({ code: 1, stderr: expect.stringContaining("is not empty") })
    await expectUntouched()
    expect((await stat(target)).uid).toBe(nobody)
  })

  it("writes and removes nothing where a folder of its name leads", async () => {
    const { folder, data, backup, target } = await seed()
    await back(data, backup)
    const kept = join(folder, "other/00", "f".repeat(62))
    await mkdir(join(folder, "other/00"), { recursive: true })
    await writeFile(kept, "mine")
    await mkdir(target, { mode: 0o700 })
    await writeFile(join(target, "restoring"), restoringText)
    await symlink(join(folder, "other"), join(target, "files"))
    expect(await restore(backup, target)).toMatchObject({ code: 1, stderr: expect.stringContaining("is not empty") })
    expect([await readFile(kept, "utf8"), await readdir(join(folder, "other"))]).toEqual(["mine", ["00"]])
  })

  it("makes no backup in a folder of another user", async () => {
    const { data, backup } = await seed()
    await mkdir(backup)
    await chown(backup, nobody, nobody)
    expect(await back(data, backup)).toMatchObject({ code: 1, stderr: expect.stringContaining("uid 65534") })
    expect(await readdir(backup)).toEqual([])
  })
})

describe("a backup that somebody has changed", () => {
  beforeEach((context) => {
    if (process.platform === "win32") skipLacking(context, "On Windows only an administrator makes links.")
  })

  it.each([
    ["the token is a link", async (backup: string) => join(backup, (await manifestOf(backup)).token)],
    ["the catalog is a link", async (backup: string) => join(backup, (await manifestOf(backup)).catalog)],
    ["a blob is a link", blobOf],
    ["the folder of blobs is a link", async (backup: string) => join(backup, "files")],
  ])("is damaged: %s, to the very same", async (_, find) => {
    const { data, backup, target } = await seed()
    await back(data, backup)
    const path = await find(backup)
    await rename(path, `${backup}-elsewhere`)
    await symlink(`${backup}-elsewhere`, path)
    for (const { code, stderr } of [await verify(backup), await restore(backup, target)]) {
      expect([code, stderr]).toEqual([1, expect.stringContaining(`${path} is not a regular file or a folder`)])
    }
    await expect(stat(target)).rejects.toThrow("ENOENT")
  })

  it.each([
    ["manifest", (backup: string) => Promise.resolve(join(backup, "backup.json"))],
    ["token", async (backup: string) => join(backup, (await manifestOf(backup)).token)],
    ["catalog", async (backup: string) => join(backup, (await manifestOf(backup)).catalog)],
    ["blob", blobOf],
  ])("keeps no command waiting: a pipe is in the place of its %s", async (_, find) => {
    const { data, backup, target } = await seed()
    await back(data, backup)
    const path = await find(backup)
    await rm(path)
    pipe(path)
    for (const { code, stderr } of [await verify(backup), await restore(backup, target)]) {
      expect([code, stderr]).toEqual([1, expect.stringContaining(path)])
    }
  })

  it.each([
    ["is missing", (file: string) => rm(file)],
    ["is garbage", (file: string) => writeFile(file, "garbage")],
  ])("is damaged where its token %s", async (_, change) => {
    const { data, backup, target } = await seed()
    await back(data, backup)
    await change(join(backup, (await manifestOf(backup)).token))
    for (const { code, stderr } of [await verify(backup), await restore(backup, target)]) {
      expect([code, stderr]).toEqual([1, expect.stringMatching(/its token token-\d+ is not what was written/)])
    }
  })

  it("is counted by its catalog, whatever its manifest says", async () => {
    const { data, backup } = await seed()
    await back(data, backup)
    const manifest = await manifestOf(backup)
    await writeFile(join(backup, "backup.json"), JSON.stringify({ ...manifest, files: 999, bytes: 1e15 }))
    expect((await verify(backup)).stdout).toContain(": 1 file, 97.7KB")
  })
})

describe("a data folder", () => {
  it("with an empty backup-id, as a full disk leaves it, gets another one, and its backup can be verified", async () => {
    const { data, backup } = await seed()
    await writeFile(join(data, "backup-id"), "")
    expect(await back(data, backup)).toMatchObject({ code: 0 })
    expect(await verify(backup)).toMatchObject({ code: 0 })
    expect(await back(data, backup)).toMatchObject({ code: 0 })
  })

  it("whose token is none makes no backup", async () => {
    const { data, backup } = await seed()
    await writeFile(join(data, "token"), "")
    expect(await back(data, backup)).toMatchObject({ code: 1, stderr: expect.stringContaining("holds no valid token") })
  })

  it("with a pipe for a token is refused at once", async (context) => {
    if (process.platform === "win32") skipLacking(context, "Windows has no named pipes among its files.")
    const { data } = await seed()
    await rm(join(data, "token"))
    pipe(join(data, "token"))
    const { code, stderr } = await runCommand(["ingest", "--port", "0", "--data", data])
    expect([code, stderr]).toEqual([1, expect.stringContaining("it is not a regular file")])
  })

  it("keeps no drafts of a backup that was killed", async () => {
    const { data, backup } = await seed()
    await back(data, backup)
    for (const ending of ["", "-shm", "-wal", "-journal"]) {
      await writeFile(join(backup, `catalog-5.sqlite.part${ending}`), "left")
    }
    await back(data, backup)
    expect((await readdir(backup)).filter((name) => name.includes(".part"))).toEqual([])
  })
})
