import { once } from "node:events"
import { existsSync } from "node:fs"
import { readdir, writeFile } from "node:fs/promises"
import { type AddressInfo, createServer } from "node:net"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest"
import { createToken } from "../../src/cli/create-token.ts"
import { createMemoryBlobStore } from "../../src/ingest.ts"
import { createPostgresBlobJournal, createPostgresCatalog } from "../../src/postgres.ts"
import { type Double, startDouble } from "../ingest/storage/s3/start-double.ts"
import { makeFolder } from "../make-folder.ts"
import { startPostgres, type TestPostgres } from "../start-postgres.ts"
import { askCommand, readPrintedToken, runCommand, startCommand } from "./run-command.ts"
import { registerFiles, storeFile } from "./stored-files.ts"

/** Each test runs several processes. */
const patient = { timeout: 120_000 }

const keys = { AWS_ACCESS_KEY_ID: "double-key", AWS_SECRET_ACCESS_KEY: "double-secret", AWS_SESSION_TOKEN: "" }

let postgres: TestPostgres
beforeAll(async () => {
  postgres = await startPostgres()
}, 90_000)
afterAll(() => postgres.stop())

let double: Double
let folder: string
let databaseUrl: string
let token: string
beforeEach(async () => {
  double = await startDouble()
  onTestFinished(() => double.close())
  folder = await makeFolder()
  // A password, which must not be shown. The server asks for none.
  databaseUrl = (await postgres.createDatabase()).replace("postgres@", "postgres:open%2Fsesame@")
  token = createToken({ region: "local", ingestUrl: "http://localhost:1" }).text
})

/** All objects but the one that says whose the bucket is. */
const listBlobs = () => [...double.objects.keys()].filter((name) => name !== "files/sluice-catalog")

const place = () => new URL(databaseUrl).host + new URL(databaseUrl).pathname

const nameBucket = (): ReadonlyArray<string> =>
  `--s3-bucket double --s3-endpoint ${double.url} --s3-region ${double.settings.region} --s3-prefix files/`.split(" ")

const toEnv = () => ({ ...keys, SLUICE_DATABASE_URL: databaseUrl, SLUICE_TOKEN: token })

const run = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = toEnv()) =>
  runCommand(args, { cwd: folder, env })

const ask = (args: ReadonlyArray<string>) => askCommand(args, { cwd: folder, env: toEnv() })

/** Starts an ingest that has no folder; `stop` resolves with all that it printed. */
const start = async (args: ReadonlyArray<string> = nameBucket(), execArgv: ReadonlyArray<string> = []) => {
  const command = startCommand(["ingest", "--json", "--port", "0", "--largest-content", "0", ...args], {
    cwd: folder,
    env: toEnv(),
    execArgv,
  })
  onTestFinished(async () => {
    command.child.kill("SIGKILL")
    await command.ended
  })
  const listening = JSON.parse(await command.line((line) => line.includes('"listening"')))
  return {
    listening,
    url: listening.url as string,
    hand: (...given: ReadonlyArray<string>) => run(given, { ...toEnv(), SLUICE_INGEST_URL: listening.url }),
    stop: async () => {
      command.child.kill("SIGTERM")
      return command.ended
    },
  }
}

describe("sluice ingest --database-url", patient, () => {
  it("runs several processes on one database and one bucket, with nothing on the disk", async () => {
    const [one, other] = await Promise.all([start(), start()])
    expect(one.listening).toMatchObject({ data: null, database: place(), tokenFile: null })
    await writeFile(join(folder, "note.txt"), "hello both")
    const { stdout, stderr, code } = await one.hand("put", "note.txt", "--json")
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    const { key } = JSON.parse(stdout)
    expect(listBlobs()).toEqual([expect.stringMatching(/^files\/[^/]+\/1$/)])
    expect(await other.hand("get", key, "-o", "-")).toMatchObject({ code: 0, stdout: "hello both\n" })
    expect(await readdir(folder)).toEqual(["note.txt"])
    const ended = await Promise.all([one.stop(), other.stop()])
    expect(ended.map(({ code, stderr }) => [code, stderr])).toEqual([
      [0, ""],
      [0, ""],
    ])
    expect(JSON.stringify([one.listening, ended])).not.toContain("sesame")
    expect(existsSync(join(folder, ".sluice"))).toBe(false)
    expect(await ask(["files", "verify", ...nameBucket()])).toEqual({ checked: 1, bytes: 10, damaged: [] })
  })

  it("is read and changed by every command, and by none of them before there is a catalog", async () => {
    expect(await run(["files", "--json"])).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(
        /^sluice: There is no catalog to read in PostgreSQL 127\.0\.0\.1:\d+\/test_\d+: [^\n]*\n$/,
      ),
    })
    const ingest = await start()
    await writeFile(join(folder, "note.txt"), "hello")
    const { stdout } = await ingest.hand("put", "note.txt", "--json", "--owner", "user-7")
    const { key } = JSON.parse(stdout)
    expect((await ask(["files"])).files).toMatchObject([{ key, name: "note.txt" }])
    expect((await ask(["files", "--owner", "user-7"])).files).toMatchObject([{ key }])
    expect(await ask(["files", "show", key])).toMatchObject({ key })
    expect(await ask(["explain", key])).toMatchObject({ key, status: "Uploaded" })
    expect(await ask(["files", "orphans"])).toMatchObject({ count: 0 })
    expect((await ask(["deliveries"])).deliveries).toEqual([])
    const made = await ask(["apps", "create", "acme", "--ingest-url", ingest.url])
    expect((await ask(["apps"])).apps).toMatchObject([{}, { id: "acme" }])
    const second = await ask(["keys", "create", "acme"])
    expect(await ask(["keys", "revoke", "acme", made.keyId])).toMatchObject({
      activeKeys: [second.keyId],
      tokenFile: null,
    })
    const out = join(folder, "out")
    expect(await ask(["files", "export", "--owner", "user-7", out, "--app", "acme", ...nameBucket()])).toMatchObject({
      records: 0,
    })
    expect(await run(["backup", join(folder, "backup")])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^sluice: The catalog is in PostgreSQL \S+\. Back it up by means of PostgreSQL \(pg_dump/,
      ),
    })
    const unnamed = await run(["files", "verify"])
    const [, words] = /not on disk\. Say so: (.*)\n$/.exec(unnamed.stderr) ?? []
    expect(words?.split(" ")).toEqual(nameBucket())
    await ingest.stop()
    expect((await readdir(folder)).toSorted()).toEqual(["note.txt"])
  })

  it("is refused where it would keep files elsewhere than the others do", async () => {
    await (await start()).stop()
    const refusal =
      /^sluice: The ingests of PostgreSQL \S+ keep their files in the bucket double of \S+, below files\/, and not in the data folder .*: they would not find each other's\. Run it with --s3-bucket double .* stop all ingests and run DELETE FROM "sluice"\.notes WHERE name = 'files' in the database\.\n$/
    expect(await run(["ingest", "--port", "0", "--data", join(folder, "data")])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(refusal),
    })
    const other = nameBucket().map((word) => (word === "files/" ? "others/" : word))
    for (const args of [
      ["ingest", "--port", "0"],
      ["files", "verify"],
    ]) {
      expect(await run([...args, ...other])).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/, below files\/, and not in the bucket double of \S+, below others\/: /),
      })
    }
  })

  it("keeps files on disk for one process alone, and for the same folder", async () => {
    const data = join(folder, "data")
    const ingest = await start(["--data", data])
    expect(ingest.listening).toMatchObject({ data, database: place() })
    expect(await run(["ingest", "--port", "0", "--data", data])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^sluice: Another ingest is running on the data folder /),
    })
    const refusal =
      /^sluice: The ingests of \S+ \S+ keep their files in the data folder \S+\/data of the machine .*, and not in the data folder \S+\/other /
    expect(await run(["ingest", "--port", "0", "--data", join(folder, "other")])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(refusal),
    })
    await writeFile(join(folder, "note.txt"), "hello")
    expect((await ingest.hand("put", "note.txt")).code).toBe(0)
    await ingest.stop()
    expect(await ask(["files", "verify", "--data", data])).toEqual({ checked: 1, bytes: 5, damaged: [] })
    await (await start(["--data", data])).stop()
  })

  it("says what is wrong with token, server, rights and version, and nothing of the password", async () => {
    const begin = ["ingest", "--port", "0", ...nameBucket()]
    const { SLUICE_TOKEN: _, ...withoutToken } = toEnv()
    const said: Array<string> = []
    const refuse = async (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>, code = 1) => {
      const ended = await run(args, env)
      said.push(ended.stderr)
      expect([ended.code, ended.stdout]).toEqual([code, ""])
      return ended.stderr
    }
    const withUrl = (url: string) => ({ ...toEnv(), SLUICE_DATABASE_URL: url })
    expect(await refuse(begin, withoutToken)).toMatch(
      /^sluice: SLUICE_TOKEN is not set\. .*`sluice token --ingest-url /,
    )
    const nobody = `postgres://postgres:open%2Fsesame@127.0.0.1:1/uploads`
    expect(await refuse(["files"], withUrl(nobody))).toMatch(
      /^sluice: The catalog cannot be read\. PostgreSQL at 127\.0\.0\.1:1\/uploads: [^\n]*ECONNREFUSED[^\n]*\. Look whether its server runs [^\n]*\n$/,
    )
    expect(await refuse(begin, withUrl(databaseUrl.replace(/\/[^/]*$/, "/nowhere")))).toMatch(
      /database "nowhere" does not exist \(3D000\)\. Make the database, or correct its name in SLUICE_DATABASE_URL\.\n$/,
    )
    await postgres.run("DROP ROLE IF EXISTS guest; CREATE ROLE guest LOGIN")
    expect(await refuse(begin, withUrl(databaseUrl.replace("postgres:open", "guest:open")))).toMatch(
      /permission denied for database \S+ \(42501\)\. Give its user the rights on the schema sluice that \S+postgres\.md lists\.\n$/,
    )
    await (await start()).stop()
    const pool = postgres.createPool({ connectionString: databaseUrl })
    await pool.query("UPDATE sluice.schema_version SET version = 99, oldest = 99")
    await pool.end()
    for (const args of [begin, ["files"]]) {
      expect(await refuse(args, toEnv())).toMatch(
        /is of version 99, and this version of sluice works with up to \d+\. Use the version/,
      )
    }
    for (const wrong of ["mysql://u:open/sesame@h/d", "postgres://u:1/sesame@h/d", "postgres://u:open?sesame@h/d"]) {
      expect(await refuse(["files", "--database-url", wrong], toEnv(), 2)).toMatch(
        /^error: the value of option '--database-url <url>' is invalid\. /,
      )
      await writeFile(join(folder, "sluice.config.json"), JSON.stringify({ databaseUrl: wrong }))
      expect(await refuse(["files"], { ...keys })).toMatch(/^sluice: The configuration file \S+: /)
    }
    const ofVariable = /^error: the variable SLUICE_DATABASE_URL is invalid\. Expected a URL like /
    expect(await refuse(["files"], withUrl("mysql://u:open/sesame@h/d"), 2)).toMatch(ofVariable)
    // An unset secret: not a reason to begin a catalog in a data folder.
    for (const args of [begin, ["files"], ["doctor"]]) {
      expect(await refuse(args, withUrl(""), 2)).toMatch(
        /^error: the variable SLUICE_DATABASE_URL is set and empty\. Give it its value, or do not set it at all\.\n/,
      )
    }
    expect(existsSync(join(folder, ".sluice"))).toBe(false)
    expect(said.join("")).not.toContain("sesame")
  })

  it("says that the server wants a password, and ends though the server waits for one", async () => {
    const toMessage = (kind: number, text: string) => {
      const message = Buffer.alloc(9 + text.length)
      message.write("R")
      message.writeUInt32BE(8 + text.length, 1)
      message.writeUInt32BE(kind, 5)
      message.write(text, 9)
      return message
    }
    const server = createServer((socket) => {
      socket.on("error", () => {})
      socket.once("data", () => {
        socket.write(toMessage(10, "SCRAM-SHA-256\0\0"))
        socket.once("data", () => socket.write(toMessage(11, "r=nonce,s=c2FsdA==,i=4096")))
      })
    }).listen(0, "127.0.0.1")
    onTestFinished(() => void server.close())
    await once(server, "listening")
    const url = `postgres://postgres@127.0.0.1:${(server.address() as AddressInfo).port}/uploads`
    for (const args of [["files"], ["ingest", "--port", "0", ...nameBucket()]]) {
      expect(await run(args, { ...toEnv(), SLUICE_DATABASE_URL: url })).toMatchObject({
        code: 1,
        stdout: "",
        stderr: expect.stringMatching(/The server wants a password, and SLUICE_DATABASE_URL has none\.\n$/),
      })
    }
  })

  it("warns of another public URL and another token than those of an ingest that runs", async () => {
    const startWith = async (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) => {
      const command = startCommand(["ingest", "--json", "--port", "0", ...args, ...nameBucket()], { cwd: folder, env })
      onTestFinished(async () => {
        command.child.kill("SIGKILL")
        await command.ended
      })
      await command.line((line) => line.includes('"listening"'))
      return async () => {
        command.child.kill("SIGTERM")
        const { stdout } = await command.ended
        const lines = stdout
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line))
        return lines.flatMap(({ event, message }) => (event === "warning" ? [message as string] : []))
      }
    }
    const pool = postgres.createPool({ connectionString: databaseUrl })
    onTestFinished(() => pool.end())
    const processes = () => pool.query("SELECT 1 FROM sluice.processes")
    const first = await startWith(["--url", "https://one.example"], toEnv())
    await vi.waitFor(async () => expect((await processes()).rowCount).toBe(1), 10_000)
    const same = await startWith(["--url", "https://one.example"], toEnv())
    expect(await same()).toEqual([])
    const other = createToken({ region: "local", ingestUrl: "http://localhost:1" })
    const second = await startWith(["--url", "https://two.example"], { ...toEnv(), SLUICE_TOKEN: other.text })
    const warnings = await second()
    expect(warnings).toEqual([
      expect.stringMatching(
        /^Another ingest runs on PostgreSQL \S+ with the public URL https:\/\/one\.example, and this one has https:\/\/two\.example: .*INVALID_SIGNATURE.*--url/,
      ),
      expect.stringMatching(/ with the token whose key is key_[\da-f]{12}, and this one has that of key_[\da-f]{12}: /),
    ])
    const [, one, two] = /(key_\w+).*(key_\w+)/.exec(warnings[1]!)!
    expect(one).not.toBe(two)
    // Both keys of an app are good at all of them, so its token is changed at one after the other.
    const { stdout: renewed } = await run(["keys", "create", readPrintedToken(token).appId])
    const third = await startWith(["--url", "https://two.example"], { ...toEnv(), SLUICE_TOKEN: renewed.trim() })
    const fourth = await startWith(["--url", "https://two.example"], toEnv())
    expect(await fourth()).toEqual([])
    await third()
    expect(await first()).toEqual([])
    // Nobody runs any more: a new token is nobody's business.
    const last = await startWith(["--url", "https://three.example"], toEnv())
    expect(await last()).toEqual([])
  })

  it("waits for a server that does not answer, says so, and ends when it is told to", async () => {
    const silent = createServer(() => {})
    onTestFinished(() => void silent.close())
    silent.listen(0, "127.0.0.1")
    await once(silent, "listening")
    const { port } = silent.address() as AddressInfo
    const env = { ...toEnv(), SLUICE_DATABASE_URL: `postgres://postgres:sesame@127.0.0.1:${port}/uploads` }
    const command = startCommand(["ingest", "--port", "0", "--log-format", "json", ...nameBucket()], {
      cwd: folder,
      env,
    })
    await vi.waitFor(() => expect(command.printed().stderr).toContain("There is no answer yet."), 30_000)
    command.child.kill("SIGTERM")
    expect((await command.ended).code).toBe(0)
    expect(command.printed().stderr).toMatch(
      /There is no answer yet\. PostgreSQL at 127\.0\.0\.1:\d+\/uploads: nothing has answered for 2\.5 s\. .*the host and the port of SLUICE_DATABASE_URL/,
    )
    expect(command.printed().stderr).not.toContain("sesame")
  })

  it.each([
    ["127.0.0.1:1", /ECONNREFUSED/],
    ["no-such-host.invalid", /ENOTFOUND|EAI_AGAIN/],
  ])("says within seconds why nothing answers at %s, and where that address is from", async (host, cause) => {
    const args = ["ingest", "--port", "0", "--database-url", `postgres://postgres:sesame@${host}/uploads`]
    const command = startCommand([...args, ...nameBucket()], { cwd: folder, env: { ...keys, SLUICE_TOKEN: token } })
    const startedAt = performance.now()
    await vi.waitFor(() => expect(command.printed().stderr).toContain("There is no answer yet."), 30_000)
    expect(performance.now() - startedAt).toBeLessThan(9_000)
    command.child.kill("SIGTERM")
    await command.ended
    const said = command.printed().stderr
    expect(said).toMatch(cause)
    expect(said).toContain("the host and the port of --database-url")
    expect(said).not.toContain("sesame")
  })
})

describe("sluice files reconcile", patient, () => {
  it("names what no file has and which file has nothing, and removes what is old and of nobody", async () => {
    const ingest = await start()
    const put = async (name: string) => {
      await writeFile(join(folder, name), `hello ${name}`)
      return JSON.parse((await ingest.hand("put", name, "--json")).stdout).key as string
    }
    const [, second] = [await put("one"), await put("two")]
    const [first, of] = listBlobs() as [string, string]
    const long = Date.now() - 25 * 60 * 60_000
    const bytes = { bytes: Buffer.from("left over"), etag: '"e"' }
    const blob = first.split("/")[1]!
    // An epoch that was fenced off, a file that nobody knows, another program's, and one that is being put.
    const late = `files/${blob}/7`
    double.objects.set(late, { ...bytes, modifiedAt: long })
    double.objects.set("files/unknown.12/1", { ...bytes, modifiedAt: long })
    double.objects.set("files/of/somebody/else", { ...bytes, modifiedAt: long })
    double.objects.set("files/unknown.13/1", { ...bytes, modifiedAt: Date.now() })
    const upload = (key: string, initiatedAt: number) => ({ key, initiatedAt, parts: new Map() })
    double.uploads.set("old", upload("files/unknown.14/1", long))
    double.uploads.set("new", upload("files/unknown.15/1", Date.now()))
    double.uploads.set("noted", upload("files/unknown.16/1", long))
    const pool = postgres.createPool({ connectionString: databaseUrl })
    await createPostgresBlobJournal({ pool }).claim("unknown.16", 1)
    await pool.end()
    double.objects.delete(of)
    const compare = ["files", "reconcile", ...nameBucket()]
    const found = await run([...compare, "--json"])
    expect([found.code, found.stderr]).toEqual([1, ""])
    expect(JSON.parse(found.stdout)).toEqual({
      objects: 5,
      bytes: 36 + "hello one".length,
      files: 2,
      lacking: [{ key: second, name: "two", reason: "missing" }],
      // As the bucket lists them: the key of a file is another one in each run.
      leftOver: [late, "files/unknown.12/1"].toSorted().map((name) => ({ name, size: 9, modifiedAt: long })),
      leftOverUploads: [{ name: "files/unknown.14/1", initiatedAt: long }],
      recent: 2,
      foreign: 1,
      inCatalog: 0,
      removed: null,
    })
    expect((await run([...compare, "--remove"])).stdout).not.toMatch(/^Removed/m)
    expect([listBlobs().length, double.uploads.size]).toEqual([5, 3])
    const removed = JSON.parse((await run([...compare, "--remove", "--yes", "--json"])).stdout)
    expect(removed.removed).toEqual({ objects: 2, bytes: 18, uploads: 1 })
    expect(listBlobs().toSorted()).toEqual(["files/of/somebody/else", "files/unknown.13/1", first].toSorted())
    expect([...double.uploads.keys()].toSorted()).toEqual(["new", "noted"])
    await ingest.stop()
    const other = nameBucket().map((word) => (word === "files/" ? "others/" : word))
    expect(await run(["files", "reconcile", ...other, "--remove", "--yes"])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/and not in the bucket double of \S+, below others\//),
    })
  })
})

describe("sluice doctor", patient, () => {
  const examine = async (env: Readonly<Record<string, string>> = toEnv()) => {
    const { stdout, stderr } = await run(["doctor", "--json"], env)
    expect([stderr, stdout]).toEqual(["", expect.not.stringContaining("sesame")])
    const { checks } = JSON.parse(stdout) as { readonly checks: ReadonlyArray<Record<string, string | null>> }
    return (check: string) => checks.find((each) => each["check"] === check)
  }

  it("says what the database does, whose catalog is in it, and how many ingests run on it", async () => {
    const before = await examine()
    expect(before("Catalog")).toMatchObject({ status: "warning", message: "the schema sluice has none yet" })
    expect(before("Data folder")).toBeUndefined()
    expect(before("Processes")).toBeUndefined()
    const ingest = await start()
    const found = await examine({ ...toEnv(), SLUICE_INGEST_URL: ingest.url })
    expect(found("Database")).toMatchObject({
      status: "warning",
      // The server of the tests flushes nothing.
      message: expect.stringMatching(
        /^\S+ is PostgreSQL \d+\.\d+, takes .* for an answer, confirms commits with synchronous_commit off: a crash/,
      ),
    })
    expect(found("Catalog")).toMatchObject({
      status: "ok",
      message: expect.stringMatching(/^in the schema sluice, of version \d/),
    })
    expect(found("Clock")).toMatchObject({ status: "ok" })
    expect(found("Bucket")).toMatchObject({ status: "ok", message: expect.stringMatching(/in the bucket double/) })
    expect(found("Ingest")).toMatchObject({ status: "ok" })
    expect(found("Token")).toMatchObject({ status: "ok" })
    const pool = postgres.createPool({ connectionString: databaseUrl })
    const soon = `floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint`
    await pool.query("DELETE FROM sluice.processes")
    await pool.query(
      `INSERT INTO sluice.processes VALUES ('a', ${soon} + 60000, '[]'), ('b', ${soon} + 60000, '[]'), ('c', ${soon} - 1, '[]')`,
    )
    const counted = await examine()
    await pool.query("DELETE FROM sluice.processes")
    expect((await examine())("Processes")).toMatchObject({ status: "warning", message: "no ingest runs on it." })
    await pool.end()
    expect(counted("Processes")).toMatchObject({
      status: "ok",
      message: expect.stringMatching(/^\d ingests run on it; what 1 had that died/),
    })
  })

  it("says that the bucket is of another catalog where its database is not named", async () => {
    const ingest = await start()
    await ingest.stop()
    const without = { ...keys, SLUICE_TOKEN: token }
    const { stdout, code } = await run(["doctor", "--json", ...nameBucket()], without)
    const { checks } = JSON.parse(stdout) as { readonly checks: ReadonlyArray<Record<string, string | null>> }
    expect(code).toBe(1)
    expect(checks.find(({ check }) => check === "Bucket")).toMatchObject({
      status: "failed",
      message: expect.stringContaining("are of another catalog in PostgreSQL"),
      advice: expect.stringMatching(/^Name its database \(SLUICE_DATABASE_URL/),
    })
  })

  it("says why the database cannot be used", async () => {
    const missing = databaseUrl.replace(/\/[^/]*$/, "/nowhere")
    expect((await examine({ ...toEnv(), SLUICE_DATABASE_URL: missing }))("Database")).toMatchObject({
      status: "failed",
      advice: expect.stringMatching(/^Make the database/),
    })
    await postgres.run("DROP ROLE IF EXISTS visitor; CREATE ROLE visitor LOGIN")
    const visitor = databaseUrl.replace("postgres:open", "visitor:open")
    expect((await examine({ ...toEnv(), SLUICE_DATABASE_URL: visitor }))("Catalog")).toMatchObject({
      status: "failed",
      message: "the schema sluice has none, and its user may make none.",
    })
  })
})

/** Puts the clock of a process so many hours forwards. */
const shiftClock = (hours: number): ReadonlyArray<string> => [
  "--import",
  `data:text/javascript,const real = Date.now; Date.now = () => real() + ${hours * 3_600_000}`,
]

describe("an ingest on a machine whose clock is an hour wrong", patient, () => {
  it.each([1, -1])("redirects to URLs that the bucket takes: by %i h", async (hours) => {
    const ingest = await start([...nameBucket(), "--reads", "redirect"], shiftClock(hours))
    await writeFile(join(folder, "note.txt"), "hello")
    const { stdout } = await ingest.hand("put", "note.txt", "--json")
    const { key } = JSON.parse(stdout)
    const redirect = await fetch(`${ingest.url}/f/${key}`, { redirect: "manual" })
    expect(redirect.status).toBe(302)
    expect(await (await fetch(redirect.headers.get("location")!)).text()).toBe("hello")
  })
})

describe("a command on a machine whose clock is an hour ahead", patient, () => {
  const runAhead = (...args: ReadonlyArray<string>) =>
    runCommand([...args, "--json"], { cwd: folder, env: toEnv(), execArgv: shiftClock(1) })

  /** No ingest runs that would send what is due. */
  const prepare = async () => {
    const ingest = await start()
    await ingest.stop()
    const pool = postgres.createPool({ connectionString: databaseUrl })
    onTestFinished(() => pool.end())
    /** How far from now the only event of a table is due, ms. */
    const dueWithin = async (table: string) => {
      const { rows } = await pool.query(`SELECT next_at FROM sluice.${table}`)
      expect(rows).toHaveLength(1)
      return Math.abs(Number(rows[0].next_at) - Date.now())
    }
    return { pool, dueWithin }
  }

  it("makes an endpoint's events due at once by the database's clock, new ones and dead ones", async () => {
    const { pool, dueWithin } = await prepare()
    const added = await ask(["endpoints", "add", "https://example.com/hook", "--events", "uploaded", "--json"])
    await runAhead("endpoints", "test", added.id)
    expect(await dueWithin("endpoint_events")).toBeLessThan(600_000)
    await pool.query("UPDATE sluice.endpoint_events SET status = 'dead', next_at = 0")
    expect(JSON.parse((await runAhead("endpoints", "redeliver", "--dead", added.id)).stdout).due).toHaveLength(1)
    expect(await dueWithin("endpoint_events")).toBeLessThan(600_000)
  })

  it("makes an app's events due at once by the database's clock", async () => {
    const { pool, dueWithin } = await prepare()
    const catalog = createPostgresCatalog({ pool })
    onTestFinished(() => catalog.close())
    const store = createMemoryBlobStore()
    await registerFiles({ catalog, store, path: "" }, ["one"], "https://app.example/api/sluice")
    await storeFile({ catalog, store, path: "" }, "one")
    await pool.query("UPDATE sluice.deliveries SET status = 'dead', next_at = 0")
    expect(JSON.parse((await runAhead("deliveries", "redeliver", "evt_one")).stdout).due).toEqual(["evt_one"])
    expect(await dueWithin("deliveries")).toBeLessThan(600_000)
  })
})
