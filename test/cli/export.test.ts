import { createHash } from "node:crypto"
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { toBlobName } from "../../src/ingest/storage/blob-name.ts"
import { makeFolder } from "../make-folder.ts"
import { askCommand, runCommand, startCommand } from "./run-command.ts"
import { attemptDelivery, beginFile, type OpenData, openData, registerFiles, storeFile } from "./stored-files.ts"

const owner = "user-7"

/** A data folder that is in use, a folder to export to, and the command. */
const setUp = async () => {
  const root = await makeFolder()
  const data = openData(join(root, "data"))
  onTestFinished(() => data.catalog.close())
  const out = join(root, "out")
  return {
    root,
    data,
    out,
    run: (...args: ReadonlyArray<string>) =>
      runCommand(["files", "export", "--owner", owner, out, "--data", data.path, ...args]),
    store: (key: string, path?: string, content = key, name = `${key}.txt`) =>
      storeFile(data, key, { name }, content, { owner, path }),
    read: (path: string) => readFile(join(out, path), "utf8"),
    readIndex: async () => JSON.parse(await readFile(join(out, "files.json"), "utf8")),
  }
}

/** Every file below a folder, with what is in it. */
const readAll = async (folder: string): Promise<Record<string, string>> => {
  const entries = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name)).toSorted()
  return Object.fromEntries(
    await Promise.all(paths.map(async (path) => [path.slice(folder.length + 1), await readFile(path, "utf8")])),
  )
}

const readFiles = async (folder: string): Promise<Record<string, string>> => {
  const { "files.json": _, ...files } = await readAll(folder)
  return files
}

/** The blob with this content. */
const findBlob = async ({ path }: OpenData, content: string): Promise<string> => {
  const blobs = join(path, "files")
  const [name] = Object.entries(await readAll(blobs)).find(([, text]) => text === content)!
  return join(blobs, name)
}

describe("sluice files export", () => {
  it("exports an owner's files under their paths or names, and every record, for this user alone", async () => {
    const { data, out, run, store, readIndex } = await setUp()
    await store("beach", "albums/summer/beach.jpg")
    await store("note")
    await storeFile(data, "theirs", {}, "theirs", { owner: "user-8" })
    await storeFile(data, "waits", { customId: "avatar" }, "waits", { owner, claimWithin: 60_000 })
    await beginFile(data, "begun", {}, { owner, path: "begun.bin" })
    await beginFile(data, "broken", {}, { owner })
    const failure = { code: "CONTENT_MISMATCH", message: "It is a zip." } as const
    await data.catalog.fail({ key: "broken", epoch: 1, failure, now: 1_003_000, eventId: "evt_broken" })
    const { code, stdout, stderr } = await run()
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toBe(
      `Exported 3 files, 14B, of the owner user-7 in the app app to ${out}. files.json has all 5 records.\n`,
    )
    expect(await readFiles(out)).toEqual({
      "albums/summer/beach.jpg": "beach",
      "note.txt": "note",
      "waits.txt": "waits",
    })
    const index = await readIndex()
    expect(index).toMatchObject({ format: 1, appId: "app", owner, isComplete: true })
    const record = {
      key: "waits",
      status: "Pending",
      customId: "avatar",
      owner,
      claimBy: 1_062_000,
      fileHash: createHash("sha256").update("waits").digest("hex"),
      savedAs: "waits.txt",
      damage: null,
    }
    expect(index.files).toMatchObject([
      { key: "broken", status: "Failed", failure, savedAs: null },
      { key: "begun", status: "Uploading", path: "begun.bin", savedAs: null, damage: null },
      record,
      { key: "note", savedAs: "note.txt" },
      { key: "beach", savedAs: "albums/summer/beach.jpg", uploadedAt: 1_002_000 },
    ])
    if (process.platform === "win32") return
    const modeOf = async (path: string) => ((await stat(join(out, path))).mode & 0o777).toString(8)
    expect(await Promise.all(["", "albums", "files.json", "albums/summer/beach.jpg"].map(modeOf))).toEqual([
      "700",
      "700",
      "600",
      "600",
    ])
  })

  it("has what the app said of a file, what it answered, and every attempt to tell it", async () => {
    const { data, run, store, readIndex } = await setUp()
    await store("told")
    await registerFiles(data, ["told"], "https://app.example/api/sluice")
    await attemptDelivery(data, "dead", { status: 500, answer: "no" })
    expect((await run()).code).toBe(0)
    expect((await readIndex()).files).toMatchObject([
      {
        key: "told",
        metadata: null,
        registeredAt: 1_000_500,
        result: null,
        delivery: {
          id: "evt_told",
          status: "dead",
          attempts: 1,
          callbackUrl: "https://app.example/api/sluice",
          history: [{ attempt: 1, status: 500, answer: "no" }],
        },
      },
    ])
  })

  it("lets no name or path lead out of the folder, replace another file or be a name of the system's", async () => {
    const { root, out, run, store, readIndex } = await setUp()
    const given: ReadonlyArray<readonly [key: string, path: string | undefined, name?: string]> = [
      ["1", undefined, "../../escaped"],
      ["2", "../../../escaped"],
      ["3", "/etc/passwd"],
      ["4", "a/./.."],
      ["5", "files.json"],
      ["6", "FILES.json"],
      ["7", ".file.part"],
      ["8", "evil\u001b[2J\n.txt"],
      ["9", "NUL"],
      ["10", "same.txt"],
      ["11", "same.txt"],
      ["12", "Same.TXT"],
      ["13", "folder"],
      ["14", "folder/below.txt"],
      ["15", "x".repeat(900)],
      ["16", "C:\\windows\\system.ini"],
      ["17", "caf\u00e9.txt"],
      ["18", "cafe\u0301.txt"],
    ]
    for (const [key, path, name] of given) await store(key, path, key, name)
    const { code, stdout } = await run("--json")
    expect({ code, answer: JSON.parse(stdout) }).toMatchObject({ code: 0, answer: { files: 18, damaged: [] } })
    expect((await readdir(root)).toSorted()).toEqual(["data", "out"])
    const files = await readFiles(out)
    expect(Object.values(files).toSorted()).toEqual(given.map(([key]) => key).toSorted())
    const { files: records } = await readIndex()
    for (const { key, savedAs } of records) expect(files[savedAs]).toBe(key)
    const paths = Object.keys(files)
    expect(paths.filter((path) => /[\p{Cc}\\]|(^|\/)\.|^NUL$/u.test(path))).toEqual([])
    expect(paths.every((path) => path.split("/").every((part) => Buffer.byteLength(part) <= 255))).toBe(true)
    // On no file system are two of them one.
    expect(new Set(paths.map((path) => path.normalize("NFC").toLowerCase())).size).toBe(18)
    expect(paths).toEqual(expect.arrayContaining(["Same.TXT", "same (2).txt", "same (3).txt", "etc/passwd.txt"]))
  })

  it("goes on where it stopped: what is there is compared, and not copied again", async () => {
    const { out, run, store, readIndex } = await setUp()
    await store("a", "same.txt")
    await store("b", "same.txt")
    await store("c", "c.txt")
    await run()
    const before = await Promise.all(["same.txt", "same (2).txt"].map((name) => stat(join(out, name))))
    // As a run leaves it that was killed while it wrote c.
    await rm(join(out, "c.txt"))
    await writeFile(join(out, ".file.part"), "ha")
    await writeFile(join(out, ".files.json.part"), "{")
    await store("d", "same.txt")
    const { code, stdout } = await run("--json")
    expect({ code, answer: JSON.parse(stdout) }).toEqual({
      code: 0,
      answer: {
        folder: out,
        owner,
        appId: "app",
        records: 4,
        files: 4,
        kept: 2,
        bytes: 4,
        damaged: [],
        others: [],
      },
    })
    const after = await Promise.all(["same.txt", "same (2).txt"].map((name) => stat(join(out, name))))
    expect(after.map(({ ino, mtimeMs }) => [ino, mtimeMs])).toEqual(before.map(({ ino, mtimeMs }) => [ino, mtimeMs]))
    expect((await readdir(out)).toSorted()).toEqual(["c.txt", "files.json", "same (2).txt", "same (3).txt", "same.txt"])
    expect((await readIndex()).files.map(({ key, savedAs }: any) => [key, savedAs])).toEqual([
      ["d", "same (3).txt"],
      ["c", "c.txt"],
      ["b", "same.txt"],
      ["a", "same (2).txt"],
    ])
  })

  it("replaces nothing that somebody has changed meanwhile, and names what is not of the export", async () => {
    const { data, out, run, store, read } = await setUp()
    await store("a", "a.txt")
    await store("b", "b.txt")
    await run()
    await writeFile(join(out, "a.txt"), "A")
    await writeFile(join(out, "note\u001b.txt"), "mine")
    await data.catalog.deleteFiles({ appId: "app", files: [{ fileKey: "b" }], now: 2_000_000 })
    const { code, stdout, stderr } = await run()
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining("Exported 1 file") })
    expect([await read("a.txt"), await read("a (2).txt")]).toEqual(["A", "a"])
    expect(stderr).toBe(
      "sluice: 3 files are in the folder and not of this export, deleted since an earlier one or somebody's own: " +
        "a.txt, b.txt, note\\u{1b}.txt\n",
    )
  })

  it("leaves out what is damaged, names it with exit code 1, and exports it once it is whole", async () => {
    const { data, out, run, store, readIndex } = await setUp()
    await store("good")
    await store("bad", undefined, "whole", "bad\u001b.txt")
    const blob = await findBlob(data, "whole")
    await writeFile(blob, "WHOLE")
    const { code, stderr } = await run()
    expect(code).toBe(1)
    expect(stderr).toMatch(/^sluice: bad: "bad\\u001b\.txt" is damaged in the store \(changed\), and was left out\.\n/)
    expect(stderr).not.toContain("\u001b")
    expect(await readFiles(out)).toEqual({ "good.txt": "good" })
    expect((await readIndex()).files).toMatchObject([{ savedAs: null, damage: "changed" }, { savedAs: "good.txt" }])
    await rm(blob)
    expect(JSON.parse((await run("--json")).stdout)).toMatchObject({ damaged: [{ reason: "missing" }], kept: 1 })
    await writeFile(blob, "whole")
    expect(JSON.parse((await run("--json")).stdout)).toMatchObject({ damaged: [], files: 2, kept: 1 })
  })

  it("compares what was stored without a hash with what is stored", async () => {
    const { data, run } = await setUp()
    const { epoch, id } = await beginFile(data, "plain", {}, { owner })
    const body = (async function* () {
      yield new TextEncoder().encode("hello")
    })()
    const blob = toBlobName({ key: "plain", id })
    await data.store.append(blob, { epoch, offset: 0, size: 5, body })
    await data.store.finish(blob, { epoch, size: 5 })
    const eventId = "evt_plain"
    await data.catalog.commit({
      key: "plain",
      epoch,
      fileHash: "",
      blobRef: null,
      now: 1_002_000,
      eventId,
      claimedUntil: null,
    })
    expect(JSON.parse((await run("--json")).stdout)).toMatchObject({ files: 1, kept: 0 })
    expect(JSON.parse((await run("--json")).stdout)).toMatchObject({ files: 1, kept: 1, others: [] })
  })

  it("writes into no folder that holds anything else, or is not safe", async () => {
    const { root, data, out, run, store } = await setUp()
    await store("a")
    await mkdir(out)
    await writeFile(join(out, "mine.txt"), "mine")
    expect(await run()).toMatchObject({
      code: 1,
      stderr: `sluice: ${out} holds other files and no export. Choose a folder that is empty, or does not exist. Nothing was changed.\n`,
    })
    await writeFile(join(out, "files.json"), "[]")
    expect((await run()).stderr).toContain("holds other files and no export")
    expect(Object.keys(await readAll(out))).toEqual(["files.json", "mine.txt"])
    const others = (target: string) => runCommand(["files", "export", "--owner", owner, target, "--data", data.path])
    expect((await others(join(data.path, "export"))).stderr).toMatch(/contains the other\. Choose a folder outside/)
    await storeFile(data, "theirs", {}, "theirs", { owner: "user-8" })
    const target = join(root, "theirs")
    await runCommand(["files", "export", "--owner", "user-8", target, "--data", data.path])
    expect((await others(target)).stderr).toMatch(/holds the export of another owner, "user-8" of the app app\./)
    if (process.platform === "win32") return
    const open = join(root, "open")
    await mkdir(open)
    await chmod(open, 0o777)
    expect((await others(open)).stderr).toMatch(/is not safe for personal data: /)
  })

  it("follows no link on the way to a file", async () => {
    const { root, out, run, store } = await setUp()
    await store("a", "albums/a.txt")
    await store("b", "b.txt")
    await run()
    const elsewhere = join(root, "elsewhere")
    await mkdir(elsewhere)
    await rm(join(out, "albums"), { recursive: true })
    await symlink(elsewhere, join(out, "albums"))
    await rm(join(out, "b.txt"))
    await symlink(join(elsewhere, "b.txt"), join(out, "b.txt"))
    expect((await run()).code).toBe(0)
    expect(await readdir(elsewhere)).toEqual([])
    expect(await readFiles(out)).toEqual({ "albums (2)/a.txt": "a", "b (2).txt": "b" })
  })

  it("makes nothing for an owner without files, and says which apps there are", async () => {
    const { data, root, out, run, store } = await setUp()
    expect(await run()).toEqual({ code: 0, stdout: "There is nothing of the owner user-7.\n", stderr: "" })
    await storeFile(data, "theirs", {}, "theirs", { owner: "user-8" })
    expect(JSON.parse((await run("--json")).stdout)).toMatchObject({ folder: null, appId: "app", records: 0 })
    expect(await readdir(root)).toEqual(["data"])
    await store("mine")
    await storeFile(data, "acme-1", { appId: "acme" }, "hello", { owner })
    const several = await run()
    expect(several).toMatchObject({ code: 2, stderr: expect.stringMatching(/--owner needs --app, .*: acme, app\n/) })
    expect((await run("--app", "acme")).code).toBe(0)
    expect(await readFiles(out)).toEqual({ "acme-1.txt": "hello" })
    const without = await runCommand(["files", "export", out, "--data", data.path])
    expect(without).toMatchObject({ code: 2, stderr: expect.stringContaining("'--owner <id>' not specified") })
  })

  it("exports small and large files while an ingest runs", { timeout: 60_000 }, async () => {
    const root = await makeFolder()
    const data = join(root, "data")
    const { child, ended, line } = startCommand(["ingest", "--port", "0", "--json", "--data", data])
    onTestFinished(async () => {
      child.kill("SIGTERM")
      await ended
    })
    await line((text) => text.includes('"listening"'))
    await writeFile(join(root, "small.txt"), "small")
    await writeFile(join(root, "large.bin"), Buffer.alloc(5_000_000, "large"))
    const put = ["put", "small.txt", "large.bin", "--prefix", "mine", "--owner", owner, "--data", data]
    expect(await runCommand(put, { cwd: root })).toMatchObject({ code: 0, stderr: "" })
    const out = join(root, "out")
    const answer = await askCommand(["files", "export", "--owner", owner, out, "--data", data])
    expect(answer).toMatchObject({ records: 2, files: 2, bytes: 5_000_005, damaged: [] })
    expect(await readFile(join(out, "mine/large.bin"))).toEqual(await readFile(join(root, "large.bin")))
    expect(await readFile(join(out, "mine/small.txt"), "utf8")).toBe("small")
  })
})
