import { chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { beforeEach, describe, expect, it } from "vitest"
import { createDiskFiles } from "../../../src/ingest/storage/disk/files.ts"
import { makeFolder } from "../../make-folder.ts"
import { skipLacking } from "../../skip-lacking.ts"
import { askCommand, runCommand } from "../run-command.ts"
import { openData, storeFile } from "../stored-files.ts"

const seed = async () => {
  const folder = await makeFolder()
  const data = openData(join(folder, "data"))
  await storeFile(data, "one", {}, "hello")
  await data.catalog.close()
  await data.store.close()
  return { folder, data: data.path, backup: join(folder, "backup") }
}

const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8)

describe("a backup's folder that was open to others", () => {
  beforeEach((context) => {
    if (process.platform === "win32") skipLacking(context, "Windows keeps no modes of folders.")
  })

  it("is closed, as an ingest closes its data folder, and that is said", async () => {
    const { data, backup } = await seed()
    await mkdir(backup)
    await chmod(backup, 0o755)
    const { code, stderr } = await runCommand(["backup", backup, "--data", data])
    expect(code).toBe(0)
    expect(stderr).toContain(
      `Other users of this machine could read ${backup} (mode 755); it is closed to them now (700).\n`,
    )
    expect(await modeOf(backup)).toBe("700")
  })

  it("is closed with all that a copy of it has opened", async () => {
    const { data, backup } = await seed()
    await runCommand(["backup", backup, "--data", data])
    const { catalog } = JSON.parse(await readFile(join(backup, "backup.json"), "utf8"))
    for (const name of ["", "files"]) await chmod(join(backup, name), 0o755)
    for (const name of ["backup.json", catalog]) await chmod(join(backup, name), 0o644)
    await runCommand(["backup", backup, "--data", data])
    for (const name of ["", "files"]) expect(await modeOf(join(backup, name))).toBe("700")
    for (const name of await readdir(backup)) {
      if (name !== ".gitignore") expect(Number.parseInt(await modeOf(join(backup, name)), 8) & 0o077, name).toBe(0)
    }
  })

  it("stays as it is where it holds other things, and the command says so", async () => {
    const { data, backup } = await seed()
    await runCommand(["backup", backup, "--data", data])
    await writeFile(join(backup, "notes.txt"), "of somebody")
    await chmod(backup, 0o755)
    const { code, stderr } = await runCommand(["backup", backup, "--data", data])
    expect(code).toBe(0)
    expect(stderr).toContain(
      `Other users of this machine can read ${backup} (mode 755). It holds other things too, or is a link: close it (chmod 700 ${backup}), or choose a folder for this alone.\n`,
    )
    expect(await modeOf(backup)).toBe("755")
    expect(await readFile(join(backup, "notes.txt"), "utf8")).toBe("of somebody")
  })

  it("is closed before a backup is restored into it", async () => {
    const { folder, data, backup } = await seed()
    await runCommand(["backup", backup, "--data", data])
    const restored = join(folder, "restored")
    await mkdir(restored)
    await chmod(restored, 0o755)
    const { code, stderr } = await runCommand(["backup", "restore", backup, "--data", restored])
    expect(code).toBe(0)
    expect(stderr).toContain(`Other users of this machine could read ${restored} (mode 755); it is closed to them now`)
    expect(await modeOf(restored)).toBe("700")
  })
})

describe("restoring into a folder with something called `restoring`", () => {
  const refuse = async (put: (restored: string) => Promise<unknown>): Promise<void> => {
    const { folder, data, backup } = await seed()
    await runCommand(["backup", backup, "--data", data])
    const restored = join(folder, "restored")
    await mkdir(restored, { mode: 0o700 })
    await put(restored)
    const before = await readdir(restored, { recursive: true })
    const { code, stderr } = await runCommand(["backup", "restore", backup, "--data", restored])
    expect(code).toBe(1)
    expect(stderr).toBe(
      `sluice: The folder ${restored} is not empty. A backup is restored into an empty one, or one that does not exist: move what is there away.\n`,
    )
    expect(await readdir(restored, { recursive: true })).toEqual(before)
  }

  it("touches nothing that no restore has put there", async () => {
    await refuse((restored) => writeFile(join(restored, "restoring"), "my notes on restoring old chairs"))
    await refuse((restored) => mkdir(join(restored, "restoring")))
    await refuse(async (restored) => {
      await writeFile(join(restored, "restoring"), "")
      await writeFile(join(restored, "thesis.pdf"), "years of work")
    })
  }, 60_000)

  it("touches no data folder that has lost its way there", async () => {
    await refuse(async (restored) => {
      const other = openData(restored)
      await storeFile(other, "two", {}, "world")
      await other.catalog.close()
      await other.store.close()
      await writeFile(join(restored, "restoring"), "")
    })
  })

  it("goes on where it was killed at its very beginning, and keeps no bytes of another backup", async () => {
    const { folder, data, backup } = await seed()
    await runCommand(["backup", backup, "--data", data])
    const restored = join(folder, "restored")
    await mkdir(restored, { mode: 0o700 })
    await writeFile(join(restored, "restoring"), "")
    await askCommand(["backup", "restore", backup, "--data", restored])
    // As one is left that was killed before its catalog was there.
    const again = join(folder, "again")
    await mkdir(again, { mode: 0o700 })
    await writeFile(join(again, "restoring"), "sluice backup restore is at work here.\n")
    const foreign = createDiskFiles(join(again, "files")).pathOf("of another backup")
    await mkdir(join(foreign, ".."), { recursive: true, mode: 0o700 })
    await writeFile(foreign, "bytes of another backup")
    await askCommand(["backup", "restore", backup, "--data", again])
    await expect(stat(foreign)).rejects.toThrow("ENOENT")
    expect(await askCommand(["files", "verify", "--data", again])).toMatchObject({ checked: 1, damaged: [] })
    expect(await readdir(again)).not.toContain("restoring")
  }, 60_000)
})
