import { execFileSync } from "node:child_process"
import { chmod, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { CommandFailure } from "../../src/cli/command-failure.ts"
import { openDataFolder } from "../../src/cli/deployment/data-folder.ts"
import { openBackup } from "../../src/cli/backup/backup-folder.ts"
import { checkAccess } from "../../src/cli/doctor/check-access.ts"
import { describeDataFolder } from "../../src/cli/deployment/deployment.ts"
import { createDiskBlobStore, createSqliteCatalog, makeFolder } from "../../src/ingest.ts"
import { skipLacking } from "../skip-lacking.ts"
import { startCommand } from "./run-command.ts"
import { openData } from "./stored-files.ts"

let root = ""
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "sluice-paths-"))
  await writeFile(join(root, "file"), "mine")
  execFileSync("mkfifo", [join(root, "fifo")])
  await symlink(join(root, "nowhere"), join(root, "dangling"))
  await symlink(join(root, "loop"), join(root, "loop"))
})
afterAll(() => rm(root, { recursive: true }))

const isLinux = process.platform === "linux"

/** A path that no folder can be made at, and what is said of it. */
const cases: ReadonlyArray<readonly [path: string, reason: RegExp]> = [
  ...(isLinux ? ([["/proc/x", /no folder can be made in \/proc\./]] as const) : []),
  ["/dev/null", /it is no folder\./],
  ["/dev/null/x", /\/dev\/null is no folder\./],
  ["file", /it is no folder\./],
  ["file/deep/x", /file is no folder\./],
  ["fifo", /it is no folder\./],
  ["dangling", /it is a link that leads to no folder\./],
  ["dangling/x", /dangling is a link that leads to no folder\./],
  ["loop", /its links lead in a circle\./],
  ["x".repeat(300), /the name is too long\./],
]

const toPath = (path: string): string => (path.startsWith("/") ? path : join(root, path))

const failureOf = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => undefined,
    (cause: unknown) => cause,
  )
  expect(error).toBeInstanceOf(CommandFailure)
  return (error as Error).message
}

describe.each(cases)("%s given as a folder", (given, reason) => {
  it("is refused as a data folder, in one sentence with what to do", async () => {
    const path = toPath(given)
    const message = await failureOf(openDataFolder(path))
    expect(message).toMatch(/^The data folder [^\n]* cannot be used: [^\n]*\. Choose another folder with --data\.$/)
    expect(message).toContain(`${path} cannot`)
    expect(message).toMatch(reason)
  })

  it("is refused as a backup's folder", async () => {
    const message = await failureOf(openBackup(toPath(given), "id", root))
    expect(message).toMatch(/^The folder [^\n]* cannot be used: [^\n]*\. Choose another folder\.$/)
    expect(message).toMatch(reason)
  })

  it("is no reason for `sluice doctor` to break off", async () => {
    expect((await checkAccess(describeDataFolder(toPath(given)))).check).toBe("Access")
  })

  it("is refused by an ingest in code", async () => {
    expect(() => makeFolder(toPath(given))).toThrow(/ENO|EEXIST|ELOOP|ENAMETOOLONG/)
    expect(() => createSqliteCatalog({ file: join(toPath(given), "catalog.sqlite") })).toThrow()
    await expect(createDiskBlobStore({ folder: toPath(given) }).free!()).rejects.toThrow()
  })
})

it("leaves what is in the way as it was", async () => {
  expect(await readdir(root)).toEqual(["dangling", "fifo", "file", "loop"])
})

describe("a command that is given a folder below /proc", () => {
  it.each([
    ["ingest", ["ingest", "--port", "0", "--data", "/proc/x"]],
    ["backup", ["backup", "/proc/x", "--data", "data"]],
    ["backup restore", ["backup", "restore", "backup", "--data", "/proc/x"]],
  ])("ends at once, with one line: %s", async (_, args) => {
    const cwd = await mkdtemp(join(root, "cwd-"))
    onTestFinished(() => rm(cwd, { recursive: true }))
    const data = openData(join(cwd, "data"))
    await data.catalog.close()
    await data.store.close()
    await run(["backup", "backup", "--data", "data"], cwd)
    if (!isLinux) return
    const { code, stdout, stderr } = await run(args, cwd)
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toMatch(/^sluice: [^\n]*folder \/proc\/x cannot be used: no folder can be made in \/proc\.[^\n]*\n$/)
  })
})

describe("a folder without rights", () => {
  it("is refused with what to do", async (context) => {
    const uid = 65_534
    if (process.getuid?.() !== 0) skipLacking(context, "another user's folder needs root.")
    const closed = join(await mkdtemp(join(tmpdir(), "sluice-closed-")), "closed")
    onTestFinished(() => rm(join(closed, ".."), { recursive: true }))
    await chmod(join(closed, ".."), 0o755)
    await mkdir(closed, { mode: 0o755 })
    const { uid: run } = { uid }
    const command = startCommand(["ingest", "--port", "0", "--data", join(closed, "data")], { uid: run, cwd: "/" })
    onTestFinished(() => void command.child.kill("SIGKILL"))
    const { code, stderr } = await command.ended
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^sluice: The data folder [^\n]* cannot be used: permission denied\. Choose another folder with --data, or give this user the right to write there\.\n$/,
    )
  })
})

describe("sluice apps create --out", () => {
  it("puts a token in the place of no device, pipe or folder, even with --force", async () => {
    const data = join(await mkdtemp(join(root, "out-")), "data")
    onTestFinished(() => rm(join(data, ".."), { recursive: true }))
    const open = openData(data)
    await open.catalog.close()
    await open.store.close()
    for (const out of ["/dev/null", join(root, "fifo"), root]) {
      const { code, stderr } = await run(["apps", "create", "shop", "--data", data, "--out", out, "--force"], root)
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: `sluice: ${out} is not a regular file and was left as it is. Choose another file with --out.\n`,
      })
    }
  })
})

/** Runs a command that must end; it does not outlive the test. */
const run = (args: ReadonlyArray<string>, cwd: string) => {
  const { child, ended } = startCommand(args, { cwd })
  onTestFinished(() => void child.kill("SIGKILL"))
  return ended
}
