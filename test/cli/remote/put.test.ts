import { mkdir, readdir, stat, symlink, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { formatMoment } from "../../../src/cli/terminal/moment.ts"
import { apiKey, randomContent, token } from "../../ingest/circle.ts"
import { runCommand, startCommand } from "../run-command.ts"
import {
  createHand,
  makeFolder,
  sha256,
  startBehind,
  startByHand,
  startRelay,
  tokenFor,
  toDocuments,
} from "./by-hand.ts"

describe("sluice put", { timeout: 60_000 }, () => {
  it("uploads a file, and prints key and URL", async () => {
    const { run, write, api, url } = await startByHand()
    await write("note.txt", "hello")
    const { code, stdout, stderr } = await run(["put", "note.txt"])
    const [file] = (await api.listFiles()).files
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toBe(`${file!.key}  ${url}/f/${file!.key}  note.txt\n`)
    expect(file).toMatchObject({ name: "note.txt", type: "text/plain", size: 5, customId: null })
  })

  it("says whose files are, where they are filed and how long they are kept", async () => {
    const { run, write, api } = await startByHand()
    await write("note.txt", "hello")
    const said = ["--owner", "user-7", "--path", "notes/1.txt", "--expires-in", "30 days"]
    expect(await run(["put", "note.txt", ...said])).toMatchObject({ code: 0, stderr: "" })
    const [file] = (await api.listFiles({ owner: "user-7", prefix: "notes/" })).files
    expect(file).toMatchObject({ status: "Uploaded", path: "notes/1.txt", claimBy: null })
    expect(file!.expiresAt).toBe(file!.uploadedAt! + 30 * 86_400_000)
  })

  it("says of files that wait to be claimed until when, and that their URLs need a signature", async () => {
    const { run, write, api } = await startByHand()
    await write("a.txt", "hello")
    await write("b.txt", "hello")
    const one = await run(["put", "a.txt", "--claim", "1 hour"])
    const [file] = (await api.listFiles({ status: "Pending" })).files
    expect(one.code).toBe(0)
    expect(one.stdout).toMatch(/^\S+ {2}http\S+ {2}a\.txt\n$/)
    expect(one.stderr).toBe(
      `sluice: The file is pending: unless it is claimed by ${formatMoment(file!.claimBy!)} it is deleted (\`sluice claim ${file!.key}\`). Until then its URL needs a signature.\n`,
    )
    const two = await run(["put", "a.txt", "b.txt", "--claim", "1 hour"])
    expect(two.stderr).toMatch(/^sluice: 2 files are pending: .* their URLs need a signature\.\n$/)
    const { stdout, stderr } = await run(["put", "b.txt", "--claim", "90", "--path", "b", "--json"])
    const [answer] = toDocuments(stdout)
    expect({ answer, stderr }).toMatchObject({ answer: { status: "Pending", storedPath: "b" }, stderr: "" })
    const [listed] = (await api.listFiles({ prefix: "b" })).files
    expect(answer.claimBy).toBe(answer.uploadedAt + 90_000)
    expect(answer.claimBy).toBe(listed!.claimBy)
    expect(await run(["get", answer.key])).toMatchObject({ code: 1, stderr: expect.stringContaining("already exists") })
  })

  it.each([
    ["--claim", "soon", "Expected a duration"],
    ["--expires-in", "200 years 3", "Expected a duration"],
    ["--expires-in", "101 years", "Expected a duration"],
    ["--owner", "", "Expected an owner of 1 to 256 bytes"],
    ["--owner", "x".repeat(257), "Expected an owner of 1 to 256 bytes"],
    ["--path", "../x\u001b[2J", "without backslashes, control characters"],
    ["--path", "../x", "relative path"],
    ["--prefix", "/albums/", "relative path"],
    ["--prefix", "a//b/", "relative path"],
  ])("takes %s %j for wrong usage: said once, before anything starts", async (flag, value, message) => {
    const { code, stdout, stderr } = await runCommand(["put", "one.txt", "two.txt", flag, value])
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toContain(`error: option '${flag} <`)
    expect(stderr.split(message)).toHaveLength(2)
    expect(stderr).not.toMatch(/labels|\u001b/)
  })

  it("files all of them under a path, with or without its slash", async () => {
    const { run, write, api } = await startByHand()
    await write("a.txt", "a")
    await write("b.txt", "b")
    const listed = async () => (await api.listFiles({ prefix: "albums/" })).files.map(({ path }) => path)
    expect((await run(["put", "a.txt", "./b.txt", "--prefix", "albums/2026/"])).code).toBe(0)
    expect((await run(["put", "-", "--prefix", "albums"], { input: "x" })).code).toBe(0)
    expect((await run(["put", "a.txt", "--prefix", "albums", "--name", "named.txt"])).code).toBe(0)
    expect(await listed()).toEqual(["albums/2026/a.txt", "albums/2026/b.txt", "albums/named.txt", "albums/stdin"])
    expect(await run(["put", "a.txt", "--path", "x", "--prefix", "y"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("give one of them"),
    })
  })

  it("uploads ten files, one of them missing: the others go on, in order, and it is named", async () => {
    const { run, write } = await startByHand()
    const names = Array.from({ length: 10 }, (_, i) => `${i}.bin`)
    for (const [i, name] of names.entries()) if (i !== 4) await write(name, randomContent(i * 20_000))
    const { code, stdout, stderr } = await run(["put", ...names])
    expect(code).toBe(1)
    const lines = stdout.trim().split("\n")
    expect(lines.map((line) => line.split("  ")[2])).toEqual(names.filter((_, i) => i !== 4))
    expect(stderr).toMatch(/^sluice: 4\.bin: There is no file at .*4\.bin\.\nsluice: 9 of 10 files were uploaded\.\n$/)
  })

  it("prints one JSON document a file, with what it has compared, and an error in the same form", async () => {
    const { run, write, url } = await startByHand()
    await write("a.txt", "hello")
    await write("empty", "")
    const { code, stdout, stderr } = await run(["put", "a.txt", "missing", "empty", "--json", "--concurrency", "1"])
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" })
    const [a, missing, empty] = toDocuments(stdout)
    expect(a).toEqual({
      path: "a.txt",
      key: expect.any(String),
      name: "a.txt",
      size: 5,
      type: "text/plain",
      customId: null,
      url: `${url}/f/${a.key}`,
      fileHash: sha256("hello"),
      uploadedAt: expect.any(Number),
      status: "Uploaded",
      claimBy: null,
      storedPath: null,
      verified: true,
      isSkipped: false,
      error: null,
    })
    expect(Object.keys(missing).toSorted()).toEqual(Object.keys(a).toSorted())
    expect(missing).toMatchObject({ path: "missing", key: null, verified: false, error: { code: "NOT_FOUND" } })
    expect(empty).toMatchObject({ size: 0, fileHash: sha256(""), verified: true, error: null })
  })

  it("leaves out what is stored under the same path with the same size, so that it may be run again", async () => {
    const { run, write, api, folder } = await startByHand()
    await mkdir(join(folder, "photos/deep"), { recursive: true })
    await write("photos/a.txt", "hello")
    await write("photos/deep/b.txt", "hello")
    const put = (...more: ReadonlyArray<string>) =>
      run(["put", "-r", "photos", "--prefix", "albums", "--skip-stored", ...more])
    expect(await put()).toMatchObject({ code: 0, stderr: "" })
    await write("photos/deep/b.txt", "hello, world")
    await write("photos/c.txt", "new")
    const again = await put("--json")
    const lines = toDocuments(again.stdout)
    const { files } = await api.listFiles({ prefix: "albums/" })
    const keyOf = (path: string, size: number) => files.find((file) => file.path === path && file.size === size)?.key
    expect({ ...again, stdout: "" }).toEqual({ code: 0, stdout: "", stderr: "" })
    expect(lines).toMatchObject([
      { path: "photos/a.txt", isSkipped: true, key: keyOf("albums/a.txt", 5), status: "Uploaded", error: null },
      { path: "photos/c.txt", isSkipped: false, key: keyOf("albums/c.txt", 3) },
      { path: "photos/deep/b.txt", isSkipped: false, key: keyOf("albums/deep/b.txt", 12) },
    ])
    expect(Object.keys(lines[0]).toSorted()).toEqual(Object.keys(lines[1]).toSorted())
    expect(files).toHaveLength(4)
    expect(await put()).toEqual({
      code: 0,
      stdout: "",
      stderr: "sluice: 3 files were stored already, and left out.\n",
    })
    await api.deleteFiles(keyOf("albums/a.txt", 5)!)
    expect((await put()).stdout).toContain("photos/a.txt")
    expect((await put("--owner", "somebody")).stdout.trim().split("\n")).toHaveLength(3)
    expect(await run(["put", "photos/a.txt", "--skip-stored"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--skip-stored compares paths"),
    })
  })

  it("uploads nothing where what is stored cannot be listed", async () => {
    const { run, write } = await startByHand()
    await write("a.txt", "hello")
    const to = ["--ingest-url", "http://127.0.0.1:59999"]
    const { code, stdout, stderr } = await run(["put", "a.txt", "--path", "a", "--skip-stored", ...to])
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toMatch(/^sluice: What is stored cannot be listed, and nothing was uploaded\. .*127\.0\.0\.1:59999/)
  })

  it("takes name, type, custom id and ACL for one file", async () => {
    const { run, write, api } = await startByHand()
    await write("x", "hello")
    const options = ["--name", "report 😀.pdf", "--type", "application/pdf", "--custom-id", "report-7"]
    expect((await run(["put", "x", ...options, "--acl", "private"])).code).toBe(0)
    expect((await api.listFiles()).files).toMatchObject([
      { name: "report 😀.pdf", type: "application/pdf", customId: "report-7", acl: "private" },
    ])
    for (const option of ["--name", "--custom-id", "--path"]) {
      const { code, stderr } = await run(["put", "x", "x", option, "y"])
      expect({ code, stderr }).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`${option} is for one file only`),
      })
    }
  })

  it("uploads standard input, whose size nobody knows, and leaves nothing on the disk", async () => {
    const { run, api, folder } = await startByHand()
    const content = "x".repeat(3_000_000)
    const temporary = join(folder, "tmp")
    await mkdir(temporary)
    const env = { TMPDIR: temporary }
    const { code, stdout } = await run(["put", "-", "--name", "dump.sql", "--json"], { input: content, env })
    expect(code).toBe(0)
    expect(toDocuments(stdout)).toMatchObject([
      { path: "-", name: "dump.sql", size: 3_000_000, fileHash: sha256(content), verified: true },
    ])
    expect((await run(["put", "-"], { env })).code).toBe(0)
    expect((await api.listFiles()).files).toMatchObject([{ name: "stdin", size: 0 }, { name: "dump.sql" }])
    expect(await readdir(temporary)).toEqual([])
    const twice = await run(["put", "-", "-"])
    expect(twice).toMatchObject({ code: 2, stderr: expect.stringContaining('"-" may be given only once') })
  })

  it("says that standard input cannot be kept, and uploads the others", async () => {
    const { run, write } = await startByHand()
    await write("a.txt", "hello")
    const { code, stdout, stderr } = await run(["put", "-", "a.txt"], {
      input: "x",
      env: { TMPDIR: "/no/such/folder" },
    })
    expect(code).toBe(1)
    expect(stdout).toMatch(/ {2}a\.txt\n$/)
    expect(stderr).toContain("sluice: -: Standard input cannot be kept in /no/such/folder: it does not exist.")
  })

  it("refuses folders and pipes in words, and takes names that look like options behind --", async () => {
    const { run, write, folder, api } = await startByHand()
    await mkdir(join(folder, "photos"))
    await write("-rf", "hello")
    const { code, stdout, stderr } = await run(["put", "photos", "/dev/null", "--", "-rf"])
    expect(code).toBe(1)
    expect(stderr).toContain("sluice: photos: It is a folder. To upload the files in it: -r")
    expect(stderr).toContain("sluice: /dev/null: It is not a regular file.")
    expect(stdout).toMatch(/ {2}-rf\n$/)
    expect((await api.listFiles()).files).toMatchObject([{ name: "-rf" }])
  })

  it("escapes names that would play with the terminal", async () => {
    const { run, write } = await startByHand()
    await write("evil\u001b[31m\nname", "hello")
    const { stdout, stderr } = await run(["put", "evil\u001b[31m\nname", "gone\u001b[2J"])
    expect(stdout).toMatch(/ {2}evil\\u\{1b\}\[31m\\nname\n$/)
    expect(stderr).toContain(String.raw`gone\u{1b}[2J: There is no file`)
    expect(stdout + stderr).not.toContain("\u001b")
  })

  it("does not trust the hash that the ingest answers", async () => {
    const { run, write } = await startBehind((passing) => {
      if (passing.method !== "PUT") return
      passing.body = Buffer.from(passing.body.toString().replace(/"fileHash":"[0-9a-f]{4}/, '"fileHash":"0000'))
    })
    await write("a.txt", "hello")
    const { code, stdout, stderr } = await run(["put", "a.txt"])
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toMatch(/^sluice: a\.txt: The ingest has stored it under the key \S+ .*SHA-256 0000/)
    expect(stderr).toContain("sluice rm ")
  })

  it("says where the ingest keeps no hashes", async () => {
    const { run, write } = await startByHand({ hash: false })
    await write("a.txt", "hello")
    const { code, stderr } = await run(["put", "a.txt"])
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: "sluice: a.txt: The ingest keeps no hashes, so nothing was compared.\n",
    })
    expect(toDocuments((await run(["put", "a.txt", "--json"])).stdout)).toMatchObject([
      { verified: false, error: null },
    ])
  })

  it("goes on where the bytes end when the ingest is killed, and comes back", async () => {
    const folder = await makeFolder()
    const data = join(folder, "data")
    let port = 0
    const relay = await startRelay(() => port)
    const startServer = async () => {
      const server = startCommand(["ingest", "--port", `${port}`, "--data", data, "--url", relay.url, "--json"], {
        env: { SLUICE_TOKEN: tokenFor(relay.url) },
      })
      onTestFinished(() => void server.child.kill("SIGKILL"))
      port = JSON.parse(await server.line((line) => line.includes('"listening"'))).port
      return server
    }
    const server = await startServer()
    const { run, write, start } = createHand(relay.url, folder)
    const content = randomContent(40_000_000)
    await write("large.bin", content)
    const putting = start(["put", "large.bin", "--json"])
    await relay.cutAfter(30_000_000)
    server.child.kill("SIGKILL")
    await server.ended
    // On a busy machine much of what was sent has not come to the ingest yet.
    const files = await readdir(join(data, "files"), { recursive: true, withFileTypes: true })
    const sizes = files.filter((file) => file.isFile()).map((file) => stat(join(file.parentPath, file.name)))
    const stored = (await Promise.all(sizes)).reduce((sum, { size }) => sum + size, 0)
    expect(stored).toBeGreaterThan(1_000_000)
    const sent = relay.sent.up
    await startServer()
    const { code, stdout } = await putting.ended
    const [file] = toDocuments(stdout)
    expect({ code, file }).toMatchObject({ code: 0, file: { fileHash: sha256(content), verified: true, error: null } })
    // From the start again it would have been the whole file.
    expect(relay.sent.up - sent).toBeLessThan(content.length - stored + 500_000)
    expect((await run(["get", file.key, "-o", "back.bin"])).code).toBe(0)
  })

  it("ends cleanly when it is interrupted, and still prints what was uploaded", async () => {
    let isStored = () => {}
    const stored = new Promise<void>((resolve) => (isStored = resolve))
    const { write, start } = await startBehind(async ({ method, sent }) => {
      if (method !== "PUT") return
      if (sent.length > 5) await new Promise(() => {})
      isStored()
    })
    await write("large.bin", randomContent(100_000))
    await write("small.txt", "hello")
    const putting = start(["put", "small.txt", "large.bin"])
    await stored
    await putting.line((line) => line.endsWith("small.txt"))
    putting.child.kill("SIGINT")
    const { code, stdout, stderr } = await putting.ended
    expect(code).toBe(130)
    expect(stdout).toMatch(/^\S+ {2}http\S+ {2}small\.txt\n$/)
    expect(stderr).toBe("sluice: Interrupted: 1 of 2 files were uploaded.\n")
  })

  it("finds the token in the data folder, and says what is missing", async () => {
    const { folder, url, write } = await startByHand()
    await write("a.txt", "hello")
    await mkdir(join(folder, "data"), { mode: 0o700 })
    const run = (...args: ReadonlyArray<string>) => runCommand(["put", "a.txt", ...args], { cwd: folder })
    expect(await run()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^sluice: There is no token: SLUICE_TOKEN is not set, and .* does not exist\. .*\n$/,
      ),
    })
    await writeFile(join(folder, "data/token"), `${tokenFor(url)}\n`)
    expect(await run("--data", "data")).toMatchObject({ code: 0, stderr: "" })
    await writeFile(join(folder, "data/token"), `${token}\n`)
    expect(await run("--data", "data")).toMatchObject({ code: 1, stderr: expect.stringContaining("--ingest-url") })
    expect(await run("--data", "data", "--ingest-url", url)).toMatchObject({ code: 0, stderr: "" })
  })

  it("names the ingest that refuses the token, and keeps the key to itself", async () => {
    const { run, write, url } = await startByHand()
    await write("a.txt", "hello")
    const other = tokenFor(url)
    const wrong = Buffer.from(Buffer.from(other, "base64").toString().replace(apiKey, "sk_wrong_0123")).toString(
      "base64",
    )
    const { code, stderr } = await run(["put", "a.txt"], { env: { SLUICE_TOKEN: wrong } })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^sluice: a\.txt: /)
    expect(stderr).not.toContain("sk_wrong")
  })
})

describe("sluice put -r", { timeout: 60_000 }, () => {
  /** Makes files with their paths in them, and their folders. */
  const fill = async (folder: string, ...paths: ReadonlyArray<string>): Promise<void> => {
    for (const path of paths) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), path)
    }
  }

  it("uploads a folder, each file filed as it is in there, in the order of the names", async () => {
    const { run, folder, api } = await startByHand()
    await fill(folder, "photos/b.jpg", "photos/a/2.jpg", "photos/a/1.jpg", "photos/c d/é.jpg", "note.txt")
    const { code, stdout, stderr } = await run(["put", "-r", "photos", "note.txt", "--owner", "user-7", "--json"])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(toDocuments(stdout).map(({ path, storedPath, name }) => [path, storedPath, name])).toEqual([
      ["photos/a/1.jpg", "a/1.jpg", "1.jpg"],
      ["photos/a/2.jpg", "a/2.jpg", "2.jpg"],
      ["photos/b.jpg", "b.jpg", "b.jpg"],
      ["photos/c d/é.jpg", "c d/é.jpg", "é.jpg"],
      ["note.txt", null, "note.txt"],
    ])
    const { files } = await api.listFiles({ owner: "user-7" })
    expect(new Set(files.map(({ path }) => path))).toEqual(new Set([null, "a/1.jpg", "a/2.jpg", "b.jpg", "c d/é.jpg"]))
  })

  it("files it under a path, whatever the folder is called", async () => {
    const { run, folder, api } = await startByHand()
    await fill(folder, "photos/a.jpg", "photos/summer/b.jpg")
    for (const path of ["photos", "./photos/"]) {
      expect((await run(["put", "-r", path, "--prefix", "albums/"])).code).toBe(0)
    }
    expect((await run(["put", "--recursive", ".", "--prefix", "albums/"], { cwd: join(folder, "photos") })).code).toBe(
      0,
    )
    const { files } = await api.listFiles({ prefix: "albums/" })
    expect(new Set(files.map(({ path }) => path))).toEqual(new Set(["albums/a.jpg", "albums/summer/b.jpg"]))
    expect(files).toHaveLength(6)
  })

  it("leaves out what is hidden and what is a link, says so, and takes what is named", async () => {
    const { run, folder } = await startByHand()
    await fill(folder, "in/a.txt", "in/.env", "in/.git/config", "in/sub/.hidden", "secret/key", ".profile")
    await symlink(join(folder, "secret"), join(folder, "in/linked"))
    await symlink(join(folder, "secret/key"), join(folder, "in/key"))
    await symlink(join(folder, "in"), join(folder, "way"))
    const { code, stdout, stderr } = await run(["put", "-r", "in", ".profile", "in/key", "--json"])
    expect(code).toBe(0)
    expect(toDocuments(stdout).map(({ path }) => path)).toEqual(["in/a.txt", ".profile", "in/key"])
    expect(stderr).toBe("sluice: in: Left out: 3 hidden, 2 symbolic links. What you name yourself is uploaded.\n")
    expect(toDocuments((await run(["put", "-r", "way", "--json"])).stdout)).toMatchObject([{ path: "way/a.txt" }])
    await mkdir(join(folder, "empty"))
    expect(await run(["put", "-r", "empty"])).toEqual({
      code: 0,
      stdout: "",
      stderr: "sluice: empty: There is no file in it to upload.\n",
    })
  })

  it("names files that cannot be filed so, and uploads the others", async () => {
    const { run, folder } = await startByHand()
    await fill(folder, "in/a.txt", "in/evil\u001b[2J.txt", "in/back\\slash")
    const { code, stdout, stderr } = await run(["put", "-r", "in"])
    expect(code).toBe(1)
    expect(stdout).toMatch(/^\S+ {2}\S+ {2}in\/a\.txt\n$/)
    expect(stderr).toContain(
      String.raw`sluice: in/evil\u{1b}[2J.txt: It cannot be filed under "evil\u001b[2J.txt". Expected a path`,
    )
    expect(stderr).toContain(String.raw`sluice: in/back\slash: It cannot be filed under`)
    expect(stderr).toContain("sluice: 1 of 3 files were uploaded.")
    expect(stderr).not.toContain("\u001b")
    expect(await run(["put", "-r", "in", "--custom-id", "x"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--custom-id is for one file only"),
    })
  })
})
