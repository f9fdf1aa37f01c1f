import { once } from "node:events"
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { DatabaseSync } from "node:sqlite"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Worker } from "node:worker_threads"
import { describe, expect, it, onTestFinished, test } from "vitest"
import { testCatalog } from "../../../../src/conformance.ts"
import { checkSqliteCatalog, createSqliteCatalog, readSqliteCatalog } from "../../../../src/ingest.ts"
import { meantFiles, oldestDeletion } from "../../../../src/ingest/storage/sql/deletions.ts"
import { byCustomId, byFileKey, nextDeadline, toClaim, toRemove } from "../../../../src/ingest/storage/sql/files.ts"
import { claimable, claimed } from "../../../../src/ingest/storage/sqlite/files.ts"
import {
  edgeOfFiles,
  edgeOfPaths,
  listDeliveries,
  listFiles,
  listFilesByPath,
  listFilesOfApp,
} from "../../../../src/ingest/storage/sql/history.ts"
import {
  dueOfEndpoint,
  endpointsWithDue,
  listEvents,
  nextEventAt,
  pruneOrphans,
} from "../../../../src/ingest/storage/sql/endpoints.ts"
import { isMeant } from "../../../../src/ingest/storage/sql/is-meant.ts"
import { selectRegistration } from "../../../../src/ingest/storage/sql/rows.ts"
import { migrations } from "../../../../src/ingest/storage/sqlite/schema.ts"
import {
  appsWithDue,
  dueOfApp,
  fileByPath,
  nextDueAt,
  selectReclaimable,
} from "../../../../src/ingest/storage/sql/statements.ts"
import { skipLacking } from "../../../skip-lacking.ts"
import { makeFolder } from "../../../make-folder.ts"
import { breakCatalog } from "../break-catalog.ts"

let folder: string

const acme = { id: "acme", name: null, defaultAcl: null, quota: null, callbackOrigins: null, createdAt: 1 }

/** What is no history of files: one row for each app, and counters. */
const standing: ReadonlySet<string> = new Set(["usage", "apps_revision", "sqlite_sequence"])

/** Of every table there is, but those. */
const countRows = (file: string): Readonly<Record<string, number>> => {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()
    const names = tables.map(({ name }) => String(name)).filter((name) => !standing.has(name))
    const count = (name: string) => database.prepare(`SELECT count(*) AS rows FROM "${name}"`).get()!.rows as number
    return Object.fromEntries(names.map((name) => [name, count(name)]))
  } finally {
    database.close()
  }
}

testCatalog({ describe, test }, "SQLite", {
  create: async () => {
    folder = await mkdtemp(join(tmpdir(), "sluice-catalog-"))
    return createSqliteCatalog({ file: join(folder, "data", "catalog.sqlite") })
  },
  reopen: async () => createSqliteCatalog({ file: join(folder, "data", "catalog.sqlite") }),
  breakDown: () => breakCatalog(join(folder, "data", "catalog.sqlite")),
  cleanUp: () => rm(folder, { recursive: true }),
  count: () => countRows(join(folder, "data", "catalog.sqlite")),
})

it("refuses a catalog of a newer version instead of guessing", async () => {
  const path = await makeFolder()
  const file = join(path, "catalog.sqlite")
  await createSqliteCatalog({ file }).close()
  const database = new DatabaseSync(file)
  database.exec("PRAGMA user_version = 1000")
  database.close()
  expect(() => createSqliteCatalog({ file })).toThrow(/newer than this package/)
})

it("is closed to other users once it holds a key", async (test) => {
  if (process.platform === "win32") return skipLacking(test, "Windows has no file modes.")
  const path = await makeFolder()
  const file = join(path, "catalog.sqlite")
  const catalog = createSqliteCatalog({ file })
  await catalog.createApp(acme)
  await catalog.addKey({ appId: "acme", apiKey: "sk_secret", now: 1 })
  for (const part of await readdir(path)) expect([part, (await stat(join(path, part))).mode & 0o077]).toEqual([part, 0])
  await catalog.close()
})

it("forgets the secret of a revoked key, in the file too", async () => {
  const path = await makeFolder()
  const file = join(path, "catalog.sqlite")
  const catalog = createSqliteCatalog({ file })
  await catalog.createApp(acme)
  await catalog.addKey({ appId: "acme", apiKey: "sk_verysecretindeed", now: 1 })
  const [app] = await catalog.listApps()
  await catalog.revokeKey({ appId: "acme", id: app!.keys[0]!.id, now: 2 })
  await catalog.close()
  expect((await readFile(file)).includes("sk_verysecretindeed")).toBe(false)
})

it("reads through an index wherever it is asked often", async () => {
  const path = await makeFolder()
  const file = join(path, "catalog.sqlite")
  await createSqliteCatalog({ file }).close()
  const database = new DatabaseSync(file)
  onTestFinished(() => database.close())
  const plan = (sql: string) =>
    database
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map((row) => String(row.detail))
      .join("; ")
  for (const sql of [
    "SELECT * FROM files WHERE key = 'k' AND is_current = 1",
    dueOfApp,
    "SELECT id FROM files WHERE status = 'Uploading' AND expires < 1 ORDER BY expires LIMIT 1",
    "SELECT id FROM files WHERE status = 'Uploaded' AND slug IS NOT NULL AND registration_id IS NULL AND uploaded_at < 1",
    selectReclaimable,
    "SELECT 1 FROM deliveries WHERE status = 'pending' LIMIT 10",
    "SELECT 1 FROM deliveries WHERE status = 'dead' LIMIT 10",
    listFiles(),
    ...["Uploading", "Pending", "Uploaded", "Deleting", "Failed"].map(listFiles),
    ...[undefined, "Uploading", "Uploaded", "Deleting", "Failed"].map((status) =>
      listFilesOfApp(status, "all", "lazily"),
    ),
    `SELECT id FROM files WHERE ${byFileKey} AND status <> 'Deleting'`,
    `SELECT id FROM files WHERE ${byCustomId} AND status <> 'Deleting'`,
    listDeliveries(),
    ...["pending", "delivered", "dead"].map(listDeliveries),
    "SELECT id FROM files WHERE status = 'Failed' AND has_bytes = 0 AND expires < 1 LIMIT 1",
    "SELECT delivery_id FROM attempts WHERE started_at < 1 ORDER BY started_at LIMIT 1",
    "SELECT key FROM expected_files WHERE expires < 1 LIMIT 1",
    "SELECT id FROM files WHERE key = 'k' AND is_current = 0 AND app_id = 'a' AND wire_id = 'w' ORDER BY id DESC LIMIT 1",
    selectRegistration,
    nextDeadline,
    oldestDeletion,
    ...(["owner", "prefix", "both"] as const).flatMap((by) =>
      meantFiles(by).map((where) => `SELECT id FROM files WHERE ${where}`),
    ),
    `SELECT ${isMeant("f")} FROM files f WHERE f.key = 'k' AND f.is_current = 1`,
  ]) {
    expect(plan(sql), sql).toMatch(/USING (COVERING )?INDEX|USING INTEGER PRIMARY KEY/)
    expect(plan(sql), sql).not.toMatch(/SCAN \w+\b(?! USING)/)
  }
  expect(plan(selectReclaimable)).not.toContain("TEMP B-TREE")
  // An app with a million events waiting is passed by in one step: each look is a search by app, and never a scan.
  for (const sql of [appsWithDue, nextDueAt]) {
    expect(plan(sql)).toContain("COVERING INDEX deliveries_due (is_dev=? AND app_id>?)")
    expect(plan(sql)).not.toMatch(/SCAN d\b/)
  }
  expect(plan(appsWithDue)).toContain("INDEX deliveries_due (is_dev=? AND app_id=?)")
  expect(plan(nextDueAt)).toContain("INDEX deliveries_due (is_dev=? AND app_id=? AND next_at>?)")
  expect(plan(dueOfApp)).toContain("INDEX deliveries_due (is_dev=? AND app_id=? AND next_at<?)")
  expect(plan(dueOfApp)).not.toContain("TEMP B-TREE")
  // So is an endpoint.
  for (const sql of [endpointsWithDue, nextEventAt]) {
    expect(plan(sql)).toContain("INDEX endpoint_events_due (endpoint_id>?)")
    expect(plan(sql)).not.toMatch(/SCAN v\b|endpoint_events_by_status/)
  }
  expect(plan(dueOfEndpoint)).toContain("INDEX endpoint_events_due (endpoint_id=? AND next_at<?)")
  expect(plan(dueOfEndpoint)).not.toContain("TEMP B-TREE")
  expect(plan(pruneOrphans)).toContain("INDEX endpoint_events_of_endpoint (endpoint_id>?)")
  for (const hasStatus of [false, true]) {
    expect(plan(listEvents(false, hasStatus))).not.toContain("TEMP B-TREE")
    const page = plan(listEvents(true, hasStatus).replace(/ORDER BY number DESC$/, ""))
    expect(page).toContain("INDEX endpoint_events_of_endpoint (endpoint_id=? AND status=? AND number<?)")
    expect(page).not.toContain("TEMP B-TREE")
  }
  // What is under way is few among many.
  expect(plan(listFiles("Uploading"))).toContain("USING INDEX files_unfinished")
  expect(plan(listDeliveries("pending"))).toContain("INDEX deliveries_due")
  // An app's page is read in order, wherever it begins: nothing is sorted but the page itself.
  for (const status of [undefined, "Uploaded", "Failed"]) {
    const page = plan(listFilesOfApp(status, "all", "lazily").replace(/ORDER BY f\.id DESC$/, ""))
    expect(page).toContain("INDEX files_of_app (app_id=? AND is_current=? AND state=? AND rowid>? AND rowid<?)")
    expect(page).not.toContain("TEMP B-TREE")
  }
  for (const status of [undefined, "Uploaded", "Pending"]) {
    const ofOwner = plan(listFilesOfApp(status, "owner", "lazily").replace(/ORDER BY f\.id DESC$/, ""))
    expect(ofOwner).toContain("INDEX files_of_owner (app_id=? AND owner=? AND state=? AND rowid>? AND rowid<?)")
    expect(ofOwner).not.toContain("TEMP B-TREE")
    // Where a step ends is read in the order of the index, too.
    for (const whose of ["all", "owner"] as const) {
      const edges = [
        edgeOfFiles(status, whose, "lazily"),
        edgeOfPaths(status, whose, "first", "lazily"),
        edgeOfPaths(status, whose, "next", "lazily"),
      ]
      for (const edge of edges.map(plan)) {
        expect(edge).toContain("INDEX files_")
        expect(edge).not.toMatch(/TEMP B-TREE|SCAN/)
      }
    }
    for (const [whose, index] of [
      ["all", "files_by_path (app_id=? AND state=? AND path"],
      ["owner", "files_of_owner_by_path (app_id=? AND owner=? AND state=? AND path"],
    ] as const) {
      const planOf = (place: "first" | "next") =>
        plan(listFilesByPath(status, whose, place, "lazily").replace(/ORDER BY f\.path, f\.id$/, ""))
      expect(planOf("first")).toContain(`INDEX ${index}>? AND path<?)`)
      // The files of one path are passed by in a single step as well.
      expect(planOf("next")).toContain(`INDEX ${index}=? AND rowid>?)`)
      expect(planOf("next")).toContain(`INDEX ${index}>? AND path<?)`)
      for (const place of ["first", "next"] as const) expect(planOf(place)).not.toContain("TEMP B-TREE")
    }
  }
  for (const [sql, index] of [
    [toRemove, "files_to_remove (remove_at<?)"],
    [toClaim, "files_to_claim (claim_by<?)"],
  ] as const) {
    expect(plan(sql)).toContain(`INDEX ${index}`)
    expect(plan(sql)).not.toContain("TEMP B-TREE")
  }
  // A file is found by its path in one step, the newest first.
  for (const [whose, index] of [
    ["all", "files_by_path (app_id=? AND state=? AND path=?)"],
    ["owner", "files_of_owner_by_path (app_id=? AND owner=? AND state=? AND path=?)"],
  ] as const) {
    expect(plan(fileByPath(whose))).toContain(`SEARCH f USING INDEX ${index}`)
    expect(plan(fileByPath(whose))).not.toMatch(/TEMP B-TREE|SCAN/)
  }
  expect(plan(claimable)).toContain("SEARCH f USING INDEX files_by_key (key=?)")
  expect(plan(claimed)).toContain("SEARCH files USING INTEGER PRIMARY KEY (rowid=?)")
  expect(plan(`DELETE FROM files WHERE ${byFileKey}`)).toContain("INDEX files_by_key (key=?)")
  expect(plan(`DELETE FROM files WHERE ${byCustomId}`)).toContain("INDEX files_by_custom_id (app_id=? AND custom_id=?)")
})

it("is found sound while it is open, and damaged when pages are overwritten", async () => {
  const path = await makeFolder()
  const file = join(path, "catalog.sqlite")
  const catalog = createSqliteCatalog({ file })
  expect(checkSqliteCatalog({ file })).toEqual([])
  await catalog.close()
  expect(checkSqliteCatalog({ file })).toEqual([])
  const bytes = await readFile(file)
  await writeFile(file, Buffer.concat([bytes.subarray(0, 8192), Buffer.alloc(8192, 0xff), bytes.subarray(16_384)]))
  expect(checkSqliteCatalog({ file }).length).toBeGreaterThan(0)
})

it("is made once when many open it for the first time at the same moment", async () => {
  const path = await makeFolder()
  const door = new URL("../../../../src/ingest.ts", import.meta.url).href
  const source = `
    const { createSqliteCatalog } = await import(${JSON.stringify(door)})
    const { parentPort, workerData } = process.getBuiltinModule("node:worker_threads")
    parentPort.postMessage("ready")
    Atomics.wait(workerData.gate, 0, 0)
    await createSqliteCatalog({ file: workerData.file }).close()
    parentPort.postMessage("opened")`
  const script = new URL(`data:text/javascript,${encodeURIComponent(source)}`)
  const workerData = { file: join(path, "catalog.sqlite"), gate: new Int32Array(new SharedArrayBuffer(4)) }
  const workers = Array.from({ length: 8 }, () => new Worker(script, { workerData }))
  onTestFinished(() => Promise.all(workers.map((worker) => worker.terminate())).then(() => {}))
  await Promise.all(workers.map((worker) => once(worker, "message")))
  const opened = workers.map((worker) => once(worker, "message"))
  Atomics.store(workerData.gate, 0, 1)
  Atomics.notify(workerData.gate, 0)
  expect((await Promise.all(opened)).flat()).toEqual(workers.map(() => "opened"))
})

it("counts the files of a catalog from before it kept their usage", async () => {
  const path = await makeFolder()
  const file = join(path, "catalog.sqlite")
  const database = new DatabaseSync(file)
  database.exec(migrations[0]!)
  const insert = database.prepare(`
    INSERT INTO files (key, app_id, status, name, size, type, origin, expires, epoch, created_at, is_current)
    VALUES (?, ?, ?, 'a', ?, 't', 'o', 1, 1, 1, ?)`)
  insert.run("a", "app", "Uploaded", 5, 1)
  insert.run("b", "app", "Uploaded", 6, 1)
  insert.run("c", "app", "Uploading", 7, 1)
  insert.run("c", "app", "Failed", 8, 0)
  insert.run("d", "app", "Deleting", 9, 1)
  insert.run("e", "other", "Uploaded", 10, 1)
  database.exec("PRAGMA user_version = 1")
  database.close()
  const catalog = createSqliteCatalog({ file })
  onTestFinished(() => catalog.close())
  expect(await catalog.usage("app")).toMatchObject({ files: 2, storedBytes: 11, announcedBytes: 7 })
  expect(await catalog.usage("other")).toMatchObject({ files: 1, storedBytes: 10, announcedBytes: 0 })
})

it("keeps the usage also when somebody changes files by hand", async () => {
  const path = await makeFolder()
  const file = join(path, "catalog.sqlite")
  const catalog = createSqliteCatalog({ file })
  onTestFinished(() => catalog.close())
  for (const [key, size] of [
    ["a", 5],
    ["b", 6],
    ["c", 7],
  ] as const) {
    const grant = { key, appId: "app", expires: 1, name: "n", size, type: "t" }
    await catalog.begin({ grant, origin: "o", now: 1 })
  }
  const database = new DatabaseSync(file)
  onTestFinished(() => database.close())
  database.exec(
    "UPDATE files SET status = 'Uploaded' WHERE key IN ('a', 'b'); DELETE FROM files WHERE key IN ('a', 'c')",
  )
  expect(await catalog.usage("app")).toMatchObject({ files: 1, storedBytes: 6, announcedBytes: 0 })
})

it("leaves no row behind of a deleted file, whatever hung on it", async () => {
  const path = await makeFolder()
  const file = join(path, "catalog.sqlite")
  const catalog = createSqliteCatalog({ file })
  onTestFinished(() => catalog.close())
  let events = 0
  const createEventId = () => `evt_${++events}`
  const begin = (key: string, expires = 10) =>
    catalog.begin({
      grant: { key, appId: "app", expires, name: "n", size: 5, type: "t", slug: "s" },
      origin: "o",
      now: 1,
    })
  const register = (fileKeys: ReadonlyArray<string>) =>
    catalog.register({
      appId: "app",
      fileKeys,
      metadata: "{}",
      callbackUrl: "http://app.example/",
      callbackSlug: "s",
      awaitServerData: false,
      isDev: false,
      trace: null,
      now: 1,
      createEventId,
    })
  const keys = ["expected", "uploaded", "tried", "failed"]
  await register(keys)
  for (const key of keys) await begin(key)
  const commit = { epoch: 1, fileHash: "", blobRef: null, now: 2 }
  await catalog.commit({ ...commit, key: "uploaded", eventId: createEventId(), claimedUntil: null })
  const tried = await catalog.commit({ ...commit, key: "tried", eventId: createEventId(), claimedUntil: 9 })
  if (tried.kind !== "committed") throw new Error(tried.kind)
  await catalog.recordAttempt({
    deliveryId: tried.due!.id,
    attempt: 1,
    startedAt: 3,
    latency: 1,
    status: 500,
    error: "no",
    answer: null,
    outcome: { retryAt: 9 },
  })
  const failure = { code: "CONTENT_MISMATCH", message: "No." } as const
  await catalog.fail({ key: "failed", epoch: 1, failure, now: 2, eventId: createEventId() })
  // For the upload that would have taken the failed one's key.
  await register(["failed"])
  const files = keys.map((fileKey) => ({ fileKey }))
  expect(await catalog.deleteFiles({ appId: "app", files, now: 4 })).toHaveLength(4)
  for (const blob of await catalog.listReclaimable(9)) await catalog.reclaimed(blob)
  const database = new DatabaseSync(file)
  onTestFinished(() => database.close())
  for (const table of ["files", "contents", "registrations", "expected_files", "deliveries", "attempts"]) {
    expect(database.prepare(`SELECT count(*) AS rows FROM ${table}`).get(), table).toEqual({ rows: 0 })
  }
})

it("overwrites the bytes of deleted files while it is open, however large it is", { timeout: 30_000 }, async () => {
  const path = await makeFolder()
  const file = join(path, "catalog.sqlite")
  const catalog = createSqliteCatalog({ file })
  onTestFinished(() => catalog.close())
  const keys = Array.from({ length: 400 }, (_, index) => `k${index}`)
  const markOf = (key: string) => `<${key}>`
  await Promise.all(
    keys.map((key) => {
      const grant = { key, appId: "app", expires: 10, name: "n", size: 60_000, type: "t" }
      const bytes = Buffer.from(markOf(key).padStart(60_000, "."))
      const notes = { fileHash: "", now: 1, eventId: key, claimedUntil: null }
      return catalog.commitWhole({ grant, origin: "o", bytes, ...notes })
    }),
  )
  const deleted = keys.filter((_, index) => index % 4 === 0)
  await catalog.deleteFiles({ appId: "app", files: deleted.map((fileKey) => ({ fileKey })), now: 2 })
  await Promise.all((await catalog.listReclaimable(400)).map((blob) => catalog.reclaimed(blob)))
  while (await catalog.compact());
  const texts = await Promise.all(
    (await readdir(path)).map(async (name) => (await readFile(join(path, name))).toString("latin1")),
  )
  const found = keys.filter((key) => texts.some((text) => text.includes(markOf(key))))
  expect(found).toEqual(keys.filter((key) => !deleted.includes(key)))
})

it.each([2, 15])("reads the stored files of a catalog of schema %i, as a backup of before is read", async (version) => {
  const file = join(await makeFolder(), "catalog.sqlite")
  const database = new DatabaseSync(file)
  for (const step of migrations.slice(0, version)) database.exec(step)
  database.exec(`
    PRAGMA user_version = ${version};
    INSERT INTO files (key, app_id, status, name, size, type, slug, origin, expires, epoch, created_at)
      VALUES ('stored', 'app', 'Uploaded', 'n', 5, 't', 's', 'o', 10, 1, 1);`)
  database.close()
  const reader = readSqliteCatalog({ file })
  expect(reader.listStored(10)).toMatchObject([{ key: "stored", isInline: false, blobRef: null }])
  reader.close()
})

it("keeps what an older version expected, and drops the registrations it had left behind", async () => {
  const path = await makeFolder()
  const file = join(path, "catalog.sqlite")
  const database = new DatabaseSync(file)
  const before = migrations.findIndex((step) => step.includes("wire_id"))
  for (const step of migrations.slice(0, before)) database.exec(step)
  const registration = database.prepare(`
    INSERT INTO registrations (app_id, metadata, callback_url, callback_slug, await_server_data, is_dev, registered_at)
    VALUES ('app', ?, 'http://app.example/', 's', 1, 0, 1000)`)
  for (const metadata of ['"left behind"', '"expected"', '"stored"']) registration.run(metadata)
  database.exec(`
    INSERT INTO expected_files (key, registration_id, registered_at) VALUES ('begun', 2, 1000), ('never', 2, 1000);
    INSERT INTO files (key, app_id, name, size, type, slug, origin, expires, epoch, created_at)
      VALUES ('begun', 'app', 'n', 5, 't', 's', 'o', 10, 1, 1);
    INSERT INTO files (key, app_id, status, name, size, type, slug, origin, expires, epoch, created_at, registration_id)
      VALUES ('stored', 'app', 'Uploaded', 'n', 5, 't', 's', 'o', 10, 1, 1, 3);
    PRAGMA user_version = ${before}`)
  database.close()
  const catalog = createSqliteCatalog({ file })
  onTestFinished(() => catalog.close())
  const grant = { key: "begun", appId: "app", expires: 10, name: "n", size: 5, type: "t", slug: "s" }
  expect(await catalog.begin({ grant: { ...grant, registrationId: "x" }, origin: "o", now: 2 })).toMatchObject({
    isNew: true,
  })
  await catalog.deleteFiles({ appId: "app", files: [{ fileKey: "begun" }], now: 3 })
  for (const blob of await catalog.listReclaimable(9)) await catalog.reclaimed(blob)
  expect((await catalog.findRegistration({ appId: "app", key: "never" }))?.metadata).toBe('"expected"')
  expect(await catalog.findRegistration({ appId: "app", key: "begun" })).toBeNull()
  expect((await catalog.get("stored"))?.registration?.metadata).toBe('"stored"')
  expect(countRows(file)).toMatchObject({ registrations: 2, expected_files: 1, tombstones: 1 })
})
