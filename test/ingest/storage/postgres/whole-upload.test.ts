import type pg from "pg"
import { afterAll, beforeAll, expect, it } from "vitest"
import { toNodeListener } from "../../../../adapters/node/to-node-listener.ts"
import { generateUploader } from "../../../../src/client.ts"
import { createPostgresCatalog } from "../../../../src/postgres.ts"
import { createRouteHandler, createSluice } from "../../../../src/server.ts"
import { startPostgres, type TestPostgres } from "../../../start-postgres.ts"
import { listen, startIngest, token } from "../../circle.ts"

let postgres: TestPostgres
let pool: pg.Pool

beforeAll(async () => {
  postgres = await startPostgres()
  pool = postgres.createPool({ max: 8 })
})

afterAll(async () => {
  await pool.end()
  await postgres.stop()
})

const f = createSluice()
const router = { any: f({ blob: { maxFileCount: 10 } }).onUploadComplete(({ file }) => ({ stored: file.name })) }

it("stores files of any size, calls the app back and hands its result to the page", async () => {
  const ingest = await startIngest({ catalog: createPostgresCatalog({ pool }) })
  const handle = createRouteHandler({ router, token, ingestUrl: ingest.url, isDev: false, logLevel: "None" })
  const app = await listen(toNodeListener(handle))
  const { uploadFiles } = generateUploader<typeof router>({ url: `${app}/api/sluice` })
  const sizes = [0, 1000, 16 * 1024, 16 * 1024 + 1, 300_000]
  const files = sizes.map((size) => new File([new Uint8Array(size).fill(7)], `${size}.bin`))
  const uploaded = await uploadFiles("any", { files })
  expect(uploaded).toMatchObject(sizes.map((size) => ({ status: "done", serverData: { stored: `${size}.bin` } })))
  for (const [index, outcome] of uploaded.entries()) {
    const { key } = outcome as { readonly key: string }
    const upload = await ingest.catalog.get(key)
    const size = sizes[index]!
    expect(upload).toMatchObject({
      file: { status: "Uploaded", size, isInline: size <= 16 * 1024 },
      delivery: { status: "delivered" },
    })
  }
  expect(await ingest.catalog.usage("app-1")).toMatchObject({
    files: sizes.length,
    storedBytes: sizes.reduce((sum, size) => sum + size),
    announcedBytes: 0,
    expectedFiles: 0,
  })
  await ingest.close()
})
