import { access, mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
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

describe("sluice files list of labelled files", () => {
  const make = async (name: string) => {
    const labelled = openData(join(folder, name))
    onTestFinished(() => labelled.catalog.close())
    const list = (...args: ReadonlyArray<string>) =>
      runCommand(["files", "list", ...args, "--data", labelled.path], { env: { TZ: "UTC" } })
    return { labelled, list }
  }

  it("shows owner, path and deadlines where a listed file has them, without control characters", async () => {
    const { labelled, list } = await make("labelled")
    await storeFile(labelled, "plain")
    expect((await list()).stdout).not.toMatch(/OWNER|PATH|CLAIM|EXPIRES/)
    await storeFile(labelled, "mine", {}, "hello", { owner: "user\u001b[2J", path: "albums/a.jpg", keepFor: 60_000 })
    const { stdout } = await list()
    const [head, first, second] = stdout.split("\n")
    expect(head).toMatch(/^KEY +NAME +SIZE +STATUS +BEGUN +OWNER +PATH +EXPIRES$/)
    expect(first).toMatch(/user\\u\{1b\}\[2J +albums\/a\.jpg +1970-01-01 00:17:42$/)
    expect(second).toMatch(/^plain .*1970-01-01 00:16:40$/)
    await storeFile(labelled, "waits", {}, "hello", { claimWithin: 120_000 })
    expect((await list()).stdout).toMatch(
      /PATH +CLAIM BY +EXPIRES\nwaits .*Pending +1970-01-01 00:16:40 +1970-01-01 00:18:42\n/,
    )
  })

  it("needs no --app for --owner and --prefix where there is one app, and names them where there are several", async () => {
    const { labelled, list } = await make("apps")
    expect(await list("--owner", "user-7")).toMatchObject({
      code: 0,
      stdout: "There are no files of the owner user-7.\n",
    })
    await storeFile(labelled, "mine", {}, "hello", { owner: "user-7", path: "albums/a.jpg" })
    await storeFile(labelled, "other", {}, "hello", { owner: "user-8", path: "albums/b.jpg" })
    const ask = async (...args: ReadonlyArray<string>) =>
      JSON.parse((await list(...args, "--json")).stdout).files.map(({ key }: { key: string }) => key)
    expect(await ask("--owner", "user-7")).toEqual(["mine"])
    expect(await ask("--prefix", "albums/")).toEqual(["mine", "other"])
    expect(await ask("--prefix", "albums/", "--owner", "user-8")).toEqual(["other"])
    expect(await ask("--prefix", "albums/", "--status", "Pending")).toEqual([])
    await labelled.catalog.createApp({
      id: "acme",
      createdAt: 1,
      name: null,
      defaultAcl: null,
      quota: null,
      callbackOrigins: null,
    })
    const { code, stdout, stderr } = await list("--owner", "user-7")
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toMatch(/^error: --owner needs --app, because this ingest has several apps: app, acme\n/)
    expect((await list("--prefix", "albums/")).stderr).toMatch(/^error: --prefix needs --app/)
    expect(await ask("--owner", "user-7", "--app", "app")).toEqual(["mine"])
    expect((await list("--app", "acme", "--prefix", "albums/")).stdout).toBe(
      "There are no files of the app acme whose path begins with albums/.\n",
    )
  })

  it("lists page by page in the order of the paths", async () => {
    const { labelled, list } = await make("paths")
    for (const [key, path] of [
      ["c", "albums/é.jpg"],
      ["a", "albums/a.jpg"],
      ["b", "albums/a.jpg"],
      ["x", "other/a.jpg"],
    ] as const) {
      await storeFile(labelled, key, {}, "hello", { path })
    }
    const found: Array<string> = []
    for (let cursor: string | null = ""; cursor !== null;) {
      const more = cursor === "" ? [] : ["--cursor", cursor]
      const page = JSON.parse((await list("--prefix", "albums/", "--limit", "1", "--json", ...more)).stdout)
      found.push(...page.files.map(({ key }: { key: string }) => key))
      cursor = page.nextCursor
      if (cursor !== null) expect(await list("--cursor", cursor)).toMatchObject({ code: 2 })
    }
    expect(found).toEqual(["a", "b", "c"])
    expect(await list("--prefix", "albums/", "--cursor", "7")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--cursor has to be that of a page with the same --prefix"),
    })
  })

  it.each([
    ["--owner", "", "Expected an owner of 1 to 256 bytes"],
    ["--prefix", "", "Expected the beginning of a path"],
    ["--prefix", "/albums/", "no path begins with a slash"],
  ])("takes %s %j for wrong usage", async (flag, value, message) => {
    const { code, stderr } = await run("list", flag, value)
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) })
    expect(stderr).toContain(flag)
  })

  it("keeps a hostile value of an option from playing with the terminal", async () => {
    const { stderr } = await run("list", "--prefix", "/\u001b[2J")
    expect(stderr).toContain(String.raw`argument '/\u{1b}[2J' is invalid`)
    expect(stderr).not.toContain("\u001b")
  })
})

describe("sluice files orphans", () => {
  it("lists what waits to be claimed, the oldest deadline first, with the sum", async () => {
    const waiting = openData(join(folder, "waiting"))
    onTestFinished(() => waiting.catalog.close())
    const orphans = (...args: ReadonlyArray<string>) =>
      runCommand(["files", "orphans", ...args, "--data", waiting.path], { env: { TZ: "UTC" } })
    expect(await orphans()).toMatchObject({ code: 0, stdout: "No file waits to be claimed.\n" })
    await storeFile(waiting, "stays", {}, "hello", { owner: "user-7" })
    await storeFile(waiting, "late", { name: "l\u202E.txt" }, "hello", { claimWithin: 60_000, owner: "user\u0007" })
    await storeFile(waiting, "soon", {}, "hello!", { claimWithin: 100 * 366 * 86_400_000 })
    await storeFile(waiting, "sooner", {}, "hello", { claimWithin: 99 * 366 * 86_400_000, owner: "user-7" })
    await beginFile(waiting, "under-way", {}, { claimWithin: 60_000 })
    const { code, stdout } = await orphans()
    const [head, late, sooner, soon, , sum] = stdout.split("\n")
    expect({ code, head }).toEqual({ code: 0, head: expect.stringMatching(/^KEY +NAME +SIZE +OWNER +CLAIM BY$/) })
    expect(late).toMatch(/^late +l\\u\{202e\}\.txt +5B +user\\u\{7\} +1970-01-01 00:17:42 \(too late\)$/)
    expect([sooner, soon]).toEqual([expect.stringMatching(/^sooner /), expect.stringMatching(/^soon /)])
    expect(sum).toBe("3 files wait to be claimed, 16B in all.")
    const answer = JSON.parse((await orphans("--json", "--limit", "1")).stdout)
    expect(answer).toMatchObject({
      files: [{ key: "late", status: "Pending", claimBy: 1_062_000 }],
      count: 3,
      bytes: 16,
    })
    expect((await orphans("--limit", "1")).stdout).toContain("Shown are 1: --limit 3 shows all.")
    expect(JSON.parse((await orphans("--owner", "user-7", "--json")).stdout)).toMatchObject({
      files: [{ key: "sooner" }],
      count: 1,
      bytes: 5,
    })
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

  it("says of how many files only the size could be compared", async () => {
    const direct = openData(join(folder, "direct"))
    onTestFinished(() => direct.catalog.close())
    await storeFile(direct, "hashed", { slug: undefined })
    await storeFile(direct, "direct", { slug: undefined }, "hello", undefined, false)
    const { stdout } = await runCommand(["files", "verify", "--data", direct.path])
    expect(stdout).toBe("All is well. Verified 2 files, 10B.\n1 of them has no SHA-256: only its size was compared.\n")
    const shown = await runCommand(["files", "show", "direct", "--data", direct.path])
    expect(shown.stdout).toMatch(/^SHA-256 +none: its bytes were not read here$/m)
    const explained = await runCommand(["explain", "direct", "--data", direct.path])
    expect(explained.stdout).toMatch(/uploaded +no SHA-256$/m)
  })

  it("verifies what waits for a claim or a verdict as well", async () => {
    const waiting = openData(join(folder, "to-verify"))
    onTestFinished(() => waiting.catalog.close())
    await storeFile(waiting, "pending", { slug: undefined }, "hello", { claimWithin: 1e12 })
    await storeFile(waiting, "held", { slug: undefined }, "hello", { hold: true })
    const verify = () => runCommand(["files", "verify", "--data", waiting.path])
    expect(await verify()).toMatchObject({ code: 0, stdout: "All is well. Verified 2 files, 10B.\n" })
    await rm(join(waiting.path, "files"), { recursive: true })
    expect((await verify()).stdout).toContain("Damaged: 2 of 2.")
  })
})
