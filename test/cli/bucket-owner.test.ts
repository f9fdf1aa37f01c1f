import { access, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest"
import { createToken } from "../../src/cli/create-token.ts"
import { type Double, startDouble } from "../ingest/storage/s3/start-double.ts"
import { makeFolder } from "../make-folder.ts"
import { startPostgres, type TestPostgres } from "../start-postgres.ts"
import { runCommand, startCommand } from "./run-command.ts"

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
let own: Readonly<Record<string, string>>
beforeEach(async () => {
  double = await startDouble()
  onTestFinished(() => double.close())
  folder = await makeFolder()
  const { text } = createToken({ region: "local", ingestUrl: "http://localhost:1" })
  own = { ...keys, SLUICE_DATABASE_URL: await postgres.createDatabase(), SLUICE_TOKEN: text }
})

const marker = "files/sluice-catalog"

const nameBucket = (): ReadonlyArray<string> =>
  `--s3-bucket double --s3-endpoint ${double.url} --s3-region ${double.settings.region} --s3-prefix files/`.split(" ")

const run = (args: ReadonlyArray<string>, env = own) => runCommand([...args, ...nameBucket()], { cwd: folder, env })

const start = async (env = own) => {
  const args = ["ingest", "--json", "--port", "0", "--largest-content", "0", ...nameBucket()]
  const command = startCommand(args, { cwd: folder, env })
  onTestFinished(async () => {
    command.child.kill("SIGKILL")
    await command.ended
  })
  const { url } = JSON.parse(await command.line((line) => line.includes('"listening"')))
  return {
    put: async (name: string) => {
      await writeFile(join(folder, name), `hello ${name}`)
      const ended = await runCommand(["put", name, "--json"], { cwd: folder, env: { ...env, SLUICE_INGEST_URL: url } })
      return JSON.parse(ended.stdout).key as string
    },
    stop: () => {
      command.child.kill("SIGTERM")
      return command.ended
    },
  }
}

const readMarker = () => JSON.parse(double.objects.get(marker)!.bytes.toString())

/** As if all were put long ago: what is younger than a day is never removed. */
const age = () => {
  for (const [name, object] of double.objects) {
    double.objects.set(name, { ...object, modifiedAt: Date.now() - 25 * 60 * 60_000 })
  }
}

describe("the object that says whose a bucket is", patient, () => {
  it("keeps a command over another catalog from removing the files of a bucket, and its ingest from starting", async () => {
    const ingest = await start()
    await ingest.put("one")
    age()
    expect(readMarker()).toEqual({ catalog: expect.stringMatching(/^[\da-f-]{36}$/), kind: "postgresql" })
    const before = [...double.objects.keys()].toSorted()
    const staging = { ...own, SLUICE_DATABASE_SCHEMA: "staging" }
    const { SLUICE_DATABASE_URL: _, ...without } = own
    const refused = async (args: ReadonlyArray<string>, env: typeof own, said: RegExp) => {
      expect(await run(args, env)).toMatchObject({ code: 1, stdout: "", stderr: expect.stringMatching(said) })
      expect([...double.objects.keys()].toSorted()).toEqual(before)
    }
    await refused(
      ["ingest", "--port", "0"],
      without,
      /^sluice: The files in the bucket double of \S+, below files\/ are of another catalog in PostgreSQL, [\da-f]{8}, as the object files\/sluice-catalog there says, and not of that of \S+ \(in SQLite\)\. Name its database \(SLUICE_DATABASE_URL, or databaseUrl\), or give this one a prefix of its own \(--s3-prefix\)\. .*delete the object files\/sluice-catalog/,
    )
    // Nothing was made that a command would take for a catalog.
    await expect(access(join(folder, ".sluice/catalog.sqlite"))).rejects.toThrow("ENOENT")
    await refused(
      ["ingest", "--port", "0"],
      staging,
      /are of another catalog in PostgreSQL.*in the schema staging\. Name its database and its schema/,
    )
    // Catalogs of before: they were started when nothing said whose the bucket is.
    const object = double.objects.get(marker)!
    for (const env of [without, staging]) {
      double.objects.delete(marker)
      await (await start(env)).stop()
      double.objects.set(marker, object)
      for (const more of [[], ["--remove", "--yes"], ["--remove", "--yes", "--adopt"]]) {
        await refused(
          ["files", "reconcile", ...more],
          env,
          /^sluice: The files in the bucket .* are of another catalog in PostgreSQL/,
        )
      }
    }
    const examine = async (env: typeof own) => {
      const { checks } = JSON.parse((await run(["doctor", "--json"], env)).stdout)
      return checks.find(({ check }: { readonly check: string }) => check === "Bucket")
    }
    expect(await examine(own)).toMatchObject({ status: "ok" })
    expect(await examine(staging)).toMatchObject({
      status: "failed",
      message: expect.stringMatching(/^The files in the bucket .* are of another catalog in PostgreSQL/),
      advice: expect.stringMatching(/^Name its database and its schema/),
    })
    const found = await run(["files", "reconcile", "--remove", "--yes", "--json"])
    expect([found.code, found.stderr]).toEqual([0, ""])
    expect(JSON.parse(found.stdout)).toMatchObject({ objects: 1, files: 1, leftOver: [], foreign: 0, removed: null })
    await ingest.stop()
  })

  it("is made once by several that start at the same time, and stays theirs", async () => {
    double.onRequest(async ({ operation, key }) => {
      // All have looked before one has put it.
      if (operation === "PutObject" && key === marker) await new Promise((resolve) => setTimeout(resolve, 300))
    })
    const all = await Promise.all([start(), start(), start()])
    const { catalog } = readMarker()
    await Promise.all(all.map(({ stop }) => stop()))
    await (await start()).stop()
    expect(readMarker().catalog).toBe(catalog)
  })

  it("is made for a data folder of before, also where the bucket knows no conditions", async () => {
    const { SLUICE_DATABASE_URL: _, SLUICE_TOKEN: _token, ...plain } = own
    const first = await start(plain)
    const key = await first.put("one")
    await first.stop()
    double.objects.delete(marker)
    double.onRequest(({ headers }) =>
      headers["if-none-match"] === "*" ? { kind: "answer", status: 501, code: "NotImplemented" } : undefined,
    )
    const second = await start(plain)
    expect(readMarker()).toMatchObject({ kind: "sqlite" })
    await second.stop()
    const { stdout } = await run(["files", "verify", "--json"], plain)
    expect({ key, checked: JSON.parse(stdout).checked }).toEqual({ key, checked: 1 })
    const others = await run(["ingest", "--port", "0"], own)
    expect([others.code, others.stderr]).toEqual([
      1,
      expect.stringMatching(/are of another catalog in SQLite, .*Name its data folder \(--data\), and no database/),
    ])
  })

  it("is missing where nobody made it: nothing is removed until the bucket is adopted by whose files are there", async () => {
    const ingest = await start()
    await ingest.put("one")
    await ingest.stop()
    age()
    double.objects.delete(marker)
    double.objects.set("files/unknown.12/1", { bytes: Buffer.from("left"), etag: '"e"', modifiedAt: 0 })
    const seen = await run(["files", "reconcile"])
    expect([seen.code, seen.stderr]).toEqual([
      0,
      expect.stringMatching(
        /^Nothing says whose the files are in the bucket double .* Start an ingest of this catalog/,
      ),
    ])
    expect(await run(["files", "reconcile", "--remove", "--yes"])).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^sluice: Nothing says whose .* Nothing was removed\. .*--adopt/),
    })
    const staging = { ...own, SLUICE_DATABASE_SCHEMA: "staging" }
    const { size } = double.objects
    // Its own prefix, so that it makes a catalog and leaves this bucket alone.
    const elsewhere = startCommand(
      [
        "ingest",
        "--json",
        "--port",
        "0",
        "--s3-bucket",
        "double",
        "--s3-endpoint",
        double.url,
        "--s3-region",
        "test-1",
      ],
      { cwd: folder, env: { ...staging, SLUICE_S3_PREFIX: "staging/" } },
    )
    await elsewhere.line((line) => line.includes('"listening"'))
    elsewhere.child.kill("SIGTERM")
    await elsewhere.ended
    const pool = postgres.createPool({ connectionString: own["SLUICE_DATABASE_URL"]! })
    await pool.query("DELETE FROM staging.notes WHERE name IN ('files', 'started-with')")
    await pool.end()
    expect(await run(["files", "reconcile", "--remove", "--yes", "--adopt"], staging)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^sluice: No file of this catalog has its object .*, and 2 objects there are of other/,
      ),
    })
    expect([...double.objects.keys()].filter((name) => name.startsWith("files/"))).toHaveLength(size)
    const removed = await run(["files", "reconcile", "--remove", "--yes", "--adopt", "--json"])
    expect(JSON.parse(removed.stdout).removed).toEqual({ objects: 1, bytes: 4, uploads: 0 })
    expect(readMarker()).toMatchObject({ kind: "postgresql" })
  })
})
