import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest"
import { toNodeListener } from "../../adapters/node/to-node-listener.ts"
import { describeDataFolder } from "../../src/cli/data-folder.ts"
import { createIngest } from "../../src/ingest.ts"
import { encodeToken } from "../../src/protocol.ts"
import { createRouteHandler, createSluice } from "../../src/server.ts"
import { listen } from "../ingest/circle.ts"
import { runCommand } from "./run-command.ts"
import { attemptDelivery, openData, registerFiles, storeFile } from "./stored-files.ts"

let folder: string
let data: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-doctor-"))
  data = join(folder, "data")
})
afterEach(() => rm(folder, { recursive: true }))

const credentials = { apiKey: "sk_0123456789abcdef", appId: "app", regions: ["local"] as const }

interface Check {
  readonly check: string
  readonly status: string
  readonly message: string
  readonly advice: string | null
}

/** What the doctor finds, each check's status by its name. */
const examine = async (args: ReadonlyArray<string>, token?: string) => {
  const { code, stdout, stderr } = await runCommand(["doctor", "--json", "--data", data, ...args], {
    ...(token !== undefined && { env: { SLUICE_TOKEN: token } }),
  })
  expect(stderr).toBe("")
  const { ok, checks }: { ok: boolean; checks: ReadonlyArray<Check> } = JSON.parse(stdout)
  expect(ok).toBe(code === 0)
  return { code, stdout, checks, of: (name: string) => checks.find(({ check }) => check === name) }
}

/** A running ingest on the data folder, and an app with a route handler. */
const startAll = async () => {
  const open = openData(data)
  const answers = Promise.withResolvers<(request: Request) => Promise<Response>>()
  const url = await listen(toNodeListener(async (request) => (await answers.promise)(request)))
  const token = encodeToken({ ...credentials, regions: ["local"], ingestUrl: url })
  const ingest = createIngest({ token, url, store: open.store, catalog: open.catalog, logLevel: "None" })
  onTestFinished(ingest.close)
  answers.resolve(ingest.fetch)
  const router = { a: createSluice()({ text: {} }).onUploadComplete(() => null) }
  const app = await listen(toNodeListener(createRouteHandler({ router, token })))
  return { ...open, url, token, app }
}

describe("sluice doctor", () => {
  it("finds a set-up well, with exit code 0, and leaves it as it was", async () => {
    const { app, token } = await startAll()
    const before = await readdir(data)
    const { code, checks } = await examine(["--callback-url", app], token)
    expect(checks.map(({ check, status }) => `${check}: ${status}`)).toEqual([
      "Node.js: ok",
      "Token: ok",
      "Data folder: ok",
      "Catalog: ok",
      "Ingest: ok",
      "Clock: ok",
      "Deliveries: ok",
      "Callback URL: ok",
    ])
    expect(code).toBe(0)
    expect(await readdir(data)).toEqual(before)
  })

  it("says what to do where nothing is set up, and makes nothing", async () => {
    const { code, stdout } = await runCommand(["doctor", "--data", data])
    expect(code).toBe(1)
    expect(stdout).toMatch(/✗ Token +SLUICE_TOKEN is not set, and .*\n +Start `sluice dev`/)
    expect(stdout).toMatch(/! Data folder +.* does not exist yet\./)
    expect(await readdir(folder)).toEqual([])
  })

  it("tells an ingest of another app from none, and never prints the key", async () => {
    const { url } = await startAll()
    const other = encodeToken({ apiKey: "sk_other-secret", appId: "other", regions: ["local"], ingestUrl: url })
    const refused = await examine([], other)
    expect(refused.of("Ingest")).toMatchObject({ status: "failed", message: expect.stringContaining("refuses") })
    expect(refused.stdout).not.toContain("other-secret")
    const absent = await examine(["--url", "http://127.0.0.1:9"], other)
    expect(absent.of("Ingest")).toMatchObject({
      status: "failed",
      message: expect.stringMatching(/^No ingest answers at http:\/\/127\.0\.0\.1:9: /),
    })
    const stranger = await listen((_request, response) => response.end("hello"))
    expect((await examine(["--url", stranger], other)).of("Ingest")).toMatchObject({
      status: "failed",
      message: `${stranger} answers with 200, as no Sluice ingest does.`,
    })
  })

  it("finds clocks apart", async () => {
    const { token } = await startAll()
    const server = await listen((_request, response) => {
      response.setHeader("date", new Date(Date.now() + 3_600_000).toUTCString())
      response.setHeader("content-type", "application/json").end("[]")
    })
    expect((await examine(["--callback-url", server], token)).of("Clock")).toMatchObject({
      status: "failed",
      message: expect.stringMatching(/^differs by (60 min|1 h) from that of http/),
    })
  })

  it("finds an app that does not take callbacks", async () => {
    const { token } = await startAll()
    const login = await listen((_request, response) => response.writeHead(302, { location: "/login" }).end())
    expect((await examine(["--callback-url", login], token)).of("Callback URL")).toMatchObject({ status: "warning" })
    const gone = createServer().listen(0)
    gone.close()
    expect((await examine(["--callback-url", "http://127.0.0.1:9/"], token)).of("Callback URL")).toMatchObject({
      status: "failed",
    })
  })

  it("finds events that were given up, and asks the app of the newest upload", async () => {
    const open = openData(data)
    await registerFiles(open, ["one"], "http://127.0.0.1:9/api")
    await storeFile(open, "one")
    await attemptDelivery(open, "dead", { status: 500, answer: "no" })
    await open.catalog.close()
    const { code, of } = await examine([])
    expect(code).toBe(1)
    expect(of("Deliveries")).toMatchObject({
      status: "failed",
      message: "1 event was given up.",
      advice: expect.stringContaining("redeliver --dead"),
    })
    expect(of("Callback URL")?.message).toContain("http://127.0.0.1:9/api")
  })

  it("finds a damaged catalog and a token that is none", async () => {
    const open = openData(data)
    await open.catalog.close()
    const { catalog, tokenFile } = describeDataFolder(data)
    const bytes = await readFile(catalog)
    await writeFile(catalog, Buffer.concat([bytes.subarray(0, 8192), Buffer.alloc(8192, 0xff), bytes.subarray(16_384)]))
    await writeFile(tokenFile, "nonsense")
    const { of } = await examine([])
    expect(of("Catalog")).toMatchObject({ status: "failed", message: expect.stringContaining("is damaged") })
    expect(of("Token")).toMatchObject({ status: "failed", message: expect.stringContaining("holds no valid token") })
  })
})
