import { existsSync } from "node:fs"
import { readdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest"
import { createToken } from "../../src/cli/create-token.ts"
import { type Double, startDouble } from "../ingest/storage/s3/start-double.ts"
import { makeFolder } from "../make-folder.ts"
import { startPostgres, type TestPostgres } from "../start-postgres.ts"
import { askCommand, runCommand, startCommand } from "./run-command.ts"

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
  databaseUrl = (await postgres.createDatabase()).replace("postgres@", "postgres:pass%2Fword@")
  token = createToken({ region: "local", ingestUrl: "http://localhost:1" }).text
})

const place = () => new URL(databaseUrl).host + new URL(databaseUrl).pathname

const nameBucket = (): ReadonlyArray<string> =>
  `--s3-bucket double --s3-endpoint ${double.url} --s3-region ${double.settings.region} --s3-prefix files/`.split(" ")

const toEnv = () => ({ ...keys, SLUICE_DATABASE_URL: databaseUrl, SLUICE_TOKEN: token })

const run = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = toEnv()) =>
  runCommand(args, { cwd: folder, env })

const ask = (args: ReadonlyArray<string>) => askCommand(args, { cwd: folder, env: toEnv() })

/** Starts an ingest that has no folder; `stop` resolves with all that it printed. */
const start = async (args: ReadonlyArray<string> = nameBucket()) => {
  const command = startCommand(["ingest", "--json", "--port", "0", "--largest-content", "0", ...args], {
    cwd: folder,
    env: toEnv(),
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
    expect([...double.objects.keys()]).toEqual([expect.stringMatching(/^files\/[^/]+\/1$/)])
    expect(await other.hand("get", key, "-o", "-")).toMatchObject({ code: 0, stdout: "hello both\n" })
    expect(await readdir(folder)).toEqual(["note.txt"])
    const ended = await Promise.all([one.stop(), other.stop()])
    expect(ended.map(({ code, stderr }) => [code, stderr])).toEqual([
      [0, ""],
      [0, ""],
    ])
    expect(JSON.stringify([one.listening, ended])).not.toContain("pass")
    expect(existsSync(join(folder, ".sluice"))).toBe(false)
    expect(await ask(["files", "verify", ...nameBucket()])).toEqual({ checked: 1, bytes: 10, damaged: [] })
  })
})
