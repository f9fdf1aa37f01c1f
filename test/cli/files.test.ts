import { access, mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { encodeToken } from "../../src/protocol.ts"
import { runCommand } from "./run-command.ts"
import { beginFile, type OpenData, openData, storeFile } from "./stored-files.ts"

let folder: string
let data: OpenData
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-files-"))
  data = openData(join(folder, "data"))
  await storeFile(data, "one", { customId: "invoice 7" })
  await storeFile(data, "two", { name: "evil\u001b[31m\n\u202Ename.txt", slug: undefined })
  await beginFile(data, "three")
  await beginFile(data, "four")
  const failure = { code: "CONTENT_MISMATCH", message: "It is a zip." } as const
  await data.catalog.fail({ key: "four", epoch: 1, failure, now: 1_003_000, eventId: "evt_four" })
})
// It stays open all the while, as an ingest's would.
afterAll(async () => {
  await data.catalog.close()
  await rm(folder, { recursive: true })
})

const run = (...args: ReadonlyArray<string>) => runCommand(["files", ...args, "--data", data.path])

describe("sluice files", () => {
  it("lists the files of a data folder that is in use, newest first, and escapes what would play with the terminal", async () => {
    const { code, stdout } = await run()
    expect(code).toBe(0)
    const lines = stdout.trim().split("\n")
    expect(lines.map((line) => line.split(" ")[0])).toEqual(["KEY", "four", "three", "two", "one"])
    expect(lines[1]).toMatch(/four\.txt +5B +Failed +1970-01-01 \d\d:16:40$/)
    expect(lines[3]).toContain(String.raw`evil\u{1b}[31m\n\u{202e}name.txt`)
  })

  it("lists page by page and by status as JSON", async () => {
    const first = JSON.parse((await run("list", "--json", "--limit", "3")).stdout)
    expect(first.files.map(({ key }: { key: string }) => key)).toEqual(["four", "three", "two"])
    const second = JSON.parse((await run("list", "--json", "--cursor", first.nextCursor)).stdout)
    expect(second).toMatchObject({ files: [{ key: "one", size: 5, status: "Uploaded" }], nextCursor: null })
    const failed = JSON.parse((await run("--status", "Failed", "--json")).stdout)
    expect(failed).toMatchObject({
      files: [{ key: "four", failure: { code: "CONTENT_MISMATCH", message: "It is a zip." }, endedAt: 1_003_000 }],
      nextCursor: null,
    })
  })

  it("lists the files of one app", async () => {
    const other = openData(join(folder, "several"))
    await storeFile(other, "mine")
    await storeFile(other, "theirs", { appId: "acme" })
    await other.catalog.close()
    const list = (app: string) => runCommand(["files", "list", "--app", app, "--json", "--data", other.path])
    expect(JSON.parse((await list("acme")).stdout).files).toMatchObject([{ key: "theirs", appId: "acme" }])
    const none = await runCommand(["files", "--app", "no\u001bne", "--data", other.path])
    expect(none.stdout).toBe("There are no files of the app no\\u{1b}ne.\n")
  })

  it("shows one by key, and by custom id within the token's app", async () => {
    const byKey = await run("show", "one")
    expect(byKey.stdout).toMatch(/^Name +one\.txt$/m)
    expect(byKey.stdout).toMatch(/^SHA-256 +2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824$/m)
    const token = encodeToken({ apiKey: "sk_secret", appId: "app", regions: ["local"] })
    const { stdout } = await runCommand(["files", "show", "invoice 7", "--json", "--data", data.path], {
      env: { SLUICE_TOKEN: token },
    })
    expect(JSON.parse(stdout)).toMatchObject({ key: "one", customId: "invoice 7", createdAt: 1_000_000 })
  })

  it("says in one line what it does not find, with exit code 1", async () => {
    const { code, stdout, stderr } = await run("show", "nothing")
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toBe(`sluice: There is no file or event "nothing" in ${data.path}.\n`)
  })

  it("makes no data folder where there is none", async () => {
    const missing = join(folder, "missing")
    const { code, stderr } = await runCommand(["files", "--data", missing])
    expect(code).toBe(1)
    expect(stderr).toMatch(/^sluice: There is no catalog to read at .*missing.*--data.*\n$/)
    await expect(access(missing)).rejects.toThrow()
  })
})

describe("sluice files verify", () => {
  it("says that all is well, then names what was changed, with exit code 1", async () => {
    const well = await run("verify")
    expect(well).toMatchObject({ code: 0, stdout: "All is well. Verified 2 files, 10B.\n" })
    const blobs = (await readdir(join(data.path, "files"), { recursive: true, withFileTypes: true })).filter((entry) =>
      entry.isFile(),
    )
    expect(blobs).toHaveLength(2)
    for (const { parentPath, name } of blobs) await writeFile(join(parentPath, name), "HELLO")
    const { code, stdout } = await run("verify", "--json")
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toEqual({
      checked: 2,
      bytes: 10,
      damaged: [
        { key: "two", name: "evil\u001b[31m\n\u202Ename.txt", reason: "changed" },
        { key: "one", name: "one.txt", reason: "changed" },
      ],
    })
    await rm(join(data.path, "files"), { recursive: true })
    expect((await run("verify")).stdout).toMatch(/^one +one\.txt +its bytes are gone$/m)
  })
})
