/*
 * A whole ingest on SQLite, and on disk or a bucket, as one process, to be killed. Its one argument is JSON: `folder`,
 * `bucket` where there is one, and those options of the ingest that have other values in a test. Prints its port when it
 * listens; SIGTERM stops it cleanly.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { toNodeListener } from "../../adapters/node.ts"
import { createDiskBlobStore, createIngest, createSqliteCatalog, type IngestOptions } from "../../src/ingest.ts"
import { createS3BlobStore } from "../../src/ingest/storage/s3/blob-s3.ts"
import type { S3Settings } from "../../src/ingest/storage/s3/client/s3-settings.ts"
import { createSqliteBlobJournal } from "../../src/ingest/storage/s3/journal/sqlite.ts"

/** What {@link startIngestProcess} hands over. */
export interface IngestServerOptions extends Omit<IngestOptions, "store" | "catalog" | "fetch"> {
  readonly folder: string
  /** Where the bytes go in the place of the folder. Units: `firstWait` in ms, `memory` in bytes. */
  readonly bucket?: S3Settings & { readonly firstWait?: number; readonly memory?: number }
}

const { folder, bucket, ...options }: IngestServerOptions = JSON.parse(process.argv[2]!)

const openStore = () => {
  if (bucket === undefined) return createDiskBlobStore({ folder: join(folder, "files") })
  const { firstWait, memory, ...settings } = bucket
  const journal = createSqliteBlobJournal({ file: join(folder, "journal.sqlite") })
  return createS3BlobStore({ ...settings, journal, prefix: "files/", spill: folder }, { firstWait, memory })
}

const ingest = createIngest({
  ...options,
  store: openStore(),
  catalog: createSqliteCatalog({ file: join(folder, "catalog.sqlite") }),
})
const server = createServer({ requestTimeout: 0 }, toNodeListener(ingest.fetch))
process.once("SIGTERM", () => {
  server.close(() => void ingest.close())
  server.closeIdleConnections()
})
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port))
