/*
 * One of several ingests over the same PostgreSQL and bucket, as one process, to be killed. Its one argument is JSON. Prints
 * its port when it listens; SIGTERM stops it cleanly.
 */
import { shiftClock } from "./shift-clock.ts"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import pg from "pg"
import { toNodeListener } from "../../adapters/node.ts"
import type { IngestOptions } from "../../src/ingest.ts"
import { createIngest } from "../../src/ingest/ingest.ts"
import type { ProcessTimes } from "../../src/ingest/processes/membership.ts"
import { createS3BlobStore } from "../../src/ingest/storage/s3/blob-s3.ts"
import type { S3Settings } from "../../src/ingest/storage/s3/client/s3-settings.ts"
import { createPostgresBlobJournal, createPostgresCatalog } from "../../src/postgres.ts"

/** What one of several ingests is told. */
export interface ScaleServerOptions extends Omit<IngestOptions, "store" | "catalog" | "fetch"> {
  /** Where it reaches the database. */
  readonly databaseUrl: string
  readonly schema: string
  /** Of its membership, where they are others than those of an ingest. */
  readonly times?: ProcessTimes | undefined
  /** How far its clock is ahead when it starts, ms; a message `{ shift }` changes it. */
  readonly shift?: number
  readonly folder: string
  /** Units: ms; `memory` in bytes. */
  readonly bucket: S3Settings & {
    readonly firstWait?: number
    readonly memory?: number
    readonly removeAgainAfter?: number
  }
}

const {
  databaseUrl,
  schema,
  shift: _shift,
  times,
  folder,
  bucket,
  ...options
}: ScaleServerOptions = JSON.parse(process.argv[2]!)
const { firstWait, memory, removeAgainAfter, ...settings } = bucket

const pool = new pg.Pool({ connectionString: databaseUrl, max: 10, connectionTimeoutMillis: 5000 })
const journal = createPostgresBlobJournal({ pool, schema })
const ingest = createIngest(
  {
    ...options,
    store: createS3BlobStore(
      { ...settings, journal, prefix: "files/", spill: folder },
      { firstWait, memory, removeAgainAfter },
    ),
    catalog: createPostgresCatalog({ pool, schema }),
  },
  times,
)
const server = createServer({ requestTimeout: 0 }, toNodeListener(ingest.fetch))
process.on("message", (message: { readonly shift: number }) => shiftClock(message.shift))
// The test has ended, however.
process.once("disconnect", () => process.exit())
process.once("SIGTERM", () => {
  server.close()
  server.closeIdleConnections()
  void ingest
    .close()
    .then(() => pool.end())
    .then(() => process.exit())
})
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port))
