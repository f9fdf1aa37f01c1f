import { chmod, chown, lchown, mkdir, readdir, readFile, rename, stat, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { beforeEach, describe, expect, it } from "vitest"
import { describeDataFolder } from "../../src/cli/deployment/deployment.ts"
import { checkAccess } from "../../src/cli/doctor/check-access.ts"
import { createSqliteCatalog } from "../../src/ingest.ts"
import { putRaw } from "../ingest/circle.ts"
import { runCommand } from "../cli/run-command.ts"
import { makeFolder } from "../make-folder.ts"
import { skipLacking } from "../skip-lacking.ts"
import { startRealIngest } from "./running-ingest.ts"

const isRoot = process.getuid?.() === 0
const [somebody, another] = [54_321, 54_322]

/** The permission bits of everything in a folder and of itself, octal, by path below it. */
const modesOf = async (folder: string): Promise<Readonly<Record<string, string>>> => {
  const names = await readdir(folder, { recursive: true })
  const modes = ["", ...names].map(async (name) => {
    const { mode } = await stat(join(folder, name))
    return [name, (mode & 0o777).toString(8)] as const
  })
  return Object.fromEntries(await Promise.all(modes))
}

/** Whether a line of the command is a warning that says so. */
const isWarning = (text: string) => (line: string) => line.includes('"event":"warning"') && line.includes(text)

const refuse = async (data: string, options?: Parameters<typeof runCommand>[1]) => {
  const { code, stderr, stdout } = await runCommand(["ingest", "--port", "0", "--data", data], options)
  expect(stdout).toBe("")
  expect(code).toBe(1)
  return stderr
}

const findAccess = async (
  data: string,
): Promise<{ readonly status: string; readonly message: string; readonly advice: string | null }> => {
  const { stdout } = await runCommand(["doctor", "--json", "--data", data])
  return JSON.parse(stdout).checks.find(({ check }: { check: string }) => check === "Access")
}

/** An ingest that has stored a small file and a large one. */
const storeFiles = async (data: string) => {
  const ingest = await startRealIngest([], { data })
  for (const size of [5, 200_000]) {
    const { signed } = await ingest.sign({ size })
    expect((await putRaw(signed, new Uint8Array(size))).status).toBe(200)
  }
  return ingest
}

const stop = async ({ child, ended }: Awaited<ReturnType<typeof startRealIngest>>): Promise<void> => {
  child.kill("SIGTERM")
  await ended
}

describe("a data folder", () => {
  beforeEach((test) => {
    if (process.platform === "win32") skipLacking(test, "Windows has no file modes.")
  })

  it("and all that is made in it is closed to other users, though the umask would open it", async () => {
    const folder = await makeFolder()
    const before = process.umask(0)
    try {
      await storeFiles(join(folder, "data"))
    } finally {
      process.umask(before)
    }
    const modes = await modesOf(join(folder, "data"))
    expect(Object.keys(modes)).toEqual(
      expect.arrayContaining(["token", "catalog.sqlite", "catalog.sqlite-wal", "files"]),
    )
    for (const [name, mode] of Object.entries(modes)) {
      expect([name, mode]).toEqual([name, expect.stringMatching(/^[67]00$/)])
    }
  })

  it("that was open is closed at the start, which says so, and the doctor tells before", async () => {
    const data = join(await makeFolder(), "data")
    await stop(await storeFiles(data))
    expect(await findAccess(data)).toMatchObject({ status: "ok" })
    for (const [name, mode] of Object.entries(await modesOf(data))) {
      await chmod(join(data, name), mode === "700" ? 0o755 : 0o644)
    }
    const { status, message, advice } = await findAccess(data)
    expect(status).toBe("warning")
    for (const name of ["", "/catalog.sqlite", "/files", "/token"]) expect(message).toContain(`${data}${name} (mode `)
    expect(advice).toContain(`chmod 600 ${join(data, "token")}`)

    const { line } = await startRealIngest([], { data })
    const { "": root, token, files, "catalog.sqlite": catalog, "catalog.sqlite-wal": log } = await modesOf(data)
    expect({ root, token, files, catalog, log }).toEqual({
      root: "700",
      token: "600",
      files: "700",
      catalog: "600",
      log: "600",
    })
    // After "listening", at which it counts as started.
    await line(isWarning(`Other users of this machine could read ${data} (mode 755); it is closed to them now (700).`))
    expect(await findAccess(data)).toMatchObject({ status: "ok" })
  })

  it("the doctor names each part that is open by itself", async () => {
    const data = join(await makeFolder(), "data")
    await storeFiles(data)
    for (const name of [
      "catalog.sqlite",
      "catalog.sqlite-wal",
      "catalog.sqlite-shm",
      "token",
      "lock.sqlite",
      "files",
      "",
    ]) {
      const path = join(data, name)
      const { mode } = await stat(path)
      await chmod(path, mode | 0o040)
      const { message } = await checkAccess(describeDataFolder(data))
      expect([name, message]).toEqual([name, expect.stringContaining(`read ${path.replace(/\/$/, "")} (mode`)])
      await chmod(path, mode)
    }
    expect(await findAccess(data)).toMatchObject({ status: "ok" })
  })

  it("that holds other things too keeps its mode, and only what is ours in it is closed", async () => {
    const data = await makeFolder()
    await writeFile(join(data, "index.html"), "hello", { mode: 0o644 })
    await chmod(data, 0o755)
    const { line } = await startRealIngest([], { data })
    const modes = await modesOf(data)
    expect([modes[""], modes["index.html"], modes["token"], modes["catalog.sqlite"]]).toEqual([
      "755",
      "644",
      "600",
      "600",
    ])
    await line(isWarning("It holds other things too"))
  })

  it("everybody may write in is refused, and so is one below such a folder", async () => {
    const folder = await makeFolder()
    const data = join(folder, "data")
    await mkdir(data)
    await chmod(data, 0o777)
    expect(await refuse(data)).toMatch(
      /data is not safe: every user of this machine may write in .*\/data \(mode 777\).*chmod o-w /,
    )
    await chmod(data, 0o1777)
    expect(await refuse(data)).toContain("Choose a folder inside it with --data; the ingest makes it.")
    await chmod(data, 0o700)
    await chmod(folder, 0o777)
    expect(await refuse(data)).toContain(`may write in ${folder} (mode 777)`)
    expect(await refuse(join(folder, "new", "one"))).toContain(`may write in ${folder} (mode 777)`)
    expect(await findAccess(data)).toMatchObject({ status: "failed", message: expect.stringContaining("(mode 777)") })
    expect(await readdir(data)).toEqual([])
    expect(await readdir(folder)).toEqual(["data"])
    // As /tmp is: there one can only replace what is one's own.
    await chmod(folder, 0o1777)
    await startRealIngest([], { data })
  })

  it("gets its token in the place of a link, never behind it", async () => {
    const folder = await makeFolder()
    const data = join(folder, "data")
    await mkdir(data, { mode: 0o700 })
    await symlink(join(folder, "elsewhere"), join(data, "token"))
    await startRealIngest([], { data })
    expect(await readdir(folder)).toEqual(["data"])
    expect(await readFile(join(data, "token"), "utf8")).not.toBe("")
  })

  describe("of another user", () => {
    beforeEach((test) => {
      if (!isRoot) skipLacking(test, "only root can give a folder to another user.")
    })

    it("where everybody may write is refused before a token goes in, root included", async () => {
      const shared = await makeFolder()
      await chmod(shared, 0o1777)
      const data = join(shared, "data")
      await mkdir(data, { mode: 0o700 })
      await chown(data, another, another)
      const told = /belongs to another user \(uid 54322\) and lies where everybody may write/
      expect(await refuse(data)).toMatch(told)
      expect(await refuse(join(data, "below"))).toMatch(told)
      expect(await readdir(data)).toEqual([])
      // A catalog somebody has prepared gets no key either.
      await createSqliteCatalog({ file: join(data, "catalog.sqlite") }).close()
      const { code, stderr } = await runCommand(["apps", "create", "acme", "--data", data])
      expect([code, stderr]).toEqual([1, expect.stringMatching(told)])
      expect(await findAccess(data)).toMatchObject({ status: "failed" })
    })

    it("behind a link of another user where everybody may write is refused", async () => {
      const [shared, own] = [await makeFolder(), await makeFolder()]
      await chmod(shared, 0o1777)
      const data = join(shared, "data")
      await symlink(own, `${data}.new`)
      // Not `chown`, which would follow it.
      await lchown(`${data}.new`, another, another)
      await rename(`${data}.new`, data)
      expect(await refuse(data)).toContain(`${data} belongs to another user`)
      expect(await refuse(join(data, "below"))).toContain(`${data} belongs to another user`)
      expect(await readdir(own)).toEqual([])
    })

    it("is used by root, and by nobody else", async () => {
      const folder = await makeFolder()
      await chmod(folder, 0o755)
      const data = join(folder, "data")
      await mkdir(data, { mode: 0o770 })
      await chown(data, another, somebody)
      expect(await refuse(data, { uid: somebody })).toContain("it belongs to another user (uid 54322)")
      await startRealIngest([], { data })
      expect((await stat(join(data, "token"))).uid).toBe(another)
    })

    it("that is root's takes a user root lets write in it", async () => {
      const folder = await makeFolder()
      await chmod(folder, 0o755)
      const data = join(folder, "data")
      await mkdir(data)
      await chown(data, 0, somebody)
      await chmod(data, 0o770)
      const { line } = await startRealIngest([], { data, uid: somebody })
      await line(isWarning(`Other users of this machine can read ${data} (mode 770). Close it: chmod 700 ${data}`))
    })
  })
})
