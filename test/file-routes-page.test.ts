import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { createClient } from "@libsql/client"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { envName } from "../src/protocol.ts"
import { createSluice, extractRouteConfig, type FileRouter } from "../src/server.ts"
import { readBlocks } from "./code-blocks.ts"
import { type ImportedBlocks, writeBlocks } from "./import-blocks.ts"
import { membersOf } from "./members-of.ts"
import { handlerOf, png, presigned, refused, uploadRequest } from "./route/call-app.ts"
import { useConsoleLines } from "./route/console-lines.ts"
import { useMockIngest } from "./route/mock-ingest.ts"
import { callbackEvent, hookRequest, storedFile } from "./route/signed-event.ts"

const markdown = await readFile(join(import.meta.dirname, "../docs/file-routes.md"), "utf8")

/** Rows of the table that stands below a comment with its name, cell by cell. */
const rowsOf = (name: string): ReadonlyArray<ReadonlyArray<string>> => {
  const [, rest = ""] = markdown.split(`<!-- options: ${name} -->\n\n`)
  const [table = ""] = rest.split("\n\n")
  return table
    .split("\n")
    .slice(2)
    .map((row) =>
      row
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}

const namesIn = (cell: string): ReadonlyArray<string> => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name!)

const declaredIn = {
  FileLimitsInput: "src/protocol/files/route-config.ts",
  RouteOptions: "src/route/builder/file-route.ts",
  SluiceOptions: "src/route/builder/file-route.ts",
  MiddlewareArguments: "src/route/builder/user-code-arguments.ts",
  FileDecision: "src/route/builder/user-code-arguments.ts",
  Delivery: "src/route/builder/user-code-arguments.ts",
  StoredFile: "src/protocol/messages.ts",
  RouteHandlerOptions: "src/route/handler.ts",
}

const argumentsOf = {
  FileArguments: "src/route/builder/user-code-arguments.ts",
  UploadErrorArguments: "src/route/builder/user-code-arguments.ts",
  UploadCompleteArguments: "src/route/builder/user-code-arguments.ts",
}

describe("the page of file routes", () => {
  const members = membersOf({ ...declaredIn, ...argumentsOf })

  it("has a table of each, and no other", () => {
    const named = [...markdown.matchAll(/<!-- options: (\w+) -->/g)].map(([, name]) => name!)
    expect(named.toSorted()).toEqual(Object.keys(declaredIn).toSorted())
  })

  it.each(Object.keys(declaredIn))("lists all that %s has, and nothing it has not", (name) => {
    const listed = rowsOf(name).flatMap(([first]) => namesIn(first!))
    expect(listed.toSorted()).toEqual(members.get(name)!.toSorted())
  })

  it.each([
    [".middleware", "MiddlewareArguments"],
    [".file", "FileArguments"],
    [".onUploadError", "UploadErrorArguments"],
    [".onUploadComplete", "UploadCompleteArguments"],
  ])("says of %s what it receives", (step, name) => {
    const row = markdown.split("\n").find((line) => line.startsWith(`| \`${step}\``))
    expect(namesIn(row!.split("|")[3]!).toSorted()).toEqual(members.get(name)!.toSorted())
  })

  it("names the variable of each option that has one", () => {
    const codeOnly = new Set(["router", "waitUntil", "fetch"])
    for (const [option, variable] of rowsOf("RouteHandlerOptions")) {
      const [name = ""] = namesIn(option!)
      expect(variable, name).toBe(codeOnly.has(name) ? "" : `\`${envName(name)}\``)
    }
  })

  it("has the sizes that count where a route says none", () => {
    const [, sizes = ""] = rowsOf("FileLimitsInput").find(([name]) => name === "`maxFileSize`")!
    const kinds = ["image", "video", "audio", "pdf", "text", "blob"] as const
    const router = { a: createSluice()(kinds).onUploadComplete(() => null) }
    const [route] = extractRouteConfig(router)
    expect(sizes).toBe(
      kinds.map((kind) => `${kind === "blob" ? "others" : kind} ${route!.config[kind]!.maxFileSize}`).join(", "),
    )
  })
})

describe("its examples", () => {
  const ingest = useMockIngest()
  useConsoleLines()
  let app: ImportedBlocks
  let router: FileRouter
  let database: ReturnType<typeof createClient>

  beforeAll(async () => {
    app = await writeBlocks(readBlocks(markdown))
    process.env["DATABASE_URL"] = `file:${join(app.folder, "app.db")}`
    router = (await app.load("documents.ts"))["router"] as FileRouter
    database = createClient({ url: process.env["DATABASE_URL"] })
    await database.batch([
      "CREATE TABLE documents (delivery_id TEXT PRIMARY KEY, owner_id TEXT NOT NULL, file_key TEXT NOT NULL, name TEXT NOT NULL, size INTEGER NOT NULL)",
      "CREATE TABLE accounts (user_id TEXT PRIMARY KEY, stored_bytes INTEGER NOT NULL)",
      "INSERT INTO accounts VALUES ('ada', 0)",
    ])
  })
  afterAll(async () => {
    delete process.env["DATABASE_URL"]
    database.close()
    await app.remove()
  })

  const deliver = (id: string, attempt: number) =>
    handlerOf(router)(
      hookRequest(callbackEvent({ id, attempt, slug: "document", metadata: { userId: "ada" } }), { slug: "document" }),
    )
  const stored = async () => {
    const { rows } = await database.execute(
      "SELECT stored_bytes, (SELECT count(*) FROM documents) AS files FROM accounts",
    )
    return [rows[0]!["stored_bytes"], rows[0]!["files"]]
  }

  it("do the work of an event once, however often it comes, and answer each time", async () => {
    const [first, again] = [await deliver("evt_a", 1), await deliver("evt_a", 2)]
    expect([first.status, again.status]).toEqual([200, 200])
    expect(await stored()).toEqual([storedFile.size, 1])
    expect(ingest.results.map(({ text }) => JSON.parse(text).callbackData)).toEqual([
      { key: storedFile.key },
      { key: storedFile.key },
    ])
    await deliver("evt_b", 1)
    expect(await stored()).toEqual([2 * storedFile.size, 2])
  })

  it("keep nothing of an event whose work broke off, and do it when it comes again", async () => {
    const before = await stored()
    await database.execute(
      "CREATE TRIGGER broken BEFORE UPDATE ON accounts BEGIN SELECT RAISE(ABORT, 'on purpose'); END",
    )
    expect((await deliver("evt_c", 1)).status).toBe(500)
    expect(await stored()).toEqual(before)
    await database.execute("DROP TRIGGER broken")
    expect((await deliver("evt_c", 2)).status).toBe(200)
    expect(await stored()).not.toEqual(before)
  })

  it("refuse with the words and data that the page shows", async () => {
    const handle = handlerOf((await app.load("refusals.ts"))["router"] as FileRouter)
    const files = [{ name: "invoice.doc", size: 1, type: "application/pdf" }]
    const stranger = await refused(await handle(uploadRequest("invoices", { files })), "FORBIDDEN", 403)
    expect(stranger.detail).toBe("Sign in first.")
    const headers = { "content-type": "application/json", "x-user-id": "ada" }
    const user = await refused(await handle(uploadRequest("invoices", { files }, { headers })), "BAD_REQUEST", 400)
    expect(user).toMatchObject({ detail: expect.stringContaining("Rename the file"), data: { field: "name" } })
  })

  it("take files of every kind named, and give errors the data of the formatter", async () => {
    const kinds = handlerOf((await app.load("kinds.ts"))["router"] as FileRouter)
    const zip = { name: "a.zip", size: 2 ** 30, type: "application/zip" }
    await presigned(await kinds(uploadRequest("scans", { files: [zip, png] })))
    await presigned(await kinds(uploadRequest("anything", { files: [{ ...zip, size: 8 * 2 ** 20 }] })))
    const formatted = handlerOf((await app.load("formatted.ts"))["router"] as FileRouter)
    const problem = await refused(
      await formatted(uploadRequest("avatar", { files: [png], input: { alt: "" } })),
      "INVALID_INPUT",
      400,
    )
    expect(problem.data).toMatchObject({ fields: ["Describe the picture."] })
  })
})
