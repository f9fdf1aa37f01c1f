import { setTimeout } from "node:timers/promises"
import type pg from "pg"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { SluiceApi } from "../../../../src/api.ts"
import { toNodeListener } from "../../../../adapters/node/to-node-listener.ts"
import { generateUploader } from "../../../../src/client.ts"
import type { Respond } from "../../../../src/http/answer.ts"
import { createIngest } from "../../../../src/ingest/ingest.ts"
import type { PostgresPool, PostgresQuery } from "../../../../src/ingest/storage/postgres/pool.ts"
import { createS3BlobStore } from "../../../../src/ingest/storage/s3/blob-s3.ts"
import { createPostgresBlobJournal, createPostgresCatalog } from "../../../../src/postgres.ts"
import { createRouteHandler, createSluice } from "../../../../src/server.ts"
import { startPostgres, type TestPostgres } from "../../../start-postgres.ts"
import { eventually, listen, token } from "../../circle.ts"
import { type Double, startDouble } from "../s3/start-double.ts"

let postgres: TestPostgres
let double: Double
let pool: pg.Pool

beforeAll(async () => {
  ;[postgres, double] = await Promise.all([startPostgres(), startDouble()])
  pool = postgres.createPool({ max: 8 })
})

afterAll(async () => {
  await pool.end()
  await Promise.all([postgres.stop(), double.close()])
})

/** A pool that tells of each statement, those that begin and end transactions too. */
const watch = (pool: pg.Pool, tell: (text: string) => void): PostgresPool => {
  const told = (of: Pick<pg.Pool, "query"> | Pick<pg.PoolClient, "query">) => (query: PostgresQuery) => {
    tell(query.text)
    return of.query(query as pg.QueryConfig)
  }
  return {
    query: told(pool),
    connect: async () => {
      const client = await pool.connect()
      return { query: told(client), release: (isBroken) => client.release(isBroken) }
    },
    options: { max: 8 },
  }
}

/** What an ingest asks from time to time, however many files come: of its apps, what is due, and whom to tell. */
const isAskedAnyway = (text: string): boolean =>
  /apps_revision|\.app_keys|\.apps ORDER|\.endpoints|^\s*WITH RECURSIVE owed|^\s*SELECT min\(at\)|\.look\(|\.lead\(/.test(
    text,
  )

/** `commit`, where the function of that name is called; otherwise how the statement begins. */
const toName = (text: string): string =>
  /"\.(\w+)\(\$1/.exec(text)?.[1] ?? text.trim().replaceAll(/\s+/g, " ").slice(0, 80)

const f = createSluice()
const router = {
  any: f({ blob: { maxFileSize: "1GB", maxFileCount: 100 } }).onUploadComplete(({ file }) => ({ stored: file.name })),
  mine: f({ blob: {} })
    .file(() => ({ owner: "ada", path: "notes/one" }))
    .onUploadComplete(({ file }) => ({ stored: file.name })),
}

/** An ingest that has been at work for a while, and an app. What PostgreSQL is told of files that a page uploads, in order. */
const start = async (route: keyof typeof router = "any") => {
  let told: Array<string> = []
  const watched = watch(pool, (text) => void told.push(text))
  let respond: Respond = async () => ({ status: 503, headers: {}, body: null })
  const url = await listen(toNodeListener({ respond: (request) => respond(request) }))
  const hour = 3_600_000
  const journal = createPostgresBlobJournal({ pool: watched })
  const ingest = createIngest(
    {
      token,
      url,
      logLevel: "None",
      callbackNetworks: "any",
      store: createS3BlobStore({ ...double.settings, journal, prefix: "files/" }),
      catalog: createPostgresCatalog({ pool: watched }),
      sweepInterval: hour,
    },
    { lease: 2 * hour, beat: hour, look: hour, cutOff: hour },
  )
  onTestFinished(ingest.close)
  respond = ingest.fetch.respond
  const handle = createRouteHandler({ router, token, ingestUrl: url, isDev: false, logLevel: "None" })
  const app = await listen(toNodeListener(handle))
  const send = async (sizes: ReadonlyArray<number>): Promise<void> => {
    const { uploadFiles } = generateUploader<typeof router>({ url: `${app}/api/sluice`, concurrency: sizes.length })
    const files = sizes.map((size, index) => new File([new Uint8Array(size).fill(97)], `${index}.bin`))
    const uploaded = await uploadFiles(route, { files })
    expect(uploaded).toMatchObject(files.map(({ name }) => ({ status: "done", serverData: { stored: name } })))
  }
  // The app's first actions are registered by requests, until it knows that its ingest opens seals.
  await send([1])
  await send([1])
  const settle = () =>
    eventually(async () => {
      const before = told.length
      await setTimeout(300)
      return told.slice(before).every(isAskedAnyway)
    })
  // The ingest tidies up once when it starts.
  await settle()
  const upload = async (...sizes: ReadonlyArray<number>): Promise<ReadonlyArray<string>> => {
    told = []
    const list = () => told.filter((text) => !isAskedAnyway(text)).map(toName)
    await send(sizes)
    // What the journal had of a file that has ended is removed after the answer.
    await eventually(() => list().includes("forget_blob") || !list().includes("claim_blob"))
    return list()
  }
  return { upload, settle, api: new SluiceApi({ token, ingestUrl: url, logLevel: "None" }) }
}

describe("an upload, its callback and its result are on PostgreSQL", () => {
  it("two statements for a small file", async () => {
    const { upload } = await start()
    expect(await upload(1000)).toEqual(["commit_whole", "record_attempt"])
  })

  it("two for a small file of an owner, also once files of that owner were deleted", async () => {
    const { upload, settle, api } = await start("mine")
    for (const selection of [{ owner: "ada", prefix: "notes/" }, { owner: "ada" }]) {
      await api.deleteFiles(selection)
      await eventually(async () => (await api.listDeletions()).every(({ doneAt }) => doneAt !== null))
      await settle()
      expect(await upload(1000)).toEqual(["commit_whole", "record_attempt"])
    }
  })

  it("three for a file that is one object", async () => {
    const { upload } = await start()
    expect(await upload(100_000)).toEqual(["begin_new", "commit", "record_attempt"])
  })

  it("fewer for each of many at once, as they share them", async () => {
    const { upload } = await start()
    const told = await upload(...Array.from({ length: 40 }, () => 1000))
    expect(told.length).toBeLessThan(2 * 40)
    expect([...new Set(told)].toSorted().join()).toBe("commit_whole,record_attempt")
  })

  it("those of the journal beside, for a file of many parts, one for several parts where they come fast", async () => {
    const { upload } = await start()
    // Before one of more than 50 MB its client asks whether it is taken.
    const told = await upload(45 * 1024 * 1024)
    // The multipart upload, its parts, and that they become one object.
    const writes = told.filter((name) => name === "change_blob").length
    expect(writes).toBeLessThanOrEqual(2 + 8)
    expect(told.filter((name) => name !== "change_blob")).toEqual([
      "begin_new",
      "claim_blob",
      "forget_blob",
      "commit",
      "record_attempt",
    ])
  })
})
