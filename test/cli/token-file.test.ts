import { lstat, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { describeDataFolder } from "../../src/cli/deployment/deployment.ts"
import { askCommand, readPrintedToken, runCommand } from "./run-command.ts"

let folder: string
let umask: number
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-out-"))
  umask = process.umask(0)
})
afterEach(async () => {
  process.umask(umask)
  await rm(folder, { recursive: true })
})

const run = (...args: ReadonlyArray<string>) => runCommand([...args, "--data", join(folder, "data")], { cwd: folder })
const listIds = async (): Promise<ReadonlyArray<string>> =>
  (await askCommand(["apps", "list", "--data", join(folder, "data")])).apps.map(({ id }: { id: string }) => id)

/** A data folder with a catalog, as the first start of an ingest leaves it. */
const makeData = async (): Promise<void> => {
  const { createSqliteCatalog } = await import("../../src/ingest.ts")
  const { openDataFolder } = await import("../../src/cli/deployment/data-folder.ts")
  const data = join(folder, "data")
  const { release } = await openDataFolder(data)
  release()
  await createSqliteCatalog({ file: describeDataFolder(data).catalog }).close()
}

describe("--out of commands that make a token", () => {
  it("writes the token to a file that only its owner can read, and prints it nowhere", async () => {
    await makeData()
    for (const [command, file] of [
      ["apps", "a.token"],
      ["keys", "b.token"],
    ] as const) {
      const { code, stdout, stderr } = await run(command, "create", "acme", "--out", file)
      expect([code, stdout]).toEqual([0, ""])
      const text = await readFile(join(folder, file), "utf8")
      expect(readPrintedToken(text)).toMatchObject({ appId: "acme" })
      expect(stderr).toContain(`The token is in ${join(folder, file)}, which only you can read.`)
      expect(stderr).not.toContain(text.trim())
      expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600)
    }
  })

  it("leaves a file that is there as it is and makes nothing, unless it is told to replace it", async () => {
    await makeData()
    const file = join(folder, "a.token")
    await writeFile(file, "precious", { mode: 0o644 })
    const { code, stderr } = await run("apps", "create", "acme", "--out", "a.token")
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/a\.token already exists, and nothing was changed\..*--force/),
    ])
    expect(await readFile(file, "utf8")).toBe("precious")
    expect(await listIds()).not.toContain("acme")
    expect((await run("apps", "create", "acme", "--out", "a.token", "--force")).code).toBe(0)
    expect(readPrintedToken(await readFile(file, "utf8"))).toMatchObject({ appId: "acme" })
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  it("follows no link, and leaves no file where nothing was made", async () => {
    await makeData()
    await symlink(join(folder, "elsewhere"), join(folder, "link"))
    expect((await run("apps", "create", "acme", "--out", "link")).code).toBe(1)
    expect((await run("apps", "create", "acme", "--out", "link", "--force")).code).toBe(0)
    expect((await lstat(join(folder, "link"))).isFile()).toBe(true)
    expect((await run("apps", "create", "acme", "--out", "again")).code).toBe(1)
    expect((await run("apps", "create", "other", "--out", "no/such/folder")).code).toBe(1)
    expect((await readdir(folder)).toSorted()).toEqual(["data", "link"])
    expect(await listIds()).not.toContain("other")
  })
})
